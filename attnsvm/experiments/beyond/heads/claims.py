"""Heads that train together: the law of the block SVM, and whether more of them act like a regulariser."""

from attnsvm.analysis.statistics import MEAN
from attnsvm.audit.conditions import EACH, FIRST, LAST, number
from attnsvm.audit.numbers import Limit, each, estimate, largest
from attnsvm.audit.reading import Claims, Reading, some
from attnsvm.audit.rows import single, where

NEAR = "H = {}: mean within the threshold ({.value:.2g})"
MISSING = "saturated instance under a {normalisation} norm with the quantity {quantity}"
ELSEWHERE = "where each head has a norm of its own"
CLAIMS = Claims(group="beyond")


def at_end(tables, normalisation, quantity):
    """A row per number of heads, after the last step."""
    rows = where(tables.own(), normalisation=normalisation, quantity=quantity, interval=MEAN)
    return some(rows, MISSING.format(normalisation=normalisation, quantity=quantity)).sort_values("heads")


def by_heads(rows):
    return {row["heads"]: estimate(row) for _, row in rows.iterrows()}


def several(tables, quantity):
    """The means with more than one head, and the one under a norm per head."""
    rows, control = at_end(tables, "joint", quantity), single(at_end(tables, "separate", quantity))
    return by_heads(some(rows[rows["heads"] > 1], "run with several heads")), control


def shown(found, near, further):
    """The largest mean; instances as at the number of heads that has the fewest."""
    return Reading(*largest(found)[:3], min(seen.instances for seen in found.values()), near, further)


after = number(step=LAST, heads=EACH, interval=MEAN, missing=MISSING)
CLAIMS.declare(
    "heads_own_svm",
    after(normalisation="joint", quantity="head", text="1 − correlation of a head with its certified solution").must(
        "≤ 0.005",
        "an angle of 6°; after as many steps one head alone is nearer still",
        "H = {heads}: mean within the threshold ({value:.2g})",
    ),
    after(normalisation="joint", quantity="other_head").misses(
        "H = {heads}: not the SVM of another head ({value:.2g})"
    ),
    short="several heads: each its own SVM",
    statement="Of several heads that train together, each goes to the SVM solution of the tokens that it selects.",
)


@CLAIMS.add(
    short="several heads: one ratio of norms",
    statement="Under one norm for all heads, ‖W_h‖/‖W_h^mm‖ becomes the same for all heads: one common margin.",
    check="largest minus smallest logarithm of the ratio across heads, mean over instances and its 95 % interval; "
    "control: each head's step divided by its own norm",
    measured="spread of log ratios, mean at the worst H",
    limit=Limit(0.03, "≤ {}", "norms within 3 %"),
)
def heads_norm_ratios(tables, limit):
    rows, control = several(tables, "ratios")
    words = f"not {ELSEWHERE} ({control['value']:.2g})"
    return shown(rows, each(rows, NEAR, limit), {words: limit.against(estimate(control))})


@CLAIMS.add(
    short="several heads: one block SVM",
    statement="All heads together go to the block SVM, min Σ‖W_h‖² with one common margin.",
    check="1 − correlation of the stacked heads with its certified solution, mean over instances and its 95 % "
    "interval, for every H > 1; control: each head's step divided by its own norm",
    measured="1 − correlation, mean at the worst H",
    limit=Limit(5e-3, "≤ {}", "as for a head alone"),
)
def heads_block_svm(tables, limit):
    rows, control = several(tables, "block")
    farther = {}
    if same := rows.get(control["heads"]):
        farther[f"farther {ELSEWHERE} ({control['value']:.2g})"] = estimate(control).low > same.high
    return shown(rows, each(rows, NEAR, limit), farther)


most = number(normalisation="joint", heads=LAST, missing="run with one head and run with several")
WIDER = (
    "> 1",
    "a regulariser widens the margin per unit of norm, or keeps more heads out of local ends; the same instances are "
    "compared",
)
wins = most(quantity="global_heads", interval=MEAN)
PER_NORM = "margin of the block SVM per unit of total norm, over that of one head"
CLAIMS.declare(
    "multi_head",
    (
        most(quantity="best_margin over one", text=PER_NORM).must(
            *WIDER, "the block SVM's margin per unit of total norm is wider ({value:.3f} times)"
        ),
        most(quantity="margin over one").must(*WIDER, "the trained one is ({value:.3f} times)"),
    ),
    most(quantity="best_margin over one, √H times").must(*WIDER, "wider per head, √H of it ({value:.3f} times)"),
    wins.above(
        wins(heads=FIRST),
        "more heads end at the best tokens ({few.value:.2f} to {value:.2f})",
        few=wins(heads=FIRST),
    ),
    group="secondary",
    short="heads as a regulariser",
    statement="Multi-head attention acts like a regulariser of the SVM.",
)

# What holds instead, asked on unseen seeds: each head has its margin, and together they share one norm.
scaled = most(quantity="best_margin over one, √H times", text=f"√H times the {PER_NORM}")
over_one = most(quantity="best_margin over one")
few, many = (most(quantity="global_heads", interval=MEAN, heads=end).without_interval() for end in (FIRST, LAST))
ROOT = (
    "farther end of the interval less one, size ≤ 0.1",
    "a margin that stays would be √H off",
    "H = {heads}: √H of it {value:.3f} times that of one head",
)
CLAIMS.declare(
    "multi_head_root",
    (
        scaled.must(*ROOT, around=1.0),
        scaled(heads=EACH).must(*ROOT, around=1.0),
        (many - few).must(
            "difference of the shares at the best tokens, size ≤ 0.15",
            "an interval of 64 heads",
            "share of heads at the best tokens: {few.value:.2f} to {many.value:.2f}",
            around=0.0,
            few=few,
            many=many,
        ),
    ),
    over_one(heads=EACH).must(
        "margin per unit of total norm over that of one head < 1",
        "as first asked, reversed",
        "H = {heads}: narrower ({value:.3f} times)",
    ),
    group="secondary",
    sharpens="multi_head",
    on="heads_again",
    short="margin per unit of total norm falls like 1/√H",
    statement="Heads do not regularise each other: the margin per unit of total norm falls like 1/√H, as it does for "
    "equal heads that share a norm, and as many heads end at their best tokens.",
)
