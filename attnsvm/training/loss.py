"""Loss of one attention layer and its derivative with respect to the attention logits.

L = mean_i log(1 + exp(−Y_i f_i)) with f_i = readout(Σ_t p_it values_it) and p_i = softmax of the logits of input i.
Every parametrisation gets its gradient from ∂L/∂logits by the chain rule. Instances are the last axis.

As the softmax saturates, ∂L/∂logits falls like exp(−gap) with the smallest gap between a winning logit and another, and
the gradient underflows long before its direction is lost. That factor is therefore kept apart, as a logarithm.
"""

from dataclasses import dataclass

import torch

from attnsvm.training.heads.base import Head
from attnsvm.training.softmax import derivative, softmax


@dataclass(frozen=True)
class Pass:
    """One forward and backward pass.

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
