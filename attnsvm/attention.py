"""Loss of one attention layer and its derivative with respect to the attention logits.

L = mean_i log(1 + exp(−Y_i f_i)) with f_i = readout(Σ_t p_it values_it) and p_i = softmax of the logits of input i.
Every parametrisation gets its gradient from ∂L/∂logits by the chain rule. Instances are the last axis.
"""

from dataclasses import dataclass

import torch

from attnsvm.heads import Head


@dataclass(frozen=True)
class Pass:
    """One forward and backward pass: loss (S,), probabilities (n, T, S), ∂L/∂logits (n, T, S)."""

    loss: torch.Tensor
    probabilities: torch.Tensor
    logit_gradient: torch.Tensor


def evaluate(logits: torch.Tensor, values: torch.Tensor, labels: torch.Tensor, head: Head) -> Pass:
    """Loss and ∂L/∂logits at logits (n, T, S), for values (n, T, p, S) and labels (n, S)."""
    n = len(labels)
    probabilities = torch.softmax(logits, dim=1)
    mixed = (probabilities.unsqueeze(2) * values).sum(1)
    output, slope = head.readout(mixed)
    margin = labels * output
    loss = torch.nn.functional.softplus(-margin).mean(0)
    loss_slope = torch.sigmoid(-margin).mul_(labels).mul_(-1.0 / n)
    token_slope = (values * slope.unsqueeze(1)).sum(2)
    mean_slope = (probabilities * token_slope).sum(1, keepdim=True)
    logit_gradient = token_slope.sub_(mean_slope).mul_(probabilities).mul_(loss_slope.unsqueeze(1))
    return Pass(loss, probabilities, logit_gradient)
