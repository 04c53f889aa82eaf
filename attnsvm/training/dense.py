"""The same descent where matrix products dominate: one instance at a time, its products by BLAS.

A group of lanes streams the tokens of all its instances through memory at every step. From a few ten thousand numbers
per instance on it pays to do all steps of one instance while its tokens lie in the cache. The arithmetic is that of
on_device.py, its sums in another order. Instances run side by side on the threads of the job.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from attnsvm.data.inputs import Inputs
from attnsvm.training import threads
from attnsvm.training.heads.base import Head
from attnsvm.training.log import Log
from attnsvm.training.optimisers.gradient_descent import GradientDescent
from attnsvm.training.softmax import derivative, softmax

LARGE = 2**15  # numbers in the tokens of an instance, N·T·d, from which on it descends alone


class Pass(NamedTuple):
    """See `on_device.Pass`; one instance. `outputs`: (N,), f_i."""

    outputs: np.ndarray
    probabilities: np.ndarray
    direction: np.ndarray
    log_factor: float


def run(
    inputs: Inputs,
    head: Callable[..., Head],
    given: np.ndarray,
    initial: tuple[np.ndarray, ...],
    rule: GradientDescent,
    steps: np.ndarray,
) -> Log:
    """Descend from the `initial` W, or K and Q, with the head of the weights `given`. See `train`."""
    barrier = np.where(inputs.allowed, 0.0, -np.inf)

    def descend(s: int) -> Log:
        arrays = inputs.tokens[s], inputs.queries[s], inputs.labels[s], barrier[s]
        return _one(*arrays, head(given[s : s + 1]), [x[s].copy() for x in initial], rule, steps)

    return Log.joined(threads.each(descend, range(len(inputs.tokens))))


def _one(X, Z, Y, barrier, head, factors, rule, steps) -> Log:
    values, head = head.embed(X[..., None])
    values = np.ascontiguousarray(values[..., 0])
    whole = len(factors) == 1  # W, and not K and Q
    logits_at, gradients_at = (_logits_W, _gradients_W) if whole else (_logits_KQ, _gradients_KQ)
    weights, largest, loss, norms, slot = [], [], [], [], 0
    for step in range(steps[-1] + 1):
        at = _evaluate(logits_at(X, Z, *factors) + barrier, values, Y, head)
        factor = 1.0 if rule.rescaled else np.exp(at.log_factor)
        # W takes the factor with its step: the norm of its gradient does not underflow. K and Q have a penalty to add.
        now, later = (1.0, factor) if whole else (factor, 1.0)
        gradients = gradients_at((now * at.direction[:, None] @ X)[:, 0], Z, rule.penalty, *factors)
        sizes = [np.linalg.norm(gradient) for gradient in gradients]
        if step == steps[slot]:
            undo = np.exp(at.log_factor) if rule.rescaled or whole else 1.0
            weights.append(factors[0].copy() if whole else factors[0] @ factors[1].T)
            largest.append(at.probabilities.max(1).mean())
            loss.append(np.logaddexp(0.0, -Y * at.outputs).mean())
            norms.append(undo * np.sqrt(sum(size**2 for size in sizes)))
            slot += 1
        for f, gradient, size in zip(factors, gradients, sizes, strict=True):
            f -= rule.scale(size, later) * gradient
    logs = (np.array(x)[None] for x in (weights, largest, loss, norms, at.probabilities))
    return Log(steps, *logs)


def _evaluate(logits, values, Y, head) -> Pass:
    row = softmax(logits)
    outputs, slope = (x[..., 0] for x in head.readout((row.p[:, None] @ values)[:, 0, :, None]))
    direction, own = derivative(row, (values @ slope[..., None])[..., 0])
    log_factor = own.max()
    weight = -Y / (len(Y) * (1 + np.exp(Y * outputs)))
    return Pass(outputs, row.p, direction * (np.exp(own - log_factor) * weight[:, None]), log_factor)


def _logits_W(X, Z, W):
    return (X @ (Z @ W.T)[..., None])[..., 0]


def _gradients_W(mixed, Z, penalty, W):
    return [mixed.T @ Z]


def _logits_KQ(X, Z, K, Q):
    return (X @ (Z @ Q @ K.T)[..., None])[..., 0]


def _gradients_KQ(mixed, Z, penalty, K, Q):
    return [mixed.T @ (Z @ Q) + 2 * penalty * K, Z.T @ (mixed @ K) + 2 * penalty * Q]
