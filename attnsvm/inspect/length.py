"""The length at which what a head selects has half of the weight left: predicted on short inputs, measured on long.

Of T tokens the selected one has the weight p. If other tokens were to stay what they are on the average, and more came,
it would have half of the weight at the length 1 + (T − 1)p/(1 − p).
"""

from collections.abc import Sequence

import numpy as np

from attnsvm.analysis.statistics import median_interval

LONGER = 4  # times as long as the median of the shorter third: what counts as long


def half_length(logits: np.ndarray) -> float:
    """Of one input, given its logits (T,); infinite where the other tokens have no weight, or there are none."""
    behind = np.delete(logits.max() - logits, logits.argmax())
    others = np.exp(-behind).sum()
    return float(1.0 + len(behind) / others) if others > 0 else float("inf")


def predicted_and_measured(logits: Sequence[np.ndarray]) -> dict[str, float]:
    """The median over the shorter third of the inputs, and over those at least four times as long, with intervals.

    Args:
        logits: (T_i,) for every input.

    Returns:
        By column, see `columns`; NaN where no input is as long.
    """
    counts, found = np.array([len(one) for one in logits]), np.array([half_length(one) for one in logits])
    short = counts <= np.quantile(counts, 1 / 3)
    long = counts >= LONGER * np.median(counts[short])
    row = {}
    for name, some in (("predicted", short), ("measured", long)):
        estimate = median_interval(found[some]) if some.any() else (float("nan"),) * 3
        ends = (f"half_length_{name}", f"half_length_{name}_low", f"half_length_{name}_high")
        row |= dict(zip(ends, map(float, estimate), strict=True))
    return row
