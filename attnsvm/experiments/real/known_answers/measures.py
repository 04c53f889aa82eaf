"""How often the right atom is named, and how well heads are predicted: per held-out template, then means over these.

A held-out template counts once, with the share of its queries: reactions of one template are alike. A lead is the
difference from a control, template by template.
"""

import numpy as np
import pandas as pd

from attnsvm.analysis.measured import Measures, outcomes
from attnsvm.analysis.medians import means
from attnsvm.analysis.statistics import ESTIMATE

NULLS = ("random", "permuted", "mismatched")
RULES = ("position", "same token", "string")
KEYS = ["part", "quantity", "layer", "head", "inputs"]


def measures(cell, problems, trained, solved, settings):
    rows = []
    for s, number in enumerate(problems.seeds):
        found, heads = _Rows(solved["template"][s], int(number)), solved.get("heads")
        bare = "" if heads else f"{cell.variant} "
        for size, kinds in solved["answers"].items():
            at = {"part": "answers", "inputs": int(size)}
            for kind, one in kinds.items():
                found.templates(at | {"kind": bare + kind}, "right", one["right"][s])
                if "status" in one and one["status"][s] != "uncertified":  # neither is proved there
                    found.add(at | {"kind": bare + kind}, "separable", float(one["status"][s] == "solved"))
            for ridge, one in trained.get(size, {}).items():
                found.templates(at | {"kind": f"{bare}softmax {ridge}"}, "right", one["right"][s])
                found.add(at | {"kind": f"{bare}softmax {ridge}"}, "slope", float(one["slope"][s]))
            if heads:
                named = solved["names"] | {"head": heads["right"][:, settings["head"]]}
                for kind, hits in named.items():
                    found.templates(at | {"kind": kind}, "right", hits[s])
        if heads:
            _heads(_at(heads, s), found)
        rows += found.rows
    proved = all((one["status"] != "uncertified").all() for one in _answers(solved))
    return Measures(pd.DataFrame(rows), outcomes(cell, problems.seeds, "measured" if proved else "not certified"))


class _Rows:
    """The rows of one layer."""

    def __init__(self, template, layer):
        self.rows, self.template, self.layer = [], template, layer

    def add(self, at, quantity, value, **more):
        self.rows.append({"layer": self.layer, "seed": self.layer} | at | {"quantity": quantity, "value": value} | more)

    def templates(self, at, quantity, hits):
        """A row for every template, the mean over its queries."""
        for one in np.unique(self.template):
            self.add(at, quantity, float(hits[self.template == one].mean()), template=int(one))


def _heads(heads, found):
    """Rows of every head; several draws of a null model count by their mean, alignments one by one."""
    for h, accuracy in enumerate(heads["right"]):
        at = {"part": "heads", "head": h}
        found.templates(at | {"kind": "head"}, "right", accuracy)
        found.add(at | {"kind": "head"}, "alignment", float(heads["head"]["alignment"][h]))
        found.templates(at | {"kind": "head"}, "predicted", heads["head"]["predicted"][h])
        for kind in NULLS:
            for draw, value in enumerate(heads[kind]["alignment"][h]):
                found.add(at | {"kind": kind}, "alignment", float(value), draw=draw)
            found.templates(at | {"kind": kind}, "predicted", heads[kind]["predicted"][h].mean(0))
        for kind in RULES:
            found.templates(at | {"kind": kind}, "predicted", heads["rules"][kind][h])


def _at(tree, s):
    return {name: _at(one, s) for name, one in tree.items()} if isinstance(tree, dict) else tree[s]


def _answers(tree):
    """The parts of a tree that are answers of the solver."""
    if "status" in tree:
        return [tree]
    return [one for part in tree.values() if isinstance(part, dict) for one in _answers(part)]


COLUMNS = [*KEYS, "kind", *ESTIMATE]


def table(measures, settings):
    every = measures.instances.reindex(columns=[*KEYS, "kind", "template", "draw", "value"])
    parts = [_means(every), _draws(every[every["quantity"] == "alignment"]), _leads(every)]
    single = every[every["quantity"].isin(["separable", "slope"])].assign(instances=1)
    found = pd.concat([*parts, single], ignore_index=True).reindex(columns=COLUMNS)
    found["mapping"] = ((found["layer"] == settings["layer"]) & (found["head"] == settings["head"])).astype(int)
    return found.astype(dict.fromkeys(("layer", "head", "inputs", "instances", "mapping"), "Int64"))


def _means(every):
    """The mean over the templates and its 95 % interval."""
    return means(_by_kind(every[every["template"].notna()].dropna(subset=["value"])))


def _leads(every):
    """The difference of the first kind of each part from every other one, template by template."""
    rows, found = every[every["template"].notna()].dropna(subset=["value"]), []
    for part, own, quantity in (("answers", "svm", "right"), ("heads", "head", "predicted")):
        some = rows[(rows["part"] == part) & (rows["quantity"] == quantity)]
        both = some[some["kind"] != own].merge(some[some["kind"] == own].drop(columns="kind"), on=[*KEYS, "template"])
        found.append(both.assign(quantity="lead", value=both["value_y"] - both["value_x"]))
    return means(_by_kind(pd.concat(found)))


def _by_kind(rows):
    return rows.groupby([*KEYS, "kind"], sort=False, dropna=False)["value"]


def _draws(rows):
    """Alignments: the mean over the draws of a null model, with the smallest and the largest."""
    groups = _by_kind(rows.dropna(subset=["value"]))
    return (
        groups.agg(value="mean", low="min", high="max", instances="size")
        .reset_index()
        .assign(interval="smallest and largest")
    )
