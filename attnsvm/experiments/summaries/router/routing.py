"""A router on the tape: scores x_tᵀ W z, a selector that chooses by them, and what the selector adds to the loss.

A router is plain attention with one thing changed:

entropy    the loss has `entropy` times the mean entropy of the softmax added; a negative number rewards entropy.
dirichlet  it has `dirichlet` times the mean of Σ_t log p_t added: minus the log density of a Dirichlet prior, its
           concentration 1 − dirichlet, which favours few tokens.
gumbel     straight through: the token of largest score plus Gumbel noise is the output; the gradient is that of the
           softmax of the noisy scores. New noise in every step.
dropout    in training every weight of the softmax is zero with this probability, the others are divided by one minus
           it. New zeros in every step.
"""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from attnsvm.data.problems import Problems
from attnsvm.experiments.summaries.router.noise import Noise
from attnsvm.training import softmax as arrays
from attnsvm.training.optimisers.gradient_descent import exact
from attnsvm.training.tape import descent
from attnsvm.training.tape.attention import entropy, log_softmax, scores, softmax, straight_through
from attnsvm.training.tape.descent import Arrays, Nodes
from attnsvm.training.tape.losses import logistic
from attnsvm.training.tape.node import Node, mean


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
    log = descent.descend(
        partial(loss, router=router), {"W": W}, inputs(problems, router), exact(learning_rate), kept[-1], kept
    )
    along = problems.queries[:, None] @ log.weights["W"].swapaxes(2, 3)
    at = arrays.softmax(np.einsum("sntd,slnd->slnt", problems.tokens, along))
    return {"weights": log.weights["W"], "largest": at.p.max(3).mean(2), "selected": at.winner[:, -1, :, 0]}


def loss(weights: Nodes, inputs: Nodes, router: Router) -> Node:
    """The loss of one instance, of W (d, d) and of what `inputs` gives."""
    logits = scores(inputs["tokens"], weights["W"], inputs["queries"])
    if router.temperature:
        logits = (logits + inputs["noise"]) * (1.0 / router.temperature)
    p = softmax(logits)
    chosen = straight_through(p) if router.temperature else p
    found = logistic(inputs["labels"], (chosen @ inputs["values"])[:, 0, 0])
    if router.entropy:
        found = found + mean(entropy(p)) * router.entropy
    if router.dirichlet:
        found = found + mean(log_softmax(logits)) * (router.dirichlet * logits.shape[-1])
    return found


def inputs(problems: Problems, router: Router) -> Arrays | Callable[[int, np.ndarray], Arrays]:
    """tokens (S, n, T, d), queries (S, n, 1, d), labels (S, n), values vᵀx_it (S, n, T, 1) and noise (S, n, 1, T)."""
    fixed = {
        "tokens": problems.tokens,
        "queries": problems.queries[:, :, None],
        "labels": problems.labels,
        "values": problems.tokens @ problems.head[:, None, :, None],
    }
    if not (router.temperature or router.dropout):
        return fixed
    shape = problems.tokens.shape[1:3]
    gumbel, uniform = (Noise(problems.seeds, shape, kind) for kind in ("gumbel", "random"))

    def now(step: int, places: np.ndarray) -> dict[str, np.ndarray]:
        given = {name: x[places] for name, x in fixed.items()}
        if router.temperature:
            given["noise"] = gumbel(step, places)[:, :, None]
        if router.dropout:  # dropping a weight is setting its value to zero: the softmax itself does not change
            given["values"] *= (uniform(step, places) >= router.dropout)[..., None] / (1.0 - router.dropout)
        return given

    return now
