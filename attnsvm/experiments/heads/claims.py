"""Heads that train together: the law of the block SVM, and whether more of them act like a regulariser."""

import numpy as np

from attnsvm.analysis.statistics import mean_interval
from attnsvm.audit.reading import Claim, Reading, some
from attnsvm.audit.rows import ends, last, single


def _end(tables, normalisation, quantity):
    """A row per number of heads, after the last step."""
    rows = tables.own()
    rows = rows[(rows["normalisation"] == normalisation) & (rows["quantity"] == quantity)]
    rows = last(some(rows, f"saturated instance under a {normalisation} norm with the quantity {quantity}"))
    return rows.sort_values("heads").set_index("heads", drop=False)


def _interval(row):
    return mean_interval(row["mean"], row["std"], row["instances"])


def _within(rows, most):
    """The part of a claim for every number of heads: the whole interval of the mean is within the threshold."""
    return {
        f"H = {h}: mean within the threshold ({r['mean']:.2g})": _interval(r)[2] <= most for h, r in rows.iterrows()
    }


def own_svm(tables, most):
    rows, others = _end(tables, "joint", "head"), _end(tables, "joint", "other_head")
    parts = {
        f"H = {h}: mean within the threshold ({row['mean']:.2g})": _interval(row)[2] <= most
        for h, row in rows.iterrows()
    }
    for h, row in others.iterrows():
        parts[f"H = {h}: not the SVM of another head ({row['mean']:.2g})"] = _interval(row)[1] > most
    worst = rows.loc[rows["mean"].idxmax()]
    return Reading(*_interval(worst), int(rows["instances"].min()), parts)


def norm_ratios(tables, most):
    rows, control = _end(tables, "joint", "ratios"), single(_end(tables, "separate", "ratios"))
    rows = some(rows[rows["heads"] > 1], "run with several heads")
    parts = {
        f"H = {h}: mean within the threshold ({row['mean']:.2g})": _interval(row)[2] <= most
        for h, row in rows.iterrows()
    }
    parts[f"not where each head has a norm of its own ({control['mean']:.2g})"] = _interval(control)[1] > most
    worst = rows.loc[rows["mean"].idxmax()]
    return Reading(*_interval(worst), int(rows["instances"].min()), parts)


def block_svm(tables, most):
    rows, control = _end(tables, "joint", "block"), single(_end(tables, "separate", "block"))
    rows = some(rows[rows["heads"] > 1], "run with several heads")
    parts = {
        f"H = {h}: mean within the threshold ({row['mean']:.2g})": _interval(row)[2] <= most
        for h, row in rows.iterrows()
    }
    same = rows.loc[rows["heads"] == control["heads"]]
    if len(same):
        farther = _interval(control)[1] > _interval(single(same))[2]
        parts[f"farther where each head has a norm of its own ({control['mean']:.2g})"] = farther
    worst = rows.loc[rows["mean"].idxmax()]
    return Reading(*_interval(worst), int(rows["instances"].min()), parts)


def regulariser(tables, least):
    """The best margin per unit of total norm, with the most heads over that with one; and the share of global ends."""
    best, trained, wins = (_end(tables, "joint", name) for name in ("best_margin", "margin", "global_heads"))
    one, many = ends(best, "heads")
    heads = many["heads"] / one["heads"]

    def ratio(rows):
        few, most = ends(rows, "heads")
        error = np.hypot(few["std"] / few["mean"], most["std"] / most["mean"]) / np.sqrt(few["instances"])
        value = most["mean"] / few["mean"]
        return value, value * np.exp(-1.96 * error), value * np.exp(1.96 * error)

    value, low, high = ratio(best)
    few, most = ends(wins, "heads")
    parts = {
        f"the block SVM's margin per unit of total norm is wider ({value:.3f} times)": low > least,
        f"the trained one is ({ratio(trained)[0]:.3f} times)": ratio(trained)[1] > least,
        f"wider per head, √H of it ({value * np.sqrt(heads):.3f} times)": low * np.sqrt(heads) > least,
        f"more heads end at the best tokens ({few['mean']:.2f} to {most['mean']:.2f})": _interval(most)[1]
        > _interval(few)[2],
    }
    return Reading(value, low, high, int(best["instances"].min()), parts)


CLAIMS = (
    Claim(
        key="heads_own_svm",
        group="beyond",
        short="several heads: each its own SVM",
        statement="Of several heads that train together, each goes to the SVM solution of the tokens that it selects.",
        check="1 − correlation of a head with its certified solution after the last step, mean over the heads; mean "
        "over instances and its 95 % interval, for every H; control: the solution of another head",
        threshold=5e-3,
        why="an angle of 6°; after as many steps one head alone is nearer still",
        measured="1 − correlation, mean at the worst H",
        wanted="≤ {}",
        read=own_svm,
    ),
    Claim(
        key="heads_norm_ratios",
        group="beyond",
        short="several heads: one ratio of norms",
        statement="Under one norm for all heads, ‖W_h‖/‖W_h^mm‖ becomes the same for all heads: one common margin.",
        check="largest minus smallest logarithm of the ratio across heads, mean over instances and its 95 % interval; "
        "control: each head's step divided by its own norm",
        threshold=0.03,
        why="norms within 3 %",
        measured="spread of log ratios, mean at the worst H",
        wanted="≤ {}",
        read=norm_ratios,
    ),
    Claim(
        key="heads_block_svm",
        group="beyond",
        short="several heads: one block SVM",
        statement="All heads together go to the block SVM, min Σ‖W_h‖² with one common margin.",
        check="1 − correlation of the stacked heads with its certified solution, mean over instances and its 95 % "
        "interval, for every H > 1; control: each head's step divided by its own norm",
        threshold=5e-3,
        why="as for a head alone",
        measured="1 − correlation, mean at the worst H",
        wanted="≤ {}",
        read=block_svm,
    ),
    Claim(
        key="multi_head",
        group="secondary",
        short="heads as a regulariser",
        statement="Multi-head attention acts like a regulariser of the SVM.",
        check="certified and trained margin per unit of total norm with the most heads, over that with one; share of "
        "heads whose tokens are all the best for their own value vector; 95 % intervals",
        threshold=1.0,
        why="a regulariser widens the margin per unit of norm, or keeps more heads out of local ends; the same "
        "instances are compared, intervals as if they were others",
        measured="margin per unit of total norm, most heads over one",
        wanted="> {}",
        read=regulariser,
    ),
)
