"""Losses, as the mean over all predictions of an instance: each has the slope whose logarithm does not underflow."""

import numpy as np

from attnsvm.training import softmax as arrays
from attnsvm.training.tape.node import Node, filled, logarithms
from attnsvm.training.tape.scaled import Scaled, by_entries, closed, from_log, tidy


def logistic(labels: np.ndarray | Node, outputs: Node) -> Node:
    """The mean of log(1 + exp(−Y f)), for labels ±1 of the shape of the outputs f.

    Raises:
        ValueError: their shapes do not fit.
    """
    Y = filled("labels", labels, outputs)
    margin = Y * outputs.value
    m, k = from_log(-np.logaddexp(0.0, margin))
    return _mean(outputs, np.logaddexp(0.0, -margin), -Y * m, k)


def squared(targets: np.ndarray | Node, outputs: Node) -> Node:
    """The mean of (f − y)², for targets y of the shape of the outputs f.

    Raises:
        ValueError: their shapes do not fit.
    """
    missing = outputs.value - filled("targets", targets, outputs)
    return _mean(outputs, missing**2, 2.0 * missing, np.zeros(missing.shape, dtype=np.int64))


def negative_log(u: Node, logs: np.ndarray | float = 0.0) -> Node:
    """The mean of −log u, for probabilities u with logarithms; each times exp(logs), (S, ...), that are not trained.

    Raises:
        ValueError: u has no logarithms.
    """
    m, k = from_log(logs - logarithms(u))
    return _mean(u, np.exp(logs) * -logarithms(u), -m, k)


def cross_entropy(targets: np.ndarray | Node, logits: Node) -> Node:
    """The mean of −log softmax(logits)_target, for logits (..., C) and the numbers of the targets (...).

    Raises:
        ValueError: the shapes do not fit, or a target is not among the classes.
    """
    target = _numbers(targets, logits)
    at = arrays.softmax(logits.value)
    losses = -np.take_along_axis(at.log, target, -1)

    def pull(g: Scaled) -> Scaled:
        m, k = from_log(at.log)
        m = m * _alone(g.m, m) / losses[0].size
        return closed(Scaled(m, k + _alone(g.k, k)), target)

    return Node(losses.reshape(len(losses), -1).mean(1), (logits, pull))


def weighted(loss: Node, logs: np.ndarray) -> Node:
    """A loss of each instance times exp(logs), (S,), which are not trained.

    Raises:
        ValueError: the loss is not one number for each instance.
    """
    if loss.shape:
        raise ValueError(f"loss: expected one number for each instance, got an array of the shape {loss.shape}")
    m, k = from_log(logs)
    return Node(loss.value * np.exp(logs), (loss, lambda g: tidy(Scaled(g.m * m, g.k + k))))


def _mean(at: Node, losses: np.ndarray, m: np.ndarray, k: np.ndarray) -> Node:
    """The mean over all entries, with slopes m·2^k."""
    count = losses[0].size

    def pull(g: Scaled) -> Scaled:
        return by_entries(tidy(Scaled(m * _alone(g.m, m) / count, k + _alone(g.k, k))))

    return Node(losses.reshape(len(losses), -1).mean(1), (at, pull))


def _alone(x: np.ndarray, like: np.ndarray) -> np.ndarray:
    """(S,) with axes of length one behind."""
    return x.reshape(len(x), *(1,) * (like.ndim - 1))


def _numbers(targets: np.ndarray | Node, logits: Node) -> np.ndarray:
    """The numbers of the targets as an index (S, ..., 1) into the last axis of the logits."""
    numbers = filled("targets", targets, Node(logits.value[..., 0])).astype(np.int64)[..., None]
    if numbers.min() < 0 or numbers.max() >= logits.shape[-1]:
        raise ValueError(f"targets: expected numbers from 0 to {logits.shape[-1] - 1}, got others")
    return numbers
