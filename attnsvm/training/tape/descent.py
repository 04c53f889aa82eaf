"""Descent of a model written on the tape, for a whole batch of instances, by any rule.

The compiled rules move the weights, LANES instances at a time. The result of an instance does not depend on its place
in the batch.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from attnsvm.batch import LANES
from attnsvm.training import threads
from attnsvm.training.log import logged_steps
from attnsvm.training.optimisers.protocol import Rule
from attnsvm.training.optimisers.stepper import Stepper
from attnsvm.training.tape.gradient import gradient
from attnsvm.training.tape.node import Node
from attnsvm.training.tape.terms import Terms

Arrays = Mapping[str, np.ndarray]
Nodes = Mapping[str, Node]
Model = Callable[[Nodes, Nodes], Node | tuple[Node, Nodes]]


@dataclass(frozen=True)
class TapeLog:
    """S runs, logged at K steps; step k means: after k updates.

    Attributes:
        steps: (K,).
        weights: by name, (S, K, ...).
        loss: (S, K).
        seen: what the model returns in addition to its loss, after the last step, by name, (S, ...).
    """

    steps: np.ndarray
    weights: dict[str, np.ndarray]
    loss: np.ndarray
    seen: dict[str, np.ndarray]


def descend(
    model: Model,
    weights: Arrays,
    inputs: Arrays | Callable[[int, np.ndarray], Arrays],
    rule: Rule,
    steps: int,
    every: int | np.ndarray,
    progress: Callable[[int], None] = lambda done: None,
) -> TapeLog:
    """Train S instances of a model for `steps` updates.

    Args:
        model: from the weights and inputs of one instance, by name, the loss, one number; or a pair of it and other
            nodes by name, to be read after the last step.
        weights: the trained weights at the start: by name (S,), (S, d) or (S, d, e).
        inputs: the arrays that are not trained: by name (S, ...); or a function of the step and of the places in the
            batch (s,) that gives the inputs of these instances, (s, ...).
        rule: one of `attnsvm.training.optimisers`. A vector counts as a matrix of one column. The rule is applied to
            each weight separately; `joint` takes one norm of all weights, and `balanced` knows no pair here.
        steps: number of updates, at least 1.
        every: distance between logged steps, counted back from the last one; or the steps themselves, increasing and
            ending with `steps`.
        progress: called with the number of instances finished since the last call.

    Raises:
        ValueError: a weight has more than two axes after the axis of the instances, the loss is not one number, or the
            loss does not depend on a weight.
    """
    logged = logged_steps(steps, every) if np.ndim(every) == 0 else np.asarray(every)
    for name, weight in weights.items():
        if np.ndim(weight) > 3:
            raise ValueError(f"weights: expected numbers, vectors or matrices, got {name} {np.shape(weight)[1:]}")
    S = len(next(iter(weights.values())))
    given = inputs if callable(inputs) else lambda step, places: {name: x[places] for name, x in inputs.items()}
    size = _piece(S, given(0, np.arange(1)), weights)
    pieces = [np.arange(first, min(first + size, S)) for first in range(0, S, size)]

    def run(places: np.ndarray) -> TapeLog:
        done = _descend(model, weights, given, callable(inputs), rule, logged, places)
        progress(len(places))
        return done

    parts = threads.each(run, pieces)
    return TapeLog(
        logged,
        _joined([part.weights for part in parts]),
        np.concatenate([part.loss for part in parts]),
        _joined([part.seen for part in parts]),
    )


CACHED = 2**16  # numbers of inputs and weights that a tape works on at once, so that they stay in the cache


def _piece(S: int, inputs: Arrays, weights: Arrays) -> int:
    """How many instances share a tape: whole groups of LANES, and a piece for each thread."""
    each = sum(np.size(x) for x in inputs.values()) + sum(np.size(x[0]) for x in weights.values())
    groups = max(1, CACHED // (each * LANES))
    return LANES * max(1, min(groups, -(-S // LANES) // threads.allowed()))


def _joined(parts: list[dict[str, np.ndarray]]) -> dict[str, np.ndarray]:
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def _descend(model, weights, given, changing, rule, logged, places) -> TapeLog:
    """Train the instances at `places` on one tape."""
    names = list(weights)
    shapes = {name: np.shape(weights[name])[1:] for name in names}
    groups = [places[first : first + LANES] for first in range(0, len(places), LANES)]
    moving = [[_filled(_matrix(weights[name][group])) for name in names] for group in groups]
    steppers = [Stepper(rule) for _ in groups]
    kept: dict[str, list[np.ndarray]] = {name: [] for name in names}
    losses, constants, slot = [], None, 0
    for step in range(logged[-1] + 1):
        if constants is None or changing:
            constants = {name: Node(np.asarray(x, dtype=float)) for name, x in given(step, places).items()}
        now = {
            name: Node(_instances([of[w] for of in moving], len(places), shapes[name]), weight=True)
            for w, name in enumerate(names)
        }
        found = model(now, constants)
        loss, seen = found if isinstance(found, tuple) else (found, {})
        if step == logged[slot]:
            slot += 1
            losses.append(loss.value)
            for name, node in now.items():
                kept[name].append(node.value)
        if step < logged[-1]:
            terms = gradient(loss, now)
            if not rule.reads_terms:
                terms = {name: of.few() for name, of in terms.items()}
            for g, stepper in enumerate(steppers):
                some = slice(g * LANES, g * LANES + len(groups[g]))
                stepper.step(moving[g], [_lanes(terms[name], some) for name in names])
    after = {name: node.value for name, node in seen.items()}
    return TapeLog(logged, {name: np.stack(x, 1) for name, x in kept.items()}, np.stack(losses, 1), after)


def _filled(x: np.ndarray) -> np.ndarray:
    """(s, ...) as (..., LANES), a copy, filled up with the last instance."""
    full = x if len(x) == LANES else x[np.minimum(np.arange(LANES), len(x) - 1)]
    return np.array(full.reshape(LANES, -1).T, dtype=float, order="C").reshape(*x.shape[1:], LANES)


def _instances(groups: list[np.ndarray], size: int, shape: tuple[int, ...]) -> np.ndarray:
    """Several (d, e, LANES) as (size, *shape), a copy."""
    return np.concatenate([x.reshape(-1, LANES).T for x in groups])[:size].reshape(size, *shape)


def _matrix(weight: np.ndarray) -> np.ndarray:
    """(S,), (S, d) or (S, d, e) as (S, d, e)."""
    return weight.reshape(len(weight), *weight.shape[1:], *(1,) * (3 - weight.ndim))


def _lanes(terms: Terms, some: slice) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """left (r, d, LANES), right (r, e, LANES) and logs (r, LANES) of some instances."""
    return _filled(terms.left[some]), _filled(terms.right[some]), _filled(terms.logs[some])
