"""Prediction heads h of f(X, z) = h(Xᵀ softmax(X W z)).

A head embeds the tokens once (`values`, as in an attention layer's value projection) and then sees only their
mixture: h(Xᵀp) = readout(Σ_t p_t values_t). Its readout gives value and gradient in closed form, once for arrays and
once for the compiled engine: there a head is a NamedTuple of what its readout reads. Arrays carry the instances last,
and are NumPy's or torch's, as the weights that the head is built from.

A new head is two classes here, and nothing elsewhere.
"""

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np

from attnsvm.lanes.arithmetic import LANES

PART = 16  # terms of a sum that torch adds one by one before it goes on with the next


class Head(ABC):
    """What turns the weighted mean of the tokens into a number: h, with its gradient."""

    @abstractmethod
    def values(self, tokens):
        """Embed tokens (n, T, d, S) as values (n, T, p, S)."""

    @abstractmethod
    def readout(self, mixed):
        """h (n, S) and its gradient (n, p, S) at the mixture `mixed` (n, p, S) of values."""

    @abstractmethod
    def compiled(self) -> NamedTuple:
        """The head for the compiled engine: numpy arrays (..., S) and numbers, and a method `readout`.

        `readout(self, mixed, h, slope)` is compiled. It sees LANES instances: it reads the mixture (p, LANES) of
        values, and writes h (LANES) and its gradient `slope` (p, LANES).
        """


class Linear(NamedTuple):
    def readout(self, mixed, h, slope):
        for lane in range(LANES):
            h[lane] = mixed[0, lane]
            slope[0, lane] = 1.0


class LinearHead(Head):
    """h(x) = vᵀx, with v (S, d)."""

    def __init__(self, v):
        self.v = v.T

    def values(self, tokens):
        products = tokens * self.v  # summed in parts, as torch sums them: the figures have that rounding
        return sum(products[:, :, k : k + PART].sum(2) for k in range(0, products.shape[2], PART))[:, :, None]

    def readout(self, mixed):
        return mixed[:, 0], 0 * mixed + 1

    def compiled(self):
        return Linear()


class Relu(NamedTuple):
    def readout(self, mixed, h, slope):
        for lane in range(LANES):
            h[lane] = 0.0
        for j in range(len(mixed)):
            for lane in range(LANES):
                h[lane] += max(mixed[j, lane], 0.0)
                slope[j, lane] = 1.0 if mixed[j, lane] > 0 else 0.0


class ReluHead(Head):
    """h(x) = 1ᵀ relu(Vᵀx), with V (S, d, d)."""

    def __init__(self, V):
        self.V = V

    def values(self, tokens):
        rows = tokens.swapaxes(0, 3).swapaxes(2, 3)  # (S, T, n, d)
        return (rows @ self.V[:, None]).swapaxes(2, 3).swapaxes(0, 3)

    def readout(self, mixed):
        return mixed.clip(min=0).sum(1), (mixed > 0) + 0 * mixed

    def compiled(self):
        return Relu()


class Penalised(NamedTuple):
    v: np.ndarray
    penalty: float

    def readout(self, mixed, h, slope):
        v, penalty = self.v, self.penalty
        for lane in range(LANES):
            h[lane] = 0.0
        for j in range(len(mixed)):
            for lane in range(LANES):
                h[lane] += mixed[j, lane] * (v[j, lane] - penalty * mixed[j, lane])
                slope[j, lane] = v[j, lane] - 2 * penalty * mixed[j, lane]


class PenalisedHead(Head):
    """h(x) = vᵀx − penalty·‖x‖², with v (S, d)."""

    def __init__(self, v, penalty: float):
        self.v = v.T
        self.penalty = float(penalty)

    def values(self, tokens):
        return tokens

    def readout(self, mixed):
        return (mixed * (self.v - self.penalty * mixed)).sum(1), self.v - 2 * self.penalty * mixed

    def compiled(self):
        return Penalised(self.v, self.penalty)
