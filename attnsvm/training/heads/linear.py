"""The linear head, h(x) = vᵀx."""

from typing import NamedTuple

import numpy as np

from attnsvm.training.heads.base import Head
from attnsvm.training.lanes.arithmetic import LANES, copy

PART = 16  # terms of a sum that torch adds one by one before it goes on with the next


class Linear(NamedTuple):
    v: np.ndarray

    def readout(self, mixed, h, slope):
        v = self.v
        for lane in range(LANES):
            h[lane] = 0.0
        for j in range(len(mixed)):
            for lane in range(LANES):
                h[lane] += mixed[j, lane] * v[j, lane]
                slope[j, lane] = v[j, lane]

    def parameters(self):
        return self.v

    def parameter_slope(self, mixed, slope):
        copy(mixed, slope)


class LinearHead(Head):
    """h(x) = vᵀx, with v (S, d)."""

    def __init__(self, v):
        self.v = v.T

    def embed(self, tokens):
        """The score vᵀx of a token is enough: p = 1."""
        products = tokens * self.v  # summed in parts, as torch sums them: the figures have that rounding
        scores = sum(products[:, :, k : k + PART].sum(2) for k in range(0, products.shape[2], PART))
        return scores[:, :, None], LinearHead(0 * self.v[:1].T + 1)

    def readout(self, mixed):
        return (mixed * self.v).sum(1), 0 * mixed + self.v

    def compiled(self):
        return Linear(self.v)
