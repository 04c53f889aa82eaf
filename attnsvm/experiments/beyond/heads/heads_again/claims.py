"""What holds of heads as a regulariser: each head has its margin, and together they share one norm."""

from attnsvm.analysis.statistics import MEAN
from attnsvm.audit.conditions import EACH, FIRST, LAST, number
from attnsvm.audit.reading import Claims

CLAIMS = Claims(group="secondary")

joint = number(normalisation="joint", heads=LAST, missing="run with one head and run with several")
scaled, over_one = joint(quantity="best_margin over one, √H times"), joint(quantity="best_margin over one")
few, most = (joint(quantity="global_heads", interval=MEAN, heads=end).without_interval() for end in (FIRST, LAST))
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
        (most - few).must(
            "difference of the shares at the best tokens, size ≤ 0.15",
            "an interval of 64 heads",
            "share of heads at the best tokens: {few.value:.2f} to {most.value:.2f}",
            around=0.0,
            few=few,
            most=most,
        ),
    ),
    over_one(heads=EACH).must(
        "margin per unit of total norm over that of one head < 1",
        "as first asked, reversed",
        "H = {heads}: narrower ({value:.3f} times)",
    ),
    sharpens="multi_head",
    seeds=(100000, 100063),
    short="margin per unit of total norm falls like 1/√H",
    statement="Heads do not regularise each other: the margin per unit of total norm falls like 1/√H, as it does for "
    "equal heads that share a norm, and as many heads end at their best tokens.",
    check="√H times the certified margin per unit of total norm, over that with one head, instance by instance, for "
    "every H, 95 % interval; share of heads whose tokens are all the best for their value vector, most heads less one",
    measured="√H times the margin per unit of total norm, over that with one head, most heads",
)
