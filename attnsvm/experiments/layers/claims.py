"""The law of layers: what each layer's SVM asks of which rows, with the rules beside it that would kill it."""

import numpy as np
import pandas as pd

from attnsvm.audit.reading import Claim, Reading, only, some
from attnsvm.audit.rows import single
from attnsvm.experiments.layers.architectures import DEPTH, FACTORS, NO_RESIDUAL, VALUES, VARIANTS, plain

RIVALS = ("read", "all", "shuffled")


def ends(tables) -> pd.DataFrame:
    """The rows of each stack's last step."""
    table = tables.own()
    return table[table["step"] == table.groupby("architecture")["step"].transform("max")]


def compared(table) -> pd.DataFrame:
    """The rows of the last step that all stacks have."""
    return table[table["step"] == table.groupby("architecture")["step"].max().min()]


def at(rows, architecture, layer, quantity) -> pd.Series:
    found = rows[(rows["architecture"] == architecture) & (rows["layer"] == layer) & (rows["quantity"] == quantity)]
    return single(some(found, f"measured instance of the stack '{architecture}'"))


def two_layers(tables, most):
    rows = ends(tables)
    name = plain(2)
    law, top = at(rows, name, 1, "law"), at(rows, name, 2, "top")
    worst = max(law, top, key=lambda row: row["value"])
    parts = {f"{words}: upper end below {most}": row["high"] <= most for words, row in (("W_1", law), ("W_2", top))}
    for rule in RIVALS:
        parts[f"W_1 is farther by the rule '{rule}'"] = at(rows, name, 1, rule)["low"] > law["high"]
    return Reading(worst["value"], worst["low"], worst["high"], int(worst["instances"]), parts)


def every_depth(tables, most):
    table = tables.own()
    rows = compared(table)
    found = some(rows[rows["architecture"].str.startswith(DEPTH)], "plain stack")
    depths = sorted(int(name.removeprefix(DEPTH)) for name in found["architecture"].unique())
    places = [(plain(depth), layer, depth) for depth in depths for layer in range(1, depth + 1)]
    laws = [at(rows, name, layer, "top" if layer == depth else "law") for name, layer, depth in places]
    control = [at(rows, name, layer, "shuffled") for name, layer, depth in places if layer < depth]
    below = [law for law in laws if law["quantity"] == "law"]
    worst = max(laws, key=lambda row: row["value"])
    parts = {
        f"every layer of every depth: upper end below {most}": all(row["high"] <= most for row in laws),
        "every layer below the top is farther by the control": all(
            other["low"] > row["high"] for row, other in zip(below, control, strict=True)
        ),
        "every layer came nearer over the last two logged strides": all(
            row["value"] < before(table, row) for row in laws
        ),
    }
    return Reading(worst["value"], worst["low"], worst["high"], int(min(row["instances"] for row in laws)), parts)


def before(table, row) -> float:
    """The value two logged steps before `row`, of the same stack, layer and quantity."""
    same = table[
        (table[["architecture", "layer", "quantity"]] == row[["architecture", "layer", "quantity"]]).all(axis=1)
    ]
    earlier = some(same[same["step"] < row["step"]], "third logged step").sort_values("step")
    return earlier["value"].iloc[-min(2, len(earlier))]


def every_kind(tables, most):
    rows = compared(tables.own())
    laws, parts = [], {}
    for name, stack in VARIANTS.items():
        own = [at(rows, name, layer, "law") for layer in range(1, stack.layers)]
        near = all(law["high"] <= most for law in own)
        rivals = [
            at(rows, name, law["layer"], rule)["low"] > law["high"] for law in own for rule in ("all", "shuffled")
        ]
        parts[f"{name}: near by the law, and farther by 'all' and 'shuffled'"] = near and all(rivals)
        laws += own
    worst = max(laws, key=lambda row: row["value"])
    return Reading(worst["value"], worst["low"], worst["high"], int(min(row["instances"] for row in laws)), parts)


def passed_on(tables, least):
    rows = ends(tables)
    law, selected = (at(rows, VALUES, 1, rule) for rule in ("law", "selected"))
    parts = {"W_1 is farther by the rule without it": selected["low"] > law["high"]}
    ratio = selected["value"] / law["value"]
    parts["by the factor asked"] = ratio >= least
    return Reading(ratio, selected["low"] / law["high"], selected["high"] / law["low"], int(law["instances"]), parts)


def nuclear(tables, least):
    rows = ends(tables)
    law, other = (at(rows, FACTORS, 1, rule) for rule in ("law", "frobenius"))
    parts = {"W_1 is farther from the Frobenius solution": other["low"] > law["high"]}
    ratio = other["value"] / law["value"]
    parts["by the factor asked"] = ratio >= least
    return Reading(ratio, other["low"] / law["high"], other["high"] / law["low"], int(law["instances"]), parts)


def norms(tables, most):
    rows = ends(tables)
    rows = some(rows[(rows["quantity"] == "ratio") & (rows["architecture"] == plain(2))], "measured instance")
    row = single(rows)
    spread = max(abs(row["first_quartile"]), abs(row["third_quartile"]))
    start = tables.own(architecture=plain(2), quantity="ratio")
    first = start[start["step"] == start["step"].min()].iloc[0]
    parts = {
        "quartiles of the logarithm within it": spread <= most,
        "not so at the start": max(abs(first["first_quartile"]), abs(first["third_quartile"])) > most,
    }
    return Reading(row["value"], row["low"], row["high"], int(row["instances"]), parts)


def held_rows(tables, most):
    table = tables.own()
    share, margin = (
        some(table[(table["architecture"] == plain(2)) & (table["quantity"] == name)], "row held at the boundary")
        for name in ("held share", "held margin")
    )
    end, late = single(share[share["step"] == share["step"].max()]), margin[margin["step"] >= margin["step"].max() / 10]
    slope = np.polyfit(np.log(late["step"]), late["value"], 1)[0]
    parts = {
        f"their margin over that of counting rows: upper end below {most}": end["high"] <= most,
        "their margin itself grows": bool((np.diff(late["value"]) > 0).all()),
        "like the logarithm of the step (slope from .8 to 1.2 in the last decade)": 0.8 <= slope <= 1.2,
    }
    return Reading(end["value"], end["low"], end["high"], int(end["instances"]), parts)


def collapse(tables, least):
    rows = ends(tables)
    bare, kept = (
        single(only(rows, architecture=name, quantity="share of equal tokens")) for name in (NO_RESIDUAL, plain(2))
    )
    parts = {
        "without the residual the lower end is above it": bare["low"] >= least,
        "with the residual the upper end is below one minus it": kept["high"] <= 1 - least,
    }
    return Reading(bare["value"], bare["low"], bare["high"], int(bare["instances"]), parts)


MEDIANS = "medians of 1 − correlation after the last step, their 95 % intervals from order statistics"
CLAIMS = (
    Claim(
        key="layers_two",
        group="beyond",
        short="each layer goes to its own SVM",
        statement="Of two layers trained together, W_2 goes to the SVM of its selection among composed tokens, and W_1 "
        "to the SVM with margin 1 in the rows that layer 2 reads and margin 0 in all other rows.",
        check=f"{MEDIANS}; the larger of both layers",
        threshold=1e-3,
        why="correlation above .999, as the prototypes had; each other rule must have an interval above the law's",
        read=two_layers,
        measured="median 1 − correlation, the farther layer",
        wanted="≤ {}",
    ),
    Claim(
        key="layers_depth",
        group="beyond",
        short="and so at every depth",
        statement="In stacks of one to six layers every layer goes to the SVM of its place: a row counts if a row that "
        "counts selects it, or passes it on.",
        check=f"{MEDIANS}; the largest over depths and layers, all after the same number of steps",
        threshold=0.03,
        why="correlation above .97 even for the slowest layer, still coming nearer; the control must be farther",
        read=every_depth,
        measured="median 1 − correlation, the farthest layer",
        wanted="≤ {}",
    ),
    Claim(
        key="layers_kinds",
        group="beyond",
        short="in every kind of stack",
        statement="The law holds without residual, with (K, Q) and the nuclear norm, with a query per position, with "
        "causal masks, with two heads per layer, with a norm per layer, and with value matrices.",
        check=f"{MEDIANS}; layers below the top, the largest over kinds",
        threshold=0.01,
        why="correlation above .99, and both rules that ignore which rows count must have intervals above it",
        read=every_kind,
        measured="median 1 − correlation, the farthest kind",
        wanted="≤ {}",
    ),
    Claim(
        key="layers_passed",
        group="beyond",
        short="a row passed on counts",
        statement="A row that the layer above does not select, but that the residual passes on to a row that counts, "
        "counts too.",
        check=f"{MEDIANS}; bottom layer of three with rotations as value matrices, where a row rarely selects itself: "
        "distance by the rule without passed rows, divided by that with them; interval: the ratio of the ends",
        threshold=10.0,
        why="a factor that no interval of a median could make",
        read=passed_on,
        measured="ratio of the distances",
        wanted="≥ {}",
    ),
    Claim(
        key="layers_nuclear",
        group="beyond",
        short="(K, Q) layers: the nuclear norm",
        statement="Where W = K Qᵀ in both layers, the law holds in the nuclear norm.",
        check=f"{MEDIANS}; bottom layer: distance from the Frobenius solution, divided by that from the nuclear one",
        threshold=10.0,
        why="a factor that no interval of a median could make",
        read=nuclear,
        measured="ratio of the distances",
        wanted="≥ {}",
    ),
    Claim(
        key="layers_norms",
        group="beyond",
        short="one scale for both layers",
        statement="Under one joint norm ‖W_1‖/‖W_2‖ goes to the same ratio of their SVMs.",
        check="median log of (‖W_1‖/‖W_1^mm‖)/(‖W_2‖/‖W_2^mm‖) after the last step of the stack of two layers",
        threshold=0.01,
        why="one per cent; the quartiles must lie within it, and those at the first step must not",
        read=norms,
        measured="median log ratio",
        wanted="size of the quartiles ≤ {}",
    ),
    Claim(
        key="layers_held",
        group="beyond",
        short="other rows end on the boundary",
        statement="Rows that do not count, but that the SVM holds at margin zero, have a margin that grows like the "
        "logarithm of the step, while that of the rows that count grows like the step.",
        check="bottom of two layers: mean margin of these rows over the least of those that count; its median",
        threshold=0.01,
        why="one per cent of the margin of the rows that count",
        read=held_rows,
        measured="median relative margin",
        wanted="≤ {}",
    ),
    Claim(
        key="layers_collapse",
        group="beyond",
        short="no residual: composed tokens collapse",
        statement="Without a residual rows of the lower layer select one token, and the top cannot tell them apart.",
        check="share of instances whose top selects a token that another position holds too, 95 % Wilson interval",
        threshold=0.9,
        why="nearly all without the residual, nearly none with it",
        read=collapse,
        measured="share without residual",
        wanted="≥ {}",
    ),
)
