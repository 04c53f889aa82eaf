"""The weights at which the training of a stack starts."""

import numpy as np

from attnsvm.data.architecture import Stack
from attnsvm.training.start import draw_initial, uniform


def initial(stack: Stack, seeds: np.ndarray, d: int) -> tuple[np.ndarray, ...]:
    """Initial weights from the seeds (S,), every entry U(−1/√d, 1/√d): W (S, L, H, d, d), or K, Q (S, L, H, d, m).

    They are drawn head by head from the bottom up: a deeper stack starts with the weights of a shallower one.
    """
    if stack.parametrisation == "W":
        return (draw_initial("stack W", seeds, uniform((stack.layers, stack.heads, d, d), d)),)
    m = d if stack.m is None else stack.m
    both = draw_initial("stack KQ", seeds, uniform((stack.layers, stack.heads, 2, d, m), d))
    return np.ascontiguousarray(both[:, :, :, 0]), np.ascontiguousarray(both[:, :, :, 1])
