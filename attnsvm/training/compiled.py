"""The compiled engine: hands the loops LANES instances at a time, and reads the weights from what they write.

Most of the work is the layout of arrays: a batch has its instances first, the loops have them last. Groups of LANES
instances share nothing and run side by side on the threads of the job.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from attnsvm.batch import LANES
from attnsvm.batch.arithmetic import kept_on_disk
from attnsvm.batch.vector import laid, zeros
from attnsvm.data.inputs import Inputs
from attnsvm.training import threads
from attnsvm.training.heads.base import Head, Reader, reader
from attnsvm.training.kernels import Factors, Gram, Group, Record, evaluate_compiled, factored, full, prepared
from attnsvm.training.log import Log
from attnsvm.training.matrices import by_rule, course_of
from attnsvm.training.optimisers.calls import mover
from attnsvm.training.spans import Coordinates


def run(inputs: Inputs, head: Head, initial: tuple[np.ndarray, ...], rule: Any, steps: np.ndarray) -> Log:
    """Descend from the `initial` W, or K and Q; the number of instances is a multiple of LANES. See `train`."""
    laid_out: Callable[..., tuple] = _factored
    if len(initial) == 1:
        laid_out = _full if rule.along_gradient else _whole
    tokens = np.ascontiguousarray(_last(inputs.tokens))
    values, reading = head.embed(tokens)
    loop, given, shape, weights = laid_out(inputs, tokens, rule, *initial)
    descend, record = kept_on_disk(loop), _record(inputs, steps, shape)
    evaluate, moving = evaluate_compiled(), mover(rule) if loop is by_rule else rule

    def descend_group(part):
        lanes, group, log = part
        at, own = prepared(group.values, log.probabilities), [_cut(x, lanes) for x in given]
        course = [course_of(own[0], at, moving)] if loop is by_rule else []
        descend(evaluate, group, at, *own, *course, moving, log)

    threads.each(descend_group, _groups(inputs, reader(reading, tokens.shape[-1]), values, record))
    moved, *logs = (_joined(x) for x in record[1:])
    return Log(steps, weights(moved), *logs)


# How each loop is called: the loop, what it is given beside group, rule and record, the shape of the weights that it
# logs, and what these say of W (S, L, d, d).


def _full(inputs, tokens, rule, W):
    S, N, T, d = inputs.tokens.shape
    start = (tokens * _last(inputs.queries @ W.mT)[:, None]).sum(2)
    if N * T * d * 2 + N * N * d < (N * T) ** 2:  # multiplications of the two ways
        likeness = _last(inputs.queries @ inputs.queries.mT)
        gram = Gram(zeros((0, 0, S)), tokens, likeness, zeros((N, d, S)), zeros((d, S)))
    else:
        gram = Gram(_last(_gram(inputs)), *(zeros((0,) * count + (S,)) for count in (3, 2, 2, 1)))
    return full, (start, gram), (N * T,), lambda moved: W[:, None] - _combinations(inputs, moved)


def _whole(inputs, tokens, rule, W):
    factors = Factors(_last(W), np.empty((0, 0, len(W))), tokens, _last(inputs.queries))
    return by_rule, (factors,), W.shape[1:], lambda moved: moved


def _factored(inputs, tokens, rule, K, Q):
    basis = Coordinates.of(inputs.tokens, inputs.queries, K, Q, rule.follows_rotations)
    coordinates = *basis.factors(), inputs.tokens @ basis.P[:, None], inputs.queries @ basis.R
    factors = Factors(*(_last(x) for x in coordinates))
    shape = len(factors.K) + len(factors.Q), factors.K.shape[1]
    return factored if rule.along_gradient else by_rule, (factors,), shape, basis.product


def _gram(inputs: Inputs) -> np.ndarray:
    """⟨x_it z_iᵀ, x_js z_jᵀ⟩, (S, NT, NT)."""
    S, N, T, d = inputs.tokens.shape
    flat = inputs.tokens.reshape(S, N * T, d)
    likeness = (inputs.queries @ inputs.queries.mT).repeat(T, 1).repeat(T, 2)
    # BLAS multiplies a matrix by its transpose in another way, with another rounding: the figures have this rounding.
    return (flat @ np.ascontiguousarray(flat.mT)) * likeness


def _record(inputs: Inputs, steps: np.ndarray, shape: tuple[int, ...]) -> Record:
    """Room for the records of all groups, one behind the other, for weights of this shape."""
    S, N, T, _ = inputs.tokens.shape
    groups, L = S // LANES, len(steps)
    largest, loss, norms = (zeros((groups, L, LANES)) for _ in range(3))
    kept, weights = np.array(steps, dtype=np.int64), zeros((groups, L, *shape, LANES))
    return Record(kept, weights, largest, loss, norms, zeros((groups, N, T, LANES)))


def _groups(inputs: Inputs, head: Reader, values: np.ndarray, record: Record):
    """For each group: its places in the batch, what it learns from, and its part of the record."""
    barrier, labels = _last(np.where(inputs.allowed, 0.0, -np.inf)), inputs.labels.T
    for g in range(len(record.weights)):
        lanes = slice(g * LANES, (g + 1) * LANES)
        group = Group(_cut(barrier, lanes), _cut(values, lanes), _cut(labels, lanes), _cut(head, lanes))
        yield lanes, group, Record(record.kept, *(x[g] for x in record[1:]))


def _cut(whole: Any, lanes: slice) -> Any:
    """A copy of some instances of an array (..., S), or of all arrays of a NamedTuple."""
    if isinstance(whole, tuple):
        return type(whole)(*(_cut(x, lanes) if isinstance(x, np.ndarray) else x for x in whole))
    return laid(whole[..., lanes])


def _joined(array: np.ndarray) -> np.ndarray:
    """(groups, ..., LANES) as (S, ...)."""
    return np.moveaxis(array, -1, 1).reshape(len(array) * LANES, *array.shape[1:-1])


def _last(array: np.ndarray) -> np.ndarray:
    return np.moveaxis(array, 0, -1)


def _combinations(inputs: Inputs, coefficients: np.ndarray) -> np.ndarray:
    """Σ_it coefficients_it x_it z_iᵀ, (S, L, d, d), for coefficients (S, L, N·T)."""
    S, N, T, d = inputs.tokens.shape
    outer = inputs.tokens[..., None] * inputs.queries[:, :, None, None, :]
    return (coefficients @ outer.reshape(S, N * T, d * d)).reshape(S, coefficients.shape[1], d, d)
