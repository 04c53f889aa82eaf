"""Heads that train together: the law of the block SVM, and whether more of them act like a regulariser."""

import numpy as np

from attnsvm.audit.conditions import EACH, LAST, number
from attnsvm.audit.numbers import Limit, each, largest, mean
from attnsvm.audit.reading import Claims, Reading, some
from attnsvm.audit.rows import ends, last, single, where

NEAR = "H = {}: mean within the threshold ({.value:.2g})"
MISSING = "saturated instance under a {normalisation} norm with the quantity {quantity}"
ELSEWHERE = "where each head has a norm of its own"
CLAIMS = Claims(group="beyond")


def at_end(tables, normalisation, quantity):
    """A row per number of heads, after the last step."""
    rows = where(tables.own(), normalisation=normalisation, quantity=quantity)
    rows = last(some(rows, MISSING.format(normalisation=normalisation, quantity=quantity)))
    return rows.sort_values("heads")


def by_heads(rows):
    return {row["heads"]: mean(row) for _, row in rows.iterrows()}


def several(tables, quantity):
    """The means with more than one head, and the one under a norm per head."""
    rows, control = at_end(tables, "joint", quantity), single(at_end(tables, "separate", quantity))
    return by_heads(some(rows[rows["heads"] > 1], "run with several heads")), control


def shown(found, near, further):
    """The largest mean; instances as at the number of heads that has the fewest."""
    return Reading(*largest(found)[:3], min(seen.instances for seen in found.values()), near, further)


after = number(step=LAST, heads=EACH, column="mean", std="std", missing=MISSING)
CLAIMS.declare(
    "heads_own_svm",
    after(normalisation="joint", quantity="head").must(
        "≤ 0.005",
        "an angle of 6°; after as many steps one head alone is nearer still",
        "H = {heads}: mean within the threshold ({value:.2g})",
    ),
    after(normalisation="joint", quantity="other_head").misses(
        "H = {heads}: not the SVM of another head ({value:.2g})"
    ),
    short="several heads: each its own SVM",
    statement="Of several heads that train together, each goes to the SVM solution of the tokens that it selects.",
    check="1 − correlation of a head with its certified solution after the last step, mean over the heads; mean over "
    "instances and its 95 % interval, for every H; control: the solution of another head",
    measured="1 − correlation, mean at the worst H",
)


@CLAIMS.add(
    short="several heads: one ratio of norms",
    statement="Under one norm for all heads, ‖W_h‖/‖W_h^mm‖ becomes the same for all heads: one common margin.",
    check="largest minus smallest logarithm of the ratio across heads, mean over instances and its 95 % interval; "
    "control: each head's step divided by its own norm",
    measured="spread of log ratios, mean at the worst H",
    asked=Limit(0.03, "≤ {}", "norms within 3 %"),
)
def heads_norm_ratios(tables, asked):
    rows, control = several(tables, "ratios")
    words = f"not {ELSEWHERE} ({control['mean']:.2g})"
    return shown(rows, each(rows, NEAR, asked), {words: asked.against(mean(control))})


@CLAIMS.add(
    short="several heads: one block SVM",
    statement="All heads together go to the block SVM, min Σ‖W_h‖² with one common margin.",
    check="1 − correlation of the stacked heads with its certified solution, mean over instances and its 95 % "
    "interval, for every H > 1; control: each head's step divided by its own norm",
    measured="1 − correlation, mean at the worst H",
    asked=Limit(5e-3, "≤ {}", "as for a head alone"),
)
def heads_block_svm(tables, asked):
    rows, control = several(tables, "block")
    farther = {}
    if same := rows.get(control["heads"]):
        farther[f"farther {ELSEWHERE} ({control['mean']:.2g})"] = mean(control).low > same.high
    return shown(rows, each(rows, NEAR, asked), farther)


@CLAIMS.add(
    group="secondary",
    short="heads as a regulariser",
    statement="Multi-head attention acts like a regulariser of the SVM.",
    check="certified and trained margin per unit of total norm with the most heads, over that with one; share of heads "
    "whose tokens are all the best for their own value vector; 95 % intervals",
    measured="margin per unit of total norm, most heads over one",
    asked=Limit(
        1.0,
        "> {}",
        "a regulariser widens the margin per unit of norm, or keeps more heads out of local ends; the same instances "
        "are compared, intervals as if they were others",
    ),
)
def multi_head(tables, asked):
    """The best margin per unit of total norm, with the most heads over that with one; and the share of global ends."""
    best, trained, wins = (at_end(tables, "joint", name) for name in ("best_margin", "margin", "global_heads"))
    one, many = ends(best, "heads")
    heads = many["heads"] / one["heads"]

    def ratio(rows):
        few, most = ends(rows, "heads")
        error = np.hypot(few["std"] / few["mean"], most["std"] / most["mean"]) / np.sqrt(few["instances"])
        value = most["mean"] / few["mean"]
        return value, value * np.exp(-1.96 * error), value * np.exp(1.96 * error)

    value, low, high = ratio(best)
    few, most = map(mean, ends(wins, "heads"))
    parts = {
        f"the block SVM's margin per unit of total norm is wider ({value:.3f} times)": asked(low),
        f"the trained one is ({ratio(trained)[0]:.3f} times)": asked(ratio(trained)[1]),
    }
    further = {
        f"wider per head, √H of it ({value * np.sqrt(heads):.3f} times)": asked(low * np.sqrt(heads)),
        f"more heads end at the best tokens ({few.value:.2f} to {most.value:.2f})": most.low > few.high,
    }
    return Reading(value, low, high, best["instances"].min(), parts, further)
