"""Every head and its null models: alignment, held-out prediction, margin; and the course of the trained runs.

Several draws of a null model count by their mean, margins by the geometric mean; draws without a certified solution do
not count. A head beats a control where its number is above that of the control: by chance, half of the heads would.
"""

import numpy as np
import pandas as pd

from attnsvm.analysis.directions import correlation
from attnsvm.analysis.measured import Measures, curves, outcomes
from attnsvm.analysis.medians import quartiles
from attnsvm.analysis.statistics import ESTIMATE, mean, share

NORMS = ("fro", "nuc")
SINK = 0.5  # share of inputs in which a head must select a delimiter to count as one that attends to them


def measures(cell, problems, trained, solved, settings):
    return _trained(cell, problems, trained, solved) if trained else _heads(cell, problems, solved)


def _trained(cell, problems, trained, solved):
    kept = np.logical_and.reduce(
        [answer["status"] == "solved" for answers in solved.values() for answer in answers.values()]
    )
    frames = []
    for name, run in trained.items():
        for norm in NORMS:
            distance = 1.0 - correlation(run["weights"][kept], solved[name][norm]["W"][kept, None])
            columns = {"part": "trained", "kind": name, "norm": norm, "quantity": "distance"}
            frames.append(curves(problems.seeds[kept], run["steps"], {"value": distance}, **columns))
    return Measures(pd.concat(frames), outcomes(cell, problems.seeds, np.where(kept, "trained", "without SVM")))


def _heads(cell, problems, solved):
    rows, ends = [], []
    for s, layer in enumerate(solved["layer"]):
        fits = {name: solved[name] for name in solved if name.startswith("fro_")} | {"nuc": solved["nuc"]}
        most = max((name for name in fits if name != "nuc"), key=lambda name: int(name.removeprefix("fro_")))
        place = {"part": "head", "layer": int(layer), "seed": int(problems.seeds[s])}
        for name, fit in fits.items():
            at = place | {"norm": name[:3], "inputs": int(solved["inputs"][name][s]), "tokens": "all"}
            quantities = ["predicted"] + (["alignment"] if name in (most, "nuc") else [])
            for kind, answer in fit.items():
                for quantity in quantities:
                    rows += _rows(_mean(answer[quantity][s]), at | {"kind": kind, "quantity": quantity})
            if name == most:
                rows += _margins({kind: answer["margin"][s] for kind, answer in fit.items()}, at)
        selects = {quantity: solved["selects"][quantity][s] for quantity in ("delimiter", "rule", "chance")}
        at = place | {"norm": "", "inputs": int(solved["inputs"][most][s]), "tokens": "all"}
        rows += _rows(selects["delimiter"], at | {"kind": "head", "quantity": "delimiter"})
        for kind in ("rule", "chance"):
            rows += _rows(selects[kind], at | {"norm": "fro", "kind": kind, "quantity": "predicted"})
        plain = {kind: answer["margin"][s] for kind, answer in solved["plain"].items()}
        rows += _margins(plain, at | {"norm": "fro", "tokens": "plain", "inputs": int(solved["inputs"]["plain"][s])})
        proved = all((fit["head"]["status"][s] == "solved").all() for fit in [*fits.values(), solved["plain"]])
        ends.append("measured" if proved else "a head without SVM")
    return Measures(pd.DataFrame(rows), outcomes(cell, problems.seeds, ends))


def _rows(values, at):
    return [at | {"head": h, "value": float(value)} for h, value in enumerate(values)]


def _margins(margins, at):
    """The head's margin relative to that of each null model."""
    found = []
    for kind in ("random", "permuted"):
        ratio = margins["head"] / np.exp(_mean(np.log(margins[kind])))
        found += _rows(ratio, at | {"kind": kind, "quantity": "margin_ratio"})
    return found


def _mean(values):
    """Per head, over the draws that have a number; NaN where none has."""
    values = values.reshape(len(values), -1)
    known = np.isfinite(values)
    total = np.where(known, values, 0.0).sum(1)
    return np.where(known.any(1), total / np.maximum(known.sum(1), 1), np.nan)


COLUMNS = ["part", "norm", "tokens", "inputs", "kind", "quantity", "layer", "head", "step"]


def table(measures, settings):
    every = measures.instances.reindex(columns=[*COLUMNS, "value"])
    heads = every[every["part"] == "head"].dropna(subset=["value"])
    trained = every[every["part"] == "trained"]
    parts = [heads.assign(instances=1), pd.DataFrame(_means(heads)), pd.DataFrame(_shares(heads)), _curves(trained)]
    found = pd.concat([part for part in parts if len(part)], ignore_index=True)
    found = found.reindex(columns=[*COLUMNS, *ESTIMATE])
    return found.astype(dict.fromkeys(("inputs", "layer", "head", "step", "instances"), "Int64"))


def _means(heads):
    """The mean over the heads, of held-out prediction and of its lead over each control."""
    fitted = heads[(heads["quantity"] == "predicted") & (heads["norm"] == "fro")]
    own = fitted[fitted["kind"] == "head"].set_index(["inputs", "layer", "head"])["value"]
    for kind, rows in fitted.groupby("kind", sort=False):
        for inputs, some in rows.groupby("inputs", sort=True):
            at = {"part": "mean", "norm": "fro", "tokens": "all", "inputs": inputs, "kind": kind}
            yield at | {"quantity": "predicted"} | mean(some["value"])
            if kind != "head":
                lead = own - some.set_index(["inputs", "layer", "head"])["value"]
                yield at | {"quantity": "lead"} | mean(lead.dropna())


def _shares(heads):
    """The share of heads that beat each control."""
    keys = ["norm", "tokens", "inputs", "layer", "head"]
    most = heads["inputs"].where(heads["norm"] == "fro").max()
    whole = heads[(heads["norm"] == "nuc") | (heads["inputs"] == most) | (heads["tokens"] == "plain")]
    for quantity in ("alignment", "predicted"):
        rows = whole[whole["quantity"] == quantity]
        own = rows[rows["kind"] == "head"].set_index(keys)["value"]
        for (kind, norm), some in rows[rows["kind"] != "head"].groupby(["kind", "norm"], sort=False):
            lead = (own - some.set_index(keys)["value"]).dropna()
            if len(lead) and kind != "chance" and (quantity, norm) != ("predicted", "nuc"):
                at = {"part": "share", "norm": norm, "tokens": "all", "kind": kind, "quantity": quantity}
                yield at | share(lead > 0)
    margin = sink_margins(whole)
    for (kind, tokens), some in margin.groupby(["kind", "tokens"], sort=False):
        at = {"part": "share", "norm": "fro", "tokens": tokens, "kind": kind, "quantity": "margin_ratio"}
        yield at | share(some["value"] > 1)


def sink_margins(heads):
    """The rows of margins, of the heads that select a delimiter in at least half of the inputs."""
    delimiter = heads[heads["quantity"] == "delimiter"].set_index(["layer", "head"])["value"]
    rows = heads[heads["quantity"] == "margin_ratio"]
    attends = rows.set_index(["layer", "head"]).index.map(delimiter.ge(SINK).to_dict()).astype(bool)
    return rows[np.asarray(attends)]


def _curves(trained):
    groups = trained.groupby(["part", "norm", "kind", "quantity", "step"], sort=False)["value"]
    return quartiles(groups)
