"""Prediction heads h of f(X, z) = h(Xᵀ softmax(X W z)).

A head embeds the tokens once (`values`, as in an attention layer's value projection) and then sees only their
mixture: h(Xᵀp) = readout(Σ_t p_t values_t). Its readout gives value and gradient in closed form, once in torch and
once for the compiled engine: there a head is a NamedTuple of what its readout reads. Arrays carry the instances last.

A new head is two classes here, and nothing elsewhere.
"""

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np
import torch

from attnsvm.training.lanes import LANES


class Head(ABC):
    """What turns the weighted mean of the tokens into a number: h, with its gradient."""

    @abstractmethod
    def values(self, tokens: torch.Tensor) -> torch.Tensor:
        """Embed tokens (n, T, d, S) as values (n, T, p, S)."""

    @abstractmethod
    def readout(self, mixed: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
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

    def __init__(self, v: torch.Tensor):
        self.v = v.T.contiguous()

    def values(self, tokens):
        return (tokens * self.v).sum(2, keepdim=True)

    def readout(self, mixed):
        return mixed[:, 0], torch.ones_like(mixed)

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

    def __init__(self, V: torch.Tensor):
        self.V = V.permute(1, 2, 0).contiguous()

    def values(self, tokens):
        return torch.einsum("ntas,abs->ntbs", tokens, self.V).contiguous()

    def readout(self, mixed):
        return mixed.clamp(min=0).sum(1), (mixed > 0).to(mixed.dtype)

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

    def __init__(self, v: torch.Tensor, penalty: float):
        self.v = v.T.contiguous()
        self.penalty = float(penalty)

    def values(self, tokens):
        return tokens

    def readout(self, mixed):
        return (mixed * (self.v - self.penalty * mixed)).sum(1), self.v - 2 * self.penalty * mixed

    def compiled(self):
        return Penalised(self.v.numpy(), self.penalty)
