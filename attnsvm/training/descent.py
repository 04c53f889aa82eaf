"""Gradient descent over a whole batch of attention problems at once, in float64.

An instance's problem and initial weights depend on its seed alone. On the processor the loop is compiled (compiled.py)
or, for large instances, made of matrix products (dense.py), on the threads of the job (threads.py). There the
arithmetic of an instance never depends on its place in the batch: the result is the same to the bit however a batch is
cut. On another device it is the same arithmetic in torch (on_device.py), against which the other two are tested.
"""

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from attnsvm.batch import LANES
from attnsvm.data.inputs import ATTENTIONS
from attnsvm.data.problems import Problems
from attnsvm.training import compiled, dense, threads
from attnsvm.training.heads.base import Head
from attnsvm.training.log import Log, logged_steps
from attnsvm.training.optimisers.protocol import Rule, check
from attnsvm.training.start import PARAMETRISATIONS

PIECE = 256  # instances prepared at once, or a group of lanes per thread: this bounds the memory beyond the log


def train(
    problems: Problems,
    head: Callable[..., Head],
    parametrisation: str,
    rule: Rule,
    steps: int,
    every: int | np.ndarray,
    start: str | np.ndarray | tuple[np.ndarray, np.ndarray] = "uniform",
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
        rule: one of `attnsvm.training.optimisers`; only gradient descent that no rule wraps runs on another device.
        steps: number of updates, at least 1.
        every: distance between logged steps, counted back from the last one; or the steps themselves, increasing and
            ending with `steps`.
        start: "uniform" (every weight U(−1/√d, 1/√d)), "zero" (W = 0; Q = 0 and K = 0.1·N(0, 1)), or the initial W
            (S, d, d) where W is trained, or the initial (K, Q), (S, d, m) each.
        attention: "cross", "self", "sequence" or "causal".
        m: columns of K and Q, at most d; None: d. It has no meaning when W is trained.
        device: "cpu" for the engines without torch, or a torch device such as "cuda".
        progress: called with the number of instances finished since the last call.

    Raises:
        ValueError: the parametrisation does not have this start, the rule does not run on this parametrisation or
            device, or the problems have numbers that are not finite.
    """
    logged = logged_steps(steps, every) if np.ndim(every) == 0 else np.asarray(every)
    check(rule, parametrisation)
    problems.require_finite()
    run, lanes, most = _engine(problems, attention, device, rule, len(logged))
    pieces = []
    for size, padded, index in _pieces(problems, lanes, most):
        inputs = ATTENTIONS[attention](padded)
        first = _at(start, index)
        initial = PARAMETRISATIONS[parametrisation](padded.seeds, inputs.tokens.shape[-1], first, m)
        pieces.append(run(inputs, head, padded.head, initial, rule, logged)[:size])
        progress(size)
    return Log.joined(pieces)


def _at(start, index: np.ndarray):
    """The start of the instances at `index`: a name, W, or (K, Q)."""
    if isinstance(start, str):
        return start
    if isinstance(start, tuple):
        return tuple(np.asarray(factor, dtype=float)[index] for factor in start)
    return np.asarray(start, dtype=float)[index]


def _engine(
    problems: Problems, attention: str, device: str, rule: Rule, logged: int
) -> tuple[Callable[..., Log], int, int]:
    """What runs a piece of the batch, of how many instances it takes multiples, and the most of a piece."""
    if device != "cpu" and not rule.along_gradient:
        raise ValueError(f"device: expected 'cpu' for {type(rule).__name__}, got {device!r}")
    _, N, T, d = ATTENTIONS[attention](problems[:1]).tokens.shape
    if device != "cpu":
        from attnsvm.training import on_device  # late: torch takes a job a second, and the other engines need none

        return partial(on_device.run, device=device), 1, on_device.at_once(N, T, d, logged)
    large = N * T * d >= dense.LARGE and rule.along_gradient
    most = max(PIECE, LANES * threads.allowed())
    return (dense.run, 1, most) if large else (_compiled, LANES, most)


def _compiled(inputs, head, given, initial, rule, logged) -> Log:
    return compiled.run(inputs, head(given), initial, rule, logged)


def _pieces(problems: Problems, lanes: int, most: int) -> Iterator[tuple[int, Problems, np.ndarray]]:
    """Parts of a batch: size, problems filled up to whole groups of `lanes`, and their places in the batch.

    An empty batch is one empty part.
    """
    for start in range(0, max(len(problems), 1), most):
        size = min(most, len(problems) - start)
        filled = -(-size // lanes) * lanes
        index = start + np.minimum(np.arange(filled), size - 1)
        yield size, problems[index], index
