"""The descent loop in torch: on any device. The compiled loop is tested against it."""

from collections.abc import Callable

import numpy as np
import torch

from attnsvm.data.inputs import Inputs
from attnsvm.training.heads.base import Head
from attnsvm.training.log import Log
from attnsvm.training.loss import evaluate
from attnsvm.training.rules.gradient_descent import GradientDescent
from attnsvm.training.weights import LARGE, FactoredWeights, FullWeights, norm_of

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
