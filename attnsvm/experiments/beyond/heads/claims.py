"""Heads that train together: the law of the block SVM, and whether more of them act like a regulariser."""

from attnsvm.analysis.statistics import MEAN
from attnsvm.audit.conditions import EACH, FIRST, LAST, Those, number
from attnsvm.audit.evaluation import Claims

MISSING = "saturated instance under a {normalisation} norm with the quantity {quantity}"
NEAR = "H = {heads}: mean within the threshold ({value:.2g})"
CLAIMS = Claims(group="beyond")
after = number(step=LAST, heads=EACH, interval=MEAN, missing=MISSING)
CLAIMS.declare(
    "heads_own_svm",
    after(normalisation="joint", quantity="head", text="1 − correlation of a head with its certified solution").must(
        "≤ 0.005", "an angle of 6°; after as many steps one head alone is nearer still", NEAR
    ),
    after(normalisation="joint", quantity="other_head").misses(
        "H = {heads}: not the SVM of another head ({value:.2g})"
    ),
    short="several heads: each its own SVM",
    statement="Of several heads that train together, each goes to the SVM solution of the tokens that it selects.",
)


several = after(normalisation="joint", heads=Those("of several", lambda heads: heads > 1))
separate = after(normalisation="separate")
block = several(quantity="block", text="1 − correlation of the stacked heads with their certified solution")
CLAIMS.declare(
    "heads_norm_ratios",
    several(quantity="ratios", text="largest minus smallest log(‖W_h‖/‖W_h^mm‖)").must(
        "≤ 0.03", "norms within 3 %", NEAR
    ),
    separate(quantity="ratios").misses("not where each head has a norm of its own ({value:.2g})"),
    short="several heads: one ratio of norms",
    statement="Under one norm for all heads, ‖W_h‖/‖W_h^mm‖ becomes the same for all heads: one common margin.",
)

CLAIMS.declare(
    "heads_block_svm",
    block.must("≤ 0.005", "as for a head alone", NEAR),
    block.below(
        separate(quantity="block"),
        "farther where each head has a norm of its own ({control.value:.2g})",
        control=separate(quantity="block"),
    ),
    short="several heads: one block SVM",
    statement="All heads together go to the block SVM, min Σ‖W_h‖² with one common margin.",
)

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
        wins(heads=FIRST), "more heads end at the best tokens ({few.value:.2f} to {value:.2f})", few=wins(heads=FIRST)
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
    statement="The margin per unit of total norm falls like 1/√H, as for equal heads that share a norm. As many "
    "heads end at their best tokens.",
)
