"""Descent on a router: scores x_tᵀ W z, a selector that makes a choice of them, and what it adds to the loss.

A router is plain attention with one thing changed:

entropy    the loss has `entropy` times the mean entropy of the softmax added; a negative number rewards entropy.
dirichlet  it has `dirichlet` times the mean of Σ_t log p_t added: minus the log density of a Dirichlet prior, its
           concentration 1 − dirichlet, which favours few tokens.
gumbel     straight through: the token of largest score plus Gumbel noise is the output; the gradient is that of the
           softmax of the noisy scores. New noise in every step.
dropout    in training every weight of the softmax is zero with this probability, the others are divided by one minus
           it. New zeros in every step.

Steps are normalised. As the softmax saturates, the gradients of loss and entropy fall like exp(−gap): that factor is
kept apart as a logarithm, so that no step ends because of rounding. The gradient of the Dirichlet form does not fall.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from attnsvm.problems import Problems

NOISE_STREAM = 40127  # keeps the noise apart from the data drawn with the same seed
DRAWN_AT_ONCE = 50  # steps whose noise is drawn together
SMALLEST = 1e-140  # as in lanes.slopes: below it the square of a norm underflows


class Router(NamedTuple):
    """See above.

    Attributes:
        entropy, dirichlet: multiples of what is added to the loss.
        temperature: of the softmax of noisy scores; zero: no noise.
        dropout: a probability below one.
    """

    entropy: float = 0.0
    dirichlet: float = 0.0
    temperature: float = 0.0
    dropout: float = 0.0


def descend(problems: Problems, router: Router, W: np.ndarray, learning_rate: float, kept: np.ndarray) -> dict:
    """Normalised descent from W (S, d, d).

    Args:
        kept: (L,) the steps to log, rising; the last one ends the descent.

    Returns:
        "weights" (S, L, d, d); "largest" (S, L), the mean over the inputs of the largest softmax probability without
        noise; "selected" (S, n), the hard choice after the last step: the token of largest score.
    """
    S, n, T, _ = problems.tokens.shape
    values = np.einsum("sntd,sd->snt", problems.tokens, problems.head)
    gram = _gram(problems)
    logits = np.einsum("sntd,snd->snt", problems.tokens, problems.queries @ W.swapaxes(1, 2))
    noise = _noise(problems.seeds, (n, T), "gumbel") if router.temperature else None
    drops = _noise(problems.seeds, (n, T), "random") if router.dropout else None
    moved = np.zeros((S, n, T))
    weights, largest, slot = [], [], 0
    for step in range(kept[-1] + 1):
        if step == kept[slot]:
            combined = np.einsum("snt,sntd,sne->sde", moved, problems.tokens, problems.queries, optimize=True)
            weights.append(W - combined)
            largest.append(_softmax(logits).max(2).mean(1))
            slot += 1
        if step == kept[-1]:
            break
        scores = logits if noise is None else (logits + next(noise)) / router.temperature
        # A weight that is dropped is a value that is zero: the softmax is not told.
        seen = values if drops is None else values * (next(drops) >= router.dropout) / (1.0 - router.dropout)
        u = direction(scores, seen, problems.labels, router)
        response = (gram @ u.reshape(S, n * T, 1)).reshape(S, n, T)
        size = np.sqrt(np.maximum((response * u).sum((1, 2), keepdims=True), 0.0))
        scale = learning_rate / (size + SMALLEST)
        logits = logits - scale * response
        moved += scale * u
    return {"weights": np.stack(weights, 1), "largest": np.stack(largest, 1), "selected": logits.argmax(2)}


def direction(scores: np.ndarray, values: np.ndarray, labels: np.ndarray, router: Router) -> np.ndarray:
    """The gradient with respect to the scores, (S, n, T), times a positive number for each instance.

    Args:
        scores: (S, n, T), with the noise and divided by the temperature, where there are any.
        values: (S, n, T), vᵀx_it; labels: (S, n).

    Everything is taken relative to the winning token: its own share is minus that of the others.
    """
    n, T = scores.shape[1:]
    winner = scores.argmax(2)[..., None]
    behind = scores - np.take_along_axis(scores, winner, 2)
    lost = behind.copy()
    np.put_along_axis(lost, winner, -np.inf, 2)
    # The Dirichlet form stays as large as it is: beside it nothing may be rescaled.
    factor = 0.0 if router.dirichlet else lost.max((1, 2), keepdims=True)
    p = np.exp(behind)
    log_total = np.log(p.sum(2, keepdims=True))
    p /= p.sum(2, keepdims=True)
    relative = values - np.take_along_axis(values, winner, 2)
    mean = (p * relative).sum(2)
    chosen = np.take_along_axis(values, winner, 2)[..., 0]
    output = chosen if router.temperature else chosen + mean  # straight through: of the hard choice
    slope = -labels / (n * (1.0 + np.exp(labels * output)))
    own = slope[..., None] * (relative - mean[..., None])
    if router.entropy:
        log_p = behind - log_total
        entropy = -(p * log_p).sum(2, keepdims=True)
        own = own - router.entropy / n * (log_p + entropy)
    result = np.exp(lost - factor - log_total) * own
    if router.dirichlet:
        result += router.dirichlet / n * (1.0 - T * p)
    np.put_along_axis(result, winner, 0.0, 2)
    np.put_along_axis(result, winner, -result.sum(2, keepdims=True), 2)
    return result


def _gram(problems: Problems) -> np.ndarray:
    """⟨x_it z_iᵀ, x_js z_jᵀ⟩, (S, nT, nT)."""
    S, n, T, d = problems.tokens.shape
    flat = problems.tokens.reshape(S, n * T, d)
    likeness = (problems.queries @ problems.queries.swapaxes(1, 2)).repeat(T, 1).repeat(T, 2)
    return (flat @ flat.swapaxes(1, 2)) * likeness


def _noise(seeds: np.ndarray, shape: tuple[int, int], kind: str) -> Iterator[np.ndarray]:
    """Numbers (S, n, T) for one step after the other, of a kind that NumPy draws: "gumbel", or "random" in [0, 1).

    Those of an instance follow from its seed alone.
    """
    draw: list[Callable] = [getattr(np.random.default_rng([NOISE_STREAM, s]), kind) for s in seeds.tolist()]
    while True:
        yield from np.stack([one(size=(DRAWN_AT_ONCE, *shape)) for one in draw], 1)


def _softmax(logits: np.ndarray) -> np.ndarray:
    p = np.exp(logits - logits.max(2, keepdims=True))
    return p / p.sum(2, keepdims=True)
