"""What each change of the head does: per template, a mean over draws and folds; then means over templates.

A template counts once: its mistakes are alike. A lead is the certified change less gradient descent, by template.
"""

import pandas as pd

from attnsvm.analysis.measured import Measures, outcomes
from attnsvm.analysis.medians import means
from attnsvm.analysis.statistics import ESTIMATE

LEAST = "least change"
QUANTITIES = ("named", "same", "broken", "other", "net", "lost", "length")
COLUMNS = ("part", "quantity", "kind", "template", *ESTIMATE)


def measures(cell, problems, trained, solved, settings):
    kinds = {LEAST: solved["change"]} | {f"gradient {share}": one for share, one in trained["gradient"].items()}
    rows, ends = [], []
    for s, fold in enumerate(problems.seeds):
        for draw, (template, status) in enumerate(
            zip(solved["change"]["template"][s], solved["status"][s], strict=True)
        ):
            at = {"seed": int(fold), "template": int(template), "draw": draw}
            for kind, one in kinds.items():
                rows += [
                    at | {"kind": kind, "quantity": name, "value": float(one[name][s, draw])} for name in QUANTITIES
                ]
            if status != "uncertified":  # else neither is proved
                exists = float(status == "solved")
                rows.append(at | {"kind": LEAST, "quantity": "exists", "value": exists})
        ends.append("measured" if (solved["status"][s] != "uncertified").all() else "not certified")
    return Measures(pd.DataFrame(rows), outcomes(cell, problems.seeds, ends))


def table(measures, settings):
    keys = ["quantity", "kind", "template"]
    rows = measures.instances.dropna(subset=["value"])
    own = rows.groupby([*keys, "seed"], sort=False)["value"].mean().groupby(keys, sort=False).mean().reset_index()
    least = own[own["kind"] == LEAST].drop(columns="kind")
    both = own[own["kind"] != LEAST].merge(least, on=["quantity", "template"], suffixes=("", "_least"))
    lead = both.assign(part="lead", value=both["value_least"] - both["value"]).drop(columns="value_least")
    every = pd.concat([own.assign(part="change"), lead], ignore_index=True)
    over = means(every.groupby(["part", "quantity", "kind"], sort=False)["value"])
    made = pd.concat([over, every.assign(instances=1)], ignore_index=True).reindex(columns=list(COLUMNS))
    return made.astype({"template": "Int64", "instances": "Int64"})
