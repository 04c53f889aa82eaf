"""What holds of heads as a regulariser: each head has its margin, and together they share one norm."""

import numpy as np

from attnsvm.audit.conditions import NoInstance
from attnsvm.audit.numbers import Estimate, Limit, difference, mean
from attnsvm.audit.reading import Claims, Reading, some
from attnsvm.audit.rows import last, where

CLAIMS = Claims(group="secondary")


def by_heads(tables, quantity):
    """The mean after the last step under one norm, by the number of heads, which rises."""
    rows = where(tables.own(), normalisation="joint", quantity=quantity)
    rows = last(some(rows, f"saturated instance under a joint norm with the quantity {quantity}"))
    return {row["heads"]: mean(row) for _, row in rows.sort_values("heads").iterrows()}


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
    best, wins = (by_heads(tables, name) for name in ("best_margin", "global_heads"))
    if 1 not in best:
        raise NoInstance("run with one head")
    if min(len(best), len(wins)) < 2:
        raise NoInstance("run with several heads")
    first, found, parts, further = best.pop(1), [], {}, {}
    for H, own in best.items():
        error = np.hypot((own.high - own.low) / own.value, (first.high - first.low) / first.value) / 2
        ratio = own.value / first.value
        found.append(scaled := Estimate(*(ratio * np.sqrt(H) * np.exp([0, -error, error])), own.instances))
        parts[f"H = {H}: √H of it {scaled.value:.3f} times that of one head"] = asked(scaled.off(1.0))
        further[f"H = {H}: narrower ({ratio:.3f} times)"] = alone(ratio * np.exp(error))
    few, *_, most = wins.values()
    more = difference(most, few)
    parts[f"share of heads at the best tokens: {few.value:.2f} to {most.value:.2f}"] = apart(abs(more.value))
    return Reading(*found[-1], parts, further)
