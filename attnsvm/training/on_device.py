"""The descent loop in torch: on any device. The compiled loop is tested against it.

The weights are W itself, or W = K Qᵀ. They are bound to a batch of problems, hand out the logits x_tᵀ W z (n, T, S),
take ∂L/∂logits of the same shape, and move as a step rule says. Instances are the last axis.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch

from attnsvm.data.inputs import Inputs
from attnsvm.training.dense import LARGE
from attnsvm.training.heads.base import Head
from attnsvm.training.log import Log
from attnsvm.training.optimisers.gradient_descent import GradientDescent
from attnsvm.training.softmax import derivative, softmax

NUMBERS = 2**26  # in the largest array, half a gigabyte; a step holds a few of its size


def at_once(N: int, T: int, d: int, logged: int) -> int:
    """How many instances to train side by side: a step takes a GPU about as long for one as for thousands."""
    gram = (N * T) ** 2 if N * T * d < LARGE else 0
    return max(1, NUMBERS // max(gram, N * T * d, N * d * d, logged * d * d))


@torch.inference_mode()
def run(
    inputs: Inputs,
    head: Callable[[torch.Tensor], Head],
    given: np.ndarray,
    initial: tuple[np.ndarray, ...],
    rule: GradientDescent,
    steps: np.ndarray,
    device: str,
) -> Log:
    """Descend on a torch device from the `initial` W, or K and Q, with the head of the weights `given`. See `train`."""
    arrays = inputs.tokens, inputs.queries, inputs.labels.T, np.where(inputs.allowed, 0.0, -np.inf), given, *initial
    tokens, queries, labels, barrier, of_head, first, *second = (torch.tensor(x, device=device) for x in arrays)
    weights: FullWeights | FactoredWeights
    if second:
        weights = FactoredWeights(tokens, queries, first, second[0], rule.penalty)
    else:
        weights = FullWeights(tokens, queries, first)
    values, reader = head(of_head).embed(tokens.permute(1, 2, 3, 0).contiguous())
    barrier = barrier.permute(1, 2, 0)
    weight_log, largest, loss, norms, slot = [], [], [], [], 0
    for step in range(steps[-1] + 1):
        at = evaluate(weights.logits() + barrier, values, labels, reader)
        gradient = at.direction if rule.rescaled else at.logit_gradient
        if step == steps[slot]:
            weight_log.append(weights.weights())
            largest.append(at.probabilities.amax(1).mean(0))
            loss.append(at.loss)
            undo = at.log_factor.exp() if rule.rescaled else 1.0
            norms.append(norm_of(weights.gradient(gradient)) * undo)
            slot += 1
        if step < steps[-1]:
            weights.step(gradient, rule)
    final = at.probabilities.permute(2, 0, 1).contiguous()
    logs = [torch.stack(x, 1) for x in (weight_log, largest, loss, norms)]
    return Log(steps, *(x.cpu().numpy() for x in (*logs, final)))


@dataclass(frozen=True)
class Pass:
    """One forward and backward pass: the loss L, and its derivative with respect to the logits.

    L = mean_i log(1 + exp(−Y_i f_i)) with f_i = readout(Σ_t p_it values_it) and p_i = softmax of the logits of input i.
    As the softmax saturates, ∂L/∂logits falls like exp(−gap) with the smallest gap between a winning logit and another,
    and underflows long before its direction is lost. That factor is therefore kept apart, as a logarithm.

    Attributes:
        loss: (S,).
        probabilities: (n, T, S).
        direction: (n, T, S), ∂L/∂logits divided by exp(log_factor); free of underflow.
        log_factor: (S,), the logarithm of the largest probability of a token that does not win its input.
    """

    loss: torch.Tensor
    probabilities: torch.Tensor
    direction: torch.Tensor
    log_factor: torch.Tensor

    @property
    def logit_gradient(self) -> torch.Tensor:
        """∂L/∂logits (n, T, S)."""
        return self.direction * self.log_factor.exp()


def evaluate(logits: torch.Tensor, values: torch.Tensor, labels: torch.Tensor, head: Head) -> Pass:
    """Loss and ∂L/∂logits at logits (n, T, S), for values (n, T, p, S) and labels (n, S)."""
    n = len(labels)
    values = values.movedim(3, 1)  # (n, S, T, p): the softmax runs along the last axis but for the values'
    row = softmax(logits.mT)
    output, slope = head.readout((row.p[..., None] * values).sum(2).mT)
    margin = labels * output
    loss = torch.nn.functional.softplus(-margin).mean(0)
    loss_slope = torch.sigmoid(-margin).mul_(labels).mul_(-1.0 / n)
    direction, own = derivative(row, (values * slope.mT[:, :, None]).sum(3))
    log_factor = own.amax(0)
    direction = direction * ((own - log_factor).exp() * loss_slope[..., None])
    return Pass(loss, row.p.mT, direction.mT, log_factor[:, 0])


class FullWeights:
    """W (S, d, d) trained directly.

    Every gradient is a combination of the matrices x_it z_iᵀ, so W(k) = W(0) − Σ_it u_it x_it z_iᵀ and the logits
    follow u through the Gram matrix of those matrices: (nT)² operations a step whatever d, against about 2nd(d + T).
    From LARGE numbers in the tokens of an instance on, where that matrix would fill the memory of the device, they
    follow the combination itself.
    """

    def __init__(self, tokens: torch.Tensor, queries: torch.Tensor, W: torch.Tensor):
        S, n, T, _ = tokens.shape
        self.tokens, self.queries, self.initial = tokens, queries, W
        self.shape = (n, T, S)
        self._logits = self._logits_of(W).contiguous()
        self.moved = torch.zeros_like(self._logits)

    def _logits_of(self, W: torch.Tensor) -> torch.Tensor:
        """x_itᵀ W z_i, (nT, S)."""
        logits = (self.tokens @ (self.queries @ W.mT).unsqueeze(-1)).squeeze(-1)
        return logits.permute(1, 2, 0).reshape(-1, len(W))

    @cached_property
    def gram(self) -> torch.Tensor:
        """⟨x_it z_iᵀ, x_js z_jᵀ⟩, (nT, nT, S)."""
        flat, T = self.tokens.flatten(1, 2), self.shape[1]
        likeness = (self.queries @ self.queries.mT).repeat_interleave(T, 1).repeat_interleave(T, 2)
        return (flat @ flat.mT).mul_(likeness).permute(1, 2, 0).contiguous()

    def logits(self) -> torch.Tensor:
        """The attention logits (n, T, S) at the present weights."""
        return self._logits.view(self.shape)

    def step(self, logit_gradient: torch.Tensor, rule: GradientDescent) -> None:
        """Move the weights by one step of `rule`."""
        u = logit_gradient.reshape(self._logits.shape)
        large = self.tokens[0].numel() >= LARGE
        change = self._logits_of(self.combination(u)) if large else (self.gram * u).sum(1)
        norm = (change * u).sum(0).clamp_(min=0).sqrt_()
        scale = rule.scale(norm)
        self._logits -= change.mul_(scale)
        self.moved += u * scale

    def combination(self, coefficients: torch.Tensor) -> torch.Tensor:
        """Σ_it coefficients_it x_it z_iᵀ, (S, d, d), for coefficients (nT, S)."""
        return torch.einsum("nts,sntd,sne->sde", coefficients.view(self.shape), self.tokens, self.queries)

    def gradient(self, logit_gradient: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """The gradient of the training objective with respect to each factor, (S, ·, ·) each."""
        return (self.combination(logit_gradient.reshape(self._logits.shape)),)

    def weights(self) -> torch.Tensor:
        """The combined matrix W (S, d, d)."""
        return self.initial - self.combination(self.moved)


class FactoredWeights:
    """W = K Qᵀ with K, Q (S, d, m); `penalty`·(‖K‖² + ‖Q‖²) is added to the loss, as published. Methods as above.

    Products are written as sums of elementwise products with the instances last: batched matrix products round
    differently with the size of the batch, and descent from a small (K, Q) amplifies that.
    """

    def __init__(self, tokens: torch.Tensor, queries: torch.Tensor, K: torch.Tensor, Q: torch.Tensor, penalty: float):
        self.tokens = tokens.permute(1, 2, 3, 0).contiguous()  # (n, T, d, S)
        self.queries = queries.permute(1, 2, 0).contiguous()  # (n, d, S)
        self.K, self.Q = (factor.permute(1, 2, 0).contiguous() for factor in (K, Q))  # (d, m, S)
        self.penalty = penalty
        self._projected = self._project()

    def _project(self):
        """Qᵀz (n, m, S) at the present Q. Logits and gradient both need it, so each step leaves it ready."""
        return (self.queries.unsqueeze(2) * self.Q).sum(1)

    def logits(self):
        directions = (self.K * self._projected.unsqueeze(1)).sum(2)
        return (self.tokens * directions.unsqueeze(1)).sum(2)

    def _gradient(self, logit_gradient):
        mixed = (logit_gradient.unsqueeze(2) * self.tokens).sum(1)  # Xᵀ ∂L/∂logits, (n, d, S)
        grad_K = (mixed.unsqueeze(2) * self._projected.unsqueeze(1)).sum(0)
        mixed_keys = (mixed.unsqueeze(2) * self.K).sum(1)  # (n, m, S)
        grad_Q = (self.queries.unsqueeze(2) * mixed_keys.unsqueeze(1)).sum(0)
        return grad_K.add_(self.K, alpha=2 * self.penalty), grad_Q.add_(self.Q, alpha=2 * self.penalty)

    def gradient(self, logit_gradient):
        return tuple(gradient.permute(2, 0, 1) for gradient in self._gradient(logit_gradient))

    def step(self, logit_gradient, rule):
        for factor, gradient in zip((self.K, self.Q), self._gradient(logit_gradient), strict=True):
            factor -= gradient * rule.scale(gradient.square().sum((0, 1)).sqrt())
        self._projected = self._project()

    def weights(self):
        return torch.einsum("ams,bms->sab", self.K, self.Q)


def norm_of(gradients: tuple[torch.Tensor, ...]) -> torch.Tensor:
    """Frobenius norm (S,) of the gradients of all factors together."""
    return torch.stack([g.square().sum((1, 2)) for g in gradients]).sum(0).sqrt()
