"""Which heads pass which control, by model and depth. A head passes where its number is above that of the control.

The control is the mean of its null models: by chance, half of the heads would pass.
"""

import pandas as pd

from attnsvm.analysis.measured import Measures, outcomes
from attnsvm.analysis.statistics import ESTIMATE, mean, share

CONTROLS = {
    "aligned, random": ("alignment_fro", "alignment_random_fro"),
    "aligned, permuted": ("alignment_fro", "alignment_permuted_fro"),
    "predicted, random": ("predicted_fro", "predicted_random_fro"),
    "predicted, permuted": ("predicted_fro", "predicted_permuted_fro"),
    "predicted, rule": ("predicted_fro", "rule_predicted"),
    "predicted, mismatched": ("predicted_fro", "predicted_mismatched_fro"),
}
NUMBERS = tuple(dict.fromkeys(name for pair in CONTROLS.values() for name in pair))
PARTS = 6  # of the depth of a model
COLUMNS = ["part", "model", "layer", "head", "depth", "control", *ESTIMATE]


def measures(cell, problems, trained, solved, settings):
    name = problems.head[0].astype("uint8").tobytes().decode().rstrip("/").split("/")[-1]
    rows = [
        {"model": name, "seed": int(layer), "head": h, "control": column, "value": float(value)}
        for column in NUMBERS
        if column in solved["heads"]
        for layer, values in zip(problems.seeds, solved["heads"][column], strict=True)
        for h, value in enumerate(values)
    ]
    proved = (solved["answers"]["status"] != "uncertified").all()
    return Measures(pd.DataFrame(rows), outcomes(cell, problems.seeds, "measured" if proved else "not certified"))


def table(measures, settings):
    rows = measures.instances.dropna(subset=["value"]).rename(columns={"seed": "layer"})
    layers = rows.groupby("model", sort=False)["layer"].transform("max") + 1
    rows = rows.assign(depth=rows["layer"] * PARTS // layers)
    wide = rows.pivot_table(index=["model", "depth", "layer", "head"], columns="control", values="value", sort=False)
    found = [rows.assign(part="head", instances=1), pd.DataFrame(_compared(wide))]
    made = pd.concat(found, ignore_index=True).reindex(columns=COLUMNS)
    return made.astype(dict.fromkeys(("layer", "head", "depth", "instances"), "Int64"))


def _compared(wide):
    """A share for each control, model and part of the depth; of all layers together the mean lead too."""
    for control, (own, other) in CONTROLS.items():
        if other not in wide:
            continue
        lead = (wide[own] - wide[other]).dropna()
        for model, mine in lead.groupby("model", sort=False):
            at = {"model": model, "control": control}
            yield at | {"part": "share"} | share(mine > 0)
            yield at | {"part": "lead"} | mean(mine)
            for depth, some in mine.groupby("depth"):
                yield at | {"part": "share", "depth": depth} | share(some > 0)
