"""Gradient descent over a whole batch of attention problems at once, in float64.

An instance's problem and initial weights depend on its seed alone, and its arithmetic never on its place in the batch:
the result is the same to the bit however a batch is cut. On the processor the loop is compiled (kernels.py); on another
device it is the same arithmetic in torch, which is also what the compiled loop is tested against.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import torch

from attnsvm.training import kernels
from attnsvm.training.loss import evaluate
from attnsvm.inputs import ATTENTIONS, Inputs
from attnsvm.training.spans import Coordinates
from attnsvm.training.heads import Head
from attnsvm.training.weights import FactoredWeights, FullWeights, Parametrisation, draw_initial, normal, uniform
from attnsvm.problems import Problems
from attnsvm.training.steps import Rule

PIECE = 256  # instances prepared at once: bounds the memory beyond the log


@dataclass(frozen=True)
class Log:
    """What a batch of runs left behind. Step k means: after k updates. N is the number of queries of an instance.

    Attributes:
        steps: (L,) the logged steps.
        weights: (S, L, d, d), W or K Qᵀ at the logged steps.
        largest: (S, L), mean over the queries of the largest softmax probability, at the logged steps.
        loss: (S, L), the logistic loss without penalty.
        gradient_norm: (S, L), Frobenius norm of the gradient of the training objective, all factors together.
        probabilities: (S, N, T), the softmax after the last step.
    """

    steps: np.ndarray
    weights: np.ndarray
    largest: np.ndarray
    loss: np.ndarray
    gradient_norm: np.ndarray
    probabilities: np.ndarray

    def __getitem__(self, index) -> "Log":
        """The runs at `index`; the steps stay."""
        return Log(self.steps, **{k: v[index] for k, v in vars(self).items() if k != "steps"})


def logged_steps(steps: int, every: int) -> np.ndarray:
    """Every `every`-th step counted back from the last one, so that the last is always logged."""
    return np.arange(steps % every, steps + 1, every)


def logarithmic_steps(steps: int, points: int) -> np.ndarray:
    """About `points` steps from 1 to `steps`, equally spaced on a logarithmic axis, none twice."""
    return np.unique(np.geomspace(1, steps, points).round().astype(int))


def full_weights(tokens, queries, seeds, start, rule: Rule, m: int | None = None) -> FullWeights:
    """W from U(−1/√d, 1/√d) entries, from zero, or as given."""
    if not isinstance(start, str):
        return FullWeights(tokens, queries, torch.from_numpy(start).to(tokens))
    d = tokens.shape[-1]
    W = draw_initial("W", seeds, uniform((d, d), d)).to(tokens.device)
    return FullWeights(tokens, queries, torch.zeros_like(W) if start == "zero" else W)


def factored_weights(tokens, queries, seeds, start, rule: Rule, m: int | None = None) -> FactoredWeights:
    """(K, Q), both from U(−1/√d, 1/√d), or from Q = 0 and K = 0.1·N(0, 1); the rule's penalty."""
    if not isinstance(start, str):
        raise ValueError("start: expected 'uniform' or 'zero' for (K, Q), got an array of weights")
    d = tokens.shape[-1]
    m = d if m is None else m
    if start == "zero":
        K = 0.1 * draw_initial("KQ", seeds, normal((d, m)))
        Q = torch.zeros_like(K)
    else:
        K, Q = draw_initial("KQ", seeds, uniform((2, d, m), d)).unbind(1)
    return FactoredWeights(tokens, queries, K.to(tokens.device), Q.to(tokens.device), rule.penalty)


PARAMETRISATIONS = {"W": full_weights, "KQ": factored_weights}


def train(
    problems: Problems,
    head: Callable[[torch.Tensor], Head],
    parametrisation: str,
    rule: Rule,
    steps: int,
    every: int | np.ndarray,
    start: str | np.ndarray = "uniform",
    attention: str = "cross",
    m: int | None = None,
    device: str = "cpu",
    progress: Callable[[int], None] = lambda done: None,
) -> Log:
    """Train every problem for `steps` updates.

    Args:
        problems: the batch, S problems of one shape.
        head: builds the prediction head from its weights (S, ...).
        parametrisation: "W" or "KQ".
        rule: the step rule.
        steps: number of updates, at least 1.
        every: distance between logged steps, counted back from the last one; or the steps themselves, increasing and
            ending with `steps`.
        start: "uniform" (every weight U(−1/√d, 1/√d)), "zero" (W = 0; Q = 0 and K = 0.1·N(0, 1)), or the initial W
            (S, d, d) where W is trained.
        attention: "cross", "self", "sequence" or "causal".
        m: columns of K and Q, at most d; None: d. Of no meaning when W is trained.
        device: "cpu" for the compiled loop, or a torch device such as "cuda".
        progress: called with the number of instances finished since the last call.
    """
    kept = logged_steps(steps, every) if np.isscalar(every) else np.asarray(every)
    run = _compiled if device == "cpu" else _in_torch
    pieces = []
    given = None if isinstance(start, str) else np.asarray(start, dtype=float)
    for size, padded, index in _pieces(problems):
        inputs = ATTENTIONS[attention](padded)
        tokens, queries = (torch.from_numpy(x).to(device) for x in (inputs.tokens, inputs.queries))
        built_head = head(torch.from_numpy(padded.head).to(device))
        values = built_head.values(tokens.permute(1, 2, 3, 0).contiguous())
        weights = PARAMETRISATIONS[parametrisation](
            tokens, queries, padded.seeds, start if given is None else given[index], rule, m
        )
        pieces.append(run(inputs, built_head, values, weights, rule, kept)[:size])
        progress(size)
    rest = {k: np.concatenate([getattr(p, k) for p in pieces]) for k in vars(pieces[0]) if k != "steps"}
    return Log(kept, **rest)


def _pieces(problems: Problems) -> Iterator[tuple[int, Problems, np.ndarray]]:
    """Parts of a batch: size, problems filled up to whole groups of lanes, and their places in the batch.

    An empty batch is one empty part.
    """
    for start in range(0, max(len(problems), 1), PIECE):
        size = min(PIECE, len(problems) - start)
        filled = -(-size // kernels.LANES) * kernels.LANES
        index = start + np.minimum(np.arange(filled), size - 1)
        yield size, problems[index], index


@torch.inference_mode()
def _in_torch(inputs: Inputs, head: Head, values, weights: Parametrisation, rule: Rule, kept) -> Log:
    labels = torch.from_numpy(inputs.labels).to(values.device).T.contiguous()
    barrier = torch.from_numpy(np.where(inputs.allowed, 0.0, -np.inf)).to(values.device).unsqueeze(-1)
    weight_log, largest, loss, norms, slot = [], [], [], [], 0
    for step in range(kept[-1] + 1):
        at = evaluate(weights.logits() + barrier, values, labels, head)
        gradient = at.direction if rule.rescaled else at.logit_gradient
        if step == kept[slot]:
            weight_log.append(weights.weights())
            largest.append(at.probabilities.amax(1).mean(0))
            loss.append(at.loss)
            undo = at.log_factor.exp() if rule.rescaled else 1.0
            norms.append(weights.gradient_norm(gradient) * undo)
            slot += 1
        if step < kept[-1]:
            weights.step(gradient, rule)
    final = at.probabilities.permute(2, 0, 1).contiguous()
    logs = [torch.stack(x, 1) for x in (weight_log, largest, loss, norms)]
    return Log(kept, *(x.cpu().numpy() for x in (*logs, final)))


def _compiled(inputs: Inputs, head: Head, values, weights: Parametrisation, rule: Rule, kept) -> Log:
    S, N, T, d = inputs.tokens.shape
    groups, L, lanes = S // kernels.LANES, len(kept), kernels.LANES
    largest, loss, norms = (np.zeros((groups, L, lanes)) for _ in range(3))
    probabilities = np.empty((groups, N, T, lanes))
    problem = (
        np.where(inputs.allowed, 0.0, -np.inf),
        _pack(values),
        _pack(inputs.labels.T),
        kernels.HEADS[head.name],
        _pack(head.v),
        head.penalty,
        kept,
    )
    step = rule.learning_rate, rule.epsilon or 0.0, rule.epsilon is not None, rule.rescaled
    logs = largest, loss, norms, probabilities
    if isinstance(weights, FullWeights):
        moved = np.empty((groups, L, N * T, lanes))
        structured = N * T * d * 2 + N * N * d < (N * T) ** 2  # multiplications of the two ways
        gram = _pack(weights.gram) if not structured else np.empty((groups, 0, 0, lanes))
        tokens = _pack(np.moveaxis(inputs.tokens, 0, -1)) if structured else np.empty((groups, 0, 0, 0, lanes))
        likeness = _pack(np.moveaxis(inputs.queries @ inputs.queries.swapaxes(1, 2), 0, -1))
        kernels.full(structured, gram, tokens, likeness, _pack(weights.logits()), *problem, *step, moved, *logs)
        W = weights.initial.numpy()[:, None] - _combinations(inputs, _unpack(moved))
    else:
        K, Q = (np.moveaxis(factor.numpy(), -1, 0) for factor in (weights.K, weights.Q))
        basis = Coordinates.of(inputs.tokens, inputs.queries, K, Q, move=weights.penalty == 0)
        moving = inputs.tokens @ basis.P[:, None], inputs.queries @ basis.R, *basis.factors()
        factors = np.empty((groups, L, basis.P.shape[2] + basis.R.shape[2], basis.V.shape[2], lanes))
        state = [_pack(np.moveaxis(x, 0, -1)) for x in moving]
        kernels.factored(*state, weights.penalty, *problem, *step, factors, *logs)
        W = basis.product(_unpack(factors))
    return Log(kept, W, *(_unpack(x) for x in logs))


def _pack(array) -> np.ndarray:
    """(..., S) as (S / LANES, ..., LANES)."""
    array = np.asarray(array)
    split = array.reshape(*array.shape[:-1], array.shape[-1] // kernels.LANES, kernels.LANES)
    return np.ascontiguousarray(np.moveaxis(split, -2, 0))


def _unpack(array: np.ndarray) -> np.ndarray:
    """(S / LANES, ..., LANES) as (S, ...)."""
    return np.moveaxis(array, -1, 1).reshape(len(array) * kernels.LANES, *array.shape[1:-1])


def _combinations(inputs: Inputs, coefficients: np.ndarray) -> np.ndarray:
    """Σ_it coefficients_it x_it z_iᵀ, (S, L, d, d), for coefficients (S, L, N·T)."""
    S, N, T, d = inputs.tokens.shape
    outer = inputs.tokens[..., None] * inputs.queries[:, :, None, None, :]
    return (coefficients @ outer.reshape(S, N * T, d * d)).reshape(S, coefficients.shape[1], d, d)
