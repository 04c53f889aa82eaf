"""Gradient descent over a whole batch of attention problems at once.

All instances advance together, in float64 and in pieces small enough to stay in the processor's cache. An instance's
problem and initial weights depend on its seed alone, never on its place in the batch.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import torch

from attnsvm.attention import evaluate
from attnsvm.heads import Head
from attnsvm.parametrisations import (
    FactoredWeights,
    FullWeights,
    Parametrisation,
    draw_initial,
    normal,
    uniform,
)
from attnsvm.problems import Problems
from attnsvm.rules import EPSILON, Rule

LANES = 32  # pieces are padded to whole groups of vector registers: then an instance rounds alike in every batch
CACHE_BYTES = 2 << 20  # of the arrays one step reads; a common second-level cache


@dataclass(frozen=True)
class Log:
    """What a batch of runs left behind. Step k means: after k updates.

    Attributes:
        steps: (L,) the logged steps.
        weights: (S, L, d, d), W or K Qᵀ at the logged steps.
        largest: (S, L), mean over the inputs of the largest softmax probability, at the logged steps.
        loss: (S, L), the logistic loss without penalty.
        gradient_norm: (S, L), Frobenius norm of the gradient of the training objective, all factors together.
        probabilities: (S, n, T), the softmax after the last step.
    """

    steps: np.ndarray
    weights: np.ndarray
    largest: np.ndarray
    loss: np.ndarray
    gradient_norm: np.ndarray
    probabilities: np.ndarray

    def arrays(self) -> dict[str, np.ndarray]:
        return dict(vars(self))

    def __getitem__(self, index) -> "Log":
        """The runs at `index`; the steps stay."""
        return Log(self.steps, **{k: v[index] for k, v in vars(self).items() if k != "steps"})


def logged_steps(steps: int, every: int) -> np.ndarray:
    """Every `every`-th step counted back from the last one, so that the last is always logged."""
    return np.arange(steps % every, steps + 1, every)


def full_weights(tokens, queries, seeds, start: str) -> FullWeights:
    """W from U(−1/√d, 1/√d) entries, or from zero."""
    d = tokens.shape[-1]
    W = draw_initial("W", seeds, uniform((d, d), d))
    return FullWeights(tokens, queries, torch.zeros_like(W) if start == "zero" else W)


def factored_weights(tokens, queries, seeds, start: str) -> FactoredWeights:
    """(K, Q), both from U(−1/√d, 1/√d), or from Q = 0 and K = 0.1·N(0, 1); the published penalty."""
    d = tokens.shape[-1]
    if start == "zero":
        K = 0.1 * draw_initial("KQ", seeds, normal((d, d)))
        Q = torch.zeros_like(K)
    else:
        K, Q = draw_initial("KQ", seeds, uniform((2, d, d), d)).unbind(1)
    return FactoredWeights(tokens, queries, K.contiguous(), Q.contiguous(), penalty=EPSILON)


PARAMETRISATIONS = {"W": full_weights, "KQ": factored_weights}


def train(
    problems: Problems,
    head: Callable[[torch.Tensor], Head],
    parametrisation: str,
    rule: Rule,
    steps: int,
    every: int,
    start: str = "uniform",
    progress: Callable[[int], None] = lambda done: None,
) -> Log:
    """Train every problem for `steps` updates and log every `every`-th step.

    Args:
        problems: the batch, S problems of one shape.
        head: builds the prediction head from its weights (S, ...).
        parametrisation: "W" or "KQ".
        rule: the step rule.
        steps: number of updates, at least 1.
        every: distance between logged steps; the last step is always logged.
        start: "uniform" (every weight U(−1/√d, 1/√d)) or "zero" (W = 0; Q = 0 and K = 0.1·N(0, 1)).
        progress: called with the number of instances finished since the last call.
    """
    pieces = []
    for part in _pieces(problems):
        padded = part[np.minimum(np.arange(-(-len(part) // LANES) * LANES), len(part) - 1)]
        log = _train_piece(padded, head, PARAMETRISATIONS[parametrisation], rule, steps, every, start)
        pieces.append(log[: len(part)])
        progress(len(part))
    rest = {k: np.concatenate([getattr(p, k) for p in pieces]) for k in vars(pieces[0]) if k != "steps"}
    return Log(pieces[0].steps, **rest)


def _pieces(problems: Problems) -> Iterator[Problems]:
    """Cut a batch so that what one step reads stays in the cache; an empty batch is one empty piece."""
    _, n, T, d = problems.tokens.shape
    bytes_per_instance = 8 * (2 * (n * T) ** 2 + 3 * n * T * d)
    size = LANES * max(1, CACHE_BYTES // bytes_per_instance // LANES)
    for start in range(0, max(len(problems), 1), size):
        yield problems[start : start + size]


@torch.inference_mode()
def _train_piece(problems, build_head, build, rule, steps, every, start) -> Log:
    as_tensor = torch.from_numpy
    tokens, queries = as_tensor(problems.tokens), as_tensor(problems.queries)
    labels = as_tensor(problems.labels).T.contiguous()
    head = build_head(as_tensor(problems.head))
    values = head.values(tokens.permute(1, 2, 3, 0).contiguous())
    weights: Parametrisation = build(tokens, queries, problems.seeds, start)

    S, d = len(tokens), tokens.shape[-1]
    kept = logged_steps(steps, every)
    log_weights = torch.empty((S, len(kept), d, d), dtype=torch.float64)
    largest, loss, gradient_norm = (torch.empty((S, len(kept)), dtype=torch.float64) for _ in range(3))
    slot = 0
    for step in range(steps + 1):
        at = evaluate(weights.logits(), values, labels, head)
        if step == kept[slot]:
            log_weights[:, slot] = weights.weights()
            largest[:, slot] = at.probabilities.amax(1).mean(0)
            loss[:, slot] = at.loss
            gradient_norm[:, slot] = weights.gradient_norm(at.logit_gradient)
            slot += 1
        if step < steps:
            weights.step(at.logit_gradient, rule)
    final = at.probabilities.permute(2, 0, 1).contiguous()
    return Log(kept, *(x.numpy() for x in (log_weights, largest, loss, gradient_norm, final)))
