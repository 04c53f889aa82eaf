"""Loss of one attention layer and its derivative with respect to the attention logits.

L = mean_i log(1 + exp(−Y_i f_i)) with f_i = readout(Σ_t p_it values_it) and p_i = softmax of the logits of input i.
Every parametrisation gets its gradient from ∂L/∂logits by the chain rule. Instances are the last axis.

As the softmax saturates, ∂L/∂logits falls like exp(−gap) with the smallest gap between a winning logit and another, and
the gradient underflows long before its direction is lost. That factor is therefore kept apart, as a logarithm.
"""

from dataclasses import dataclass

import torch

from attnsvm.training.heads.base import Head


@dataclass(frozen=True)
class Pass:
    """One forward and backward pass.

    Attributes:
        loss: (S,).
        probabilities: (n, T, S).
        direction: (n, T, S), ∂L/∂logits divided by exp(log_factor); free of underflow.
        log_factor: (S,), minus the smallest amount by which a logit stays below the winning one of its input.
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
    probabilities = torch.softmax(logits, dim=1)
    mixed = (probabilities.unsqueeze(2) * values).sum(1)
    output, slope = head.readout(mixed)
    margin = labels * output
    loss = torch.nn.functional.softplus(-margin).mean(0)
    loss_slope = torch.sigmoid(-margin).mul_(labels).mul_(-1.0 / n)

    # Everything relative to the winning token: its own share is minus that of the others, without cancellation.
    winner = logits.argmax(1, keepdim=True)
    behind = (logits - logits.gather(1, winner)).scatter(1, winner, -torch.inf)
    log_factor = behind.amax((0, 1)).clamp(min=-1e300)
    token_slope = (values * slope.unsqueeze(1)).sum(2)
    token_slope = token_slope - token_slope.gather(1, winner)
    mean_slope = (probabilities * token_slope).sum(1, keepdim=True)
    weight = loss_slope.unsqueeze(1) * probabilities.gather(1, winner)
    direction = (behind - log_factor).exp().mul_(token_slope - mean_slope).mul_(weight)
    direction = direction.scatter(1, winner, -direction.sum(1, keepdim=True))
    return Pass(loss, probabilities, direction, log_factor)
