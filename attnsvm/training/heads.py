"""Prediction heads h of f(X, z) = h(Xᵀ softmax(X W z)).

A head embeds the tokens once (`values`, as in an attention layer's value projection) and then sees only their
mixture: h(Xᵀp) = readout(Σ_t p_t values_t). Its readout returns value and gradient in closed form. Arrays carry
the instances last, as everywhere inside the descent engine.
"""

from abc import ABC, abstractmethod

import torch


class Head(ABC):
    """`name` is that of its compiled readout; `v` (d, S) and `penalty` are what that readout reads."""

    name: str
    v: torch.Tensor
    penalty = 0.0

    @abstractmethod
    def values(self, tokens: torch.Tensor) -> torch.Tensor:
        """Embed tokens (n, T, d, S) as values (n, T, p, S)."""

    @abstractmethod
    def readout(self, mixed: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """h (n, S) and its gradient (n, p, S) at the mixture `mixed` (n, p, S) of values."""


class LinearHead(Head):
    """h(x) = vᵀx, with v (S, d)."""

    name = "linear"

    def __init__(self, v: torch.Tensor):
        self.v = v.T.contiguous()

    def values(self, tokens):
        return (tokens * self.v).sum(2, keepdim=True)

    def readout(self, mixed):
        return mixed[:, 0], torch.ones_like(mixed)


class ReluHead(Head):
    """h(x) = 1ᵀ relu(Vᵀx), with V (S, d, d)."""

    name = "relu"

    def __init__(self, V: torch.Tensor):
        self.V = V.permute(1, 2, 0).contiguous()
        self.v = self.V[:, 0]

    def values(self, tokens):
        return torch.einsum("ntas,abs->ntbs", tokens, self.V).contiguous()

    def readout(self, mixed):
        return mixed.clamp(min=0).sum(1), (mixed > 0).to(mixed.dtype)


class PenalisedHead(Head):
    """h(x) = vᵀx − penalty·‖x‖², with v (S, d)."""

    name = "penalised"

    def __init__(self, v: torch.Tensor, penalty: float):
        self.v = v.T.contiguous()
        self.penalty = penalty

    def values(self, tokens):
        return tokens

    def readout(self, mixed):
        return (mixed * (self.v - self.penalty * mixed)).sum(1), self.v - 2 * self.penalty * mixed
