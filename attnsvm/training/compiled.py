"""The compiled engine: hands the loops LANES instances at a time, and reads the weights from what they write.

Most of the work is the layout of arrays: a batch has its instances first, the loops have them last. Groups of LANES
instances share nothing and run side by side on the threads of the job.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from attnsvm import threads
from attnsvm.data.inputs import Inputs
from attnsvm.lanes.arithmetic import LANES, classes, kept_on_disk
from attnsvm.training.heads.base import Head
from attnsvm.training.kernels import Factors, Gram, Group, Outer, Record, factored, full
from attnsvm.training.log import Log
from attnsvm.training.matrices import both, whole
from attnsvm.training.spans import Coordinates


def run(inputs: Inputs, head: Head, initial: tuple[np.ndarray, ...], rule: Any, steps: np.ndarray) -> Log:
    """Descend from the `initial` W, or K and Q; the number of instances is a multiple of LANES. See `train`."""
    loop: Callable[..., Log] = _factored
    if len(initial) == 1:
        loop = _full if rule.along_gradient else _whole
    tokens = np.ascontiguousarray(_last(inputs.tokens))
    values, reader = head.embed(tokens)
    return loop(inputs, tokens, reader.compiled(), values, *initial, rule, steps)


def _full(inputs, tokens, head, values, W, rule, steps):
    S, N, T, d = inputs.tokens.shape
    start = (tokens * _last(inputs.queries @ W.mT)[:, None]).sum(2)
    if N * T * d * 2 + N * N * d < (N * T) ** 2:  # multiplications of the two ways
        likeness = _last(inputs.queries @ inputs.queries.mT)
        products: Outer | Gram = Outer(tokens, likeness, np.empty((N, d, S)), np.empty((d, S)))
    else:
        products = Gram(_last(_gram(inputs)))
    loop, record = kept_on_disk(full, type(head), type(products), *classes(rule)), _record(inputs, steps, (N * T,))

    def descend(part):
        lanes, group, log = part
        loop(group, _cut(start, lanes), _cut(products, lanes), rule, log)

    threads.each(descend, _groups(inputs, head, values, record))
    moved, *logs = (_joined(x) for x in record[1:])
    return Log(steps, W[:, None] - _combinations(inputs, moved), *logs)


def _whole(inputs, tokens, head, values, W, rule, steps):
    queries = _last(inputs.queries)
    factors = Factors(_last(W), np.empty((0, 0, len(W))), tokens, queries)
    loop, record = kept_on_disk(whole, type(head), *classes(rule)), _record(inputs, steps, W.shape[1:])

    def descend(part):
        lanes, group, log = part
        loop(group, _cut(factors, lanes), rule, log)

    threads.each(descend, _groups(inputs, head, values, record))
    return Log(steps, *(_joined(x) for x in record[1:]))


def _factored(inputs, tokens, head, values, K, Q, rule, steps):
    basis = Coordinates.of(inputs.tokens, inputs.queries, K, Q, rule.follows_rotations)
    coordinates = *basis.factors(), inputs.tokens @ basis.P[:, None], inputs.queries @ basis.R
    factors = Factors(*(_last(x) for x in coordinates))
    shape = len(factors.K) + len(factors.Q), factors.K.shape[1]
    compiled = factored if rule.along_gradient else both
    loop, record = kept_on_disk(compiled, type(head), *classes(rule)), _record(inputs, steps, shape)

    def descend(part):
        lanes, group, log = part
        loop(group, _cut(factors, lanes), rule, log)

    threads.each(descend, _groups(inputs, head, values, record))
    moved, *logs = (_joined(x) for x in record[1:])
    return Log(steps, basis.product(moved), *logs)


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
    largest, loss, norms = (np.zeros((groups, L, LANES)) for _ in range(3))
    kept, weights = np.array(steps, dtype=np.int64), np.empty((groups, L, *shape, LANES))
    return Record(kept, weights, largest, loss, norms, np.empty((groups, N, T, LANES)))


def _groups(inputs: Inputs, head: NamedTuple, values: np.ndarray, record: Record):
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
    return np.array(whole[..., lanes], order="C")


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
