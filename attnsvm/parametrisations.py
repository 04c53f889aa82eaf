"""How the logits x_tᵀ W z depend on trainable weights: W itself, or W = K Qᵀ.

A parametrisation is bound to a batch of problems and holds its weights. It hands out the logits (n, T, S), takes
∂L/∂logits of the same shape, and moves its weights as a step rule says.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable

import numpy as np
import torch

from attnsvm.rules import Rule

INITIALISATION_STREAM = 20308  # keeps initialisations apart from the data drawn with the same seed


def draw_initial(name: str, seeds: np.ndarray, draw_one: Callable) -> torch.Tensor:
    """`draw_one(generator)` once per seed, stacked: one independent stream per (parametrisation, seed).

    The official code leaves initialisations unseeded. Float32 draws, then float64, as there.
    """
    generator = torch.Generator()
    draws = []
    for seed in seeds.tolist():
        entropy = [INITIALISATION_STREAM, *name.encode(), seed]
        generator.manual_seed(int(np.random.SeedSequence(entropy).generate_state(1, np.uint64)[0] >> 1))
        draws.append(draw_one(generator))
    if not draws:
        return draw_one(generator).double()[None][:0]
    return torch.stack(draws).double()


def uniform(shape: tuple[int, ...], d: int) -> Callable:
    """U(−1/√d, 1/√d) entries, the default of the official code's `nn.Linear` layers."""
    return lambda generator: (torch.rand(shape, generator=generator) * 2 - 1) * d**-0.5


def normal(shape: tuple[int, ...]) -> Callable:
    return lambda generator: torch.randn(shape, generator=generator)


class Parametrisation(ABC):
    @abstractmethod
    def logits(self) -> torch.Tensor:
        """The attention logits (n, T, S) at the present weights."""

    @abstractmethod
    def step(self, logit_gradient: torch.Tensor, rule: Rule) -> None:
        """Move the weights by one step of `rule`."""

    @abstractmethod
    def gradient(self, logit_gradient: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """The gradient of the training objective with respect to each factor, (S, ·, ·) each."""

    @abstractmethod
    def weights(self) -> torch.Tensor:
        """The combined matrix W (S, d, d)."""

    def gradient_norm(self, logit_gradient: torch.Tensor) -> torch.Tensor:
        """Frobenius norm (S,) of the gradient, all factors together."""
        return torch.stack([g.square().sum((1, 2)) for g in self.gradient(logit_gradient)]).sum(0).sqrt()


class FullWeights(Parametrisation):
    """W (S, d, d) trained directly.

    Every gradient is a combination of the matrices x_it z_iᵀ, so W(k) = W(0) − Σ_it u_it x_it z_iᵀ and the logits
    follow u through the Gram matrix of those matrices: (nT)² operations a step whatever d, against about 2nd(d + T).
    """

    def __init__(self, tokens: torch.Tensor, queries: torch.Tensor, W: torch.Tensor):
        S, n, T, _ = tokens.shape
        self.tokens, self.queries, self.initial = tokens, queries, W
        flat = tokens.reshape(S, n * T, -1)
        gram = (flat @ flat.mT).mul_((queries @ queries.mT).repeat_interleave(T, 1).repeat_interleave(T, 2))
        self.gram = gram.permute(1, 2, 0).contiguous()  # (nT, nT, S), symmetric
        start = torch.einsum("sntd,sde,sne->nts", tokens, W, queries)
        self._logits = start.reshape(n * T, S).contiguous()
        self.moved = torch.zeros_like(self._logits)
        self.shape = (n, T, S)
        self._product = torch.empty_like(self.gram)

    def logits(self):
        return self._logits.view(self.shape)

    def step(self, logit_gradient, rule):
        u = logit_gradient.reshape(self._logits.shape)
        torch.mul(self.gram, u, out=self._product)
        change = self._product.sum(1)
        norm = (change * u).sum(0).clamp_(min=0).sqrt_()
        scale = rule.scale(norm)
        self._logits -= change.mul_(scale)
        self.moved += u * scale

    def combination(self, coefficients: torch.Tensor) -> torch.Tensor:
        """Σ_it coefficients_it x_it z_iᵀ, (S, d, d), for coefficients (nT, S)."""
        return torch.einsum("nts,sntd,sne->sde", coefficients.view(self.shape), self.tokens, self.queries)

    def gradient(self, logit_gradient):
        return (self.combination(logit_gradient.reshape(self._logits.shape)),)

    def weights(self):
        return self.initial - self.combination(self.moved)


class FactoredWeights(Parametrisation):
    """W = K Qᵀ with K, Q (S, d, m); `penalty`·(‖K‖² + ‖Q‖²) is added to the loss, as published."""

    def __init__(self, tokens, queries, K, Q, penalty: float):
        self.tokens, self.queries, self.K, self.Q, self.penalty = tokens, queries, K, Q, penalty

    def logits(self):
        self._projected = self.queries @ self.Q  # (S, n, m), reused by the gradient at the same weights
        directions = self._projected @ self.K.mT
        return (self.tokens @ directions.unsqueeze(-1)).squeeze(-1).permute(1, 2, 0)

    def gradient(self, logit_gradient):
        per_input = (logit_gradient.permute(2, 0, 1).unsqueeze(2) @ self.tokens).squeeze(2)  # (S, n, d)
        grad_K = torch.baddbmm(self.K, per_input.mT, self._projected, beta=2 * self.penalty)
        grad_Q = torch.baddbmm(self.Q, self.queries.mT, per_input @ self.K, beta=2 * self.penalty)
        return grad_K, grad_Q

    def step(self, logit_gradient, rule):
        for factor, gradient in zip((self.K, self.Q), self.gradient(logit_gradient), strict=True):
            norm = torch.linalg.vector_norm(gradient, dim=(1, 2))
            factor -= gradient.mul_(rule.scale(norm)[:, None, None])

    def weights(self):
        return self.K @ self.Q.mT
