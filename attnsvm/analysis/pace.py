"""The pace at which Adam's smallest margin grows, and the time after which its direction is that of sign descent.

Late in training the margin grows by g per step, so that the gradient falls by the factor exp(−g). The moments of such a
gradient are geometric sums, and Adam's step is that of sign descent times

    (1 − β1)/(1 − β1·exp(g)) · √((1 − β2·exp(2g))/(1 − β2)),

hence g = P times this number, with P the pace of sign descent. Both paces, P and ½ log(1/β2), are asymptotes of it.
"""

import numpy as np

HALVINGS = 200  # of the interval that holds g: to the last bit


def ratio(g, beta1: float, beta2: float):
    """Adam's step as a share of that of sign descent, where the gradient falls by exp(−g) per step; g < ½ log(1/β2)."""
    first = (1 - beta1) / (1 - beta1 * np.exp(g))
    return first * np.sqrt(np.maximum(1 - beta2 * np.exp(2 * g), 0) / (1 - beta2))


def pace(sign: np.ndarray, beta1: float, beta2: float) -> np.ndarray:
    """The growth of the smallest margin in logits per step, for the pace `sign` of sign descent; β1² < β2."""
    low, high = np.zeros_like(sign), np.full_like(sign, 0.5 * np.log(1 / beta2))
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        below = sign * ratio(middle, beta1, beta2) > middle
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return (low + high) / 2


def forgetting(sign: np.ndarray, beta1: float, beta2: float) -> np.ndarray:
    """After how many steps, of the order, the start of the second moment is forgotten: 2/((1 − β2)·(g/P)²)."""
    return 2 / ((1 - beta2) * (pace(sign, beta1, beta2) / sign) ** 2)
