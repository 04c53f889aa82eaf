"""What holds of heads as a regulariser: each head has its margin, and together they share one norm."""

import numpy as np

from attnsvm.audit.numbers import Estimate, Limit, difference, mean
from attnsvm.audit.reading import Claims, Reading, some
from attnsvm.audit.rows import single
from attnsvm.experiments.beyond.heads.claims import at_end

CLAIMS = Claims(group="secondary")


@CLAIMS.add(
    sharpens="multi_head",
    seeds=(100000, 100063),
    short="margin per unit of total norm falls like 1/√H",
    statement="Heads do not regularise each other: the margin per unit of total norm falls like 1/√H, as it does for "
    "equal heads that share a norm, and as many heads end at their best tokens.",
    check="√H times the certified margin per unit of total norm, over that with one head, for every H, 95 % interval; "
    "share of heads whose tokens are all the best for their value vector, most heads less one",
    measured="√H times the margin per unit of total norm, over that with one head, most heads",
    asked=Limit(0.1, "farther end of the interval less one, size ≤ {}", "a margin that stays would be √H off"),
    apart=Limit(0.15, "difference of the shares at the best tokens, size ≤ {}", "an interval of 64 heads"),
    alone=Limit(1.0, "margin per unit of total norm over that of one head < {}", "as first asked, reversed"),
)
def multi_head_root(tables, asked, apart, alone):
    """√H times the certified margin per unit of total norm, over that of one head, for every H; and the best tokens."""
    best, wins = (at_end(tables, "joint", name) for name in ("best_margin", "global_heads"))
    first = mean(single(some(best[best["heads"] == 1], "run with one head")))
    found, parts = [], {}
    for _, row in some(best[best["heads"] > 1], "run with several heads").iterrows():
        own, H = mean(row), row["heads"]
        error = np.hypot((own.high - own.low) / own.value, (first.high - first.low) / first.value) / 2
        ratio = own.value / first.value
        found.append(scaled := Estimate(*(ratio * np.sqrt(H) * np.exp([0, -error, error])), own.instances))
        parts[f"H = {H}: √H of it {scaled.value:.3f} times that of one head"] = asked(scaled.off(1.0))
        parts[f"H = {H}: narrower ({ratio:.3f} times)"] = alone(ratio * np.exp(error))
    few, most = (mean(row) for _, row in wins.iloc[[0, -1]].iterrows())
    more = difference(most, few)
    parts[f"share of heads at the best tokens: {few.value:.2f} to {most.value:.2f}"] = apart(abs(more.value))
    return Reading(*found[-1], parts)
