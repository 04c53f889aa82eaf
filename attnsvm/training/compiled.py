"""The compiled engine: hands the loops LANES instances at a time, and reads the weights from what they write.

Most of it lays out arrays: a batch has its instances first, the loops have them last. Groups of LANES instances share
nothing and run side by side on the threads of the job.
"""

from typing import NamedTuple

import numpy as np

from attnsvm import threads
from attnsvm.inputs import Inputs
from attnsvm.training.heads import Head
from attnsvm.training.kernels import Factors, Gram, Group, Outer, Record, factored, full
from attnsvm.training.lanes import LANES, kept_on_disk
from attnsvm.training.log import Log
from attnsvm.training.spans import Coordinates
from attnsvm.training.steps import Rule
from attnsvm.training.weights import FullWeights, Parametrisation


def run(inputs: Inputs, head: Head, values, weights: Parametrisation, rule: Rule, steps: np.ndarray) -> Log:
    """Descend from `weights`; the number of instances is a multiple of LANES. See `train`."""
    loop = _full if isinstance(weights, FullWeights) else _factored
    return loop(inputs, head.compiled(), values.numpy(), weights, rule, steps)


def _full(inputs, head, values, weights, rule, steps):
    S, N, T, d = inputs.tokens.shape
    start = weights.logits().numpy()
    if N * T * d * 2 + N * N * d < (N * T) ** 2:  # multiplications of the two ways
        likeness = _last(inputs.queries @ inputs.queries.swapaxes(1, 2))
        products = Outer(_last(inputs.tokens), likeness, np.empty((N, d, S)), np.empty((d, S)))
    else:
        products = Gram(weights.gram.numpy())
    loop, record = kept_on_disk(full, type(head), type(products), type(rule)), _record(inputs, steps, (N * T,))

    def descend(part):
        lanes, group, own = part
        loop(group, _cut(start, lanes), _cut(products, lanes), rule, own)

    threads.each(descend, _groups(inputs, head, values, record))
    moved, *logs = (_joined(x) for x in record[1:])
    return Log(steps, weights.initial.numpy()[:, None] - _combinations(inputs, moved), *logs)


def _factored(inputs, head, values, weights, rule, steps):
    K, Q = (np.moveaxis(factor.numpy(), -1, 0) for factor in (weights.K, weights.Q))
    basis = Coordinates.of(inputs.tokens, inputs.queries, K, Q, move=rule.penalty == 0)
    coordinates = *basis.factors(), inputs.tokens @ basis.P[:, None], inputs.queries @ basis.R
    factors = Factors(*(_last(x) for x in coordinates))
    shape = len(factors.K) + len(factors.Q), factors.K.shape[1]
    loop, record = kept_on_disk(factored, type(head), type(rule)), _record(inputs, steps, shape)

    def descend(part):
        lanes, group, own = part
        loop(group, _cut(factors, lanes), rule, own)

    threads.each(descend, _groups(inputs, head, values, record))
    moved, *logs = (_joined(x) for x in record[1:])
    return Log(steps, basis.product(moved), *logs)


def _record(inputs: Inputs, steps: np.ndarray, shape: tuple[int, ...]) -> Record:
    """Room for the records of all groups, one behind the other; `shape` is that of the weights."""
    S, N, T, _ = inputs.tokens.shape
    groups, L = S // LANES, len(steps)
    logs = (np.zeros((groups, L, LANES)) for _ in range(3))
    return Record(
        np.array(steps, dtype=np.int64), np.empty((groups, L, *shape, LANES)), *logs, np.empty((groups, N, T, LANES))
    )


def _groups(inputs: Inputs, head: NamedTuple, values: np.ndarray, record: Record):
    """Of each group: its places in the batch, what it learns from, its part of the record."""
    barrier, labels = np.where(inputs.allowed, 0.0, -np.inf), inputs.labels.T
    for g in range(len(record.weights)):
        lanes = slice(g * LANES, (g + 1) * LANES)
        group = Group(barrier, _cut(values, lanes), _cut(labels, lanes), _cut(head, lanes))
        yield lanes, group, Record(record.kept, *(x[g] for x in record[1:]))


def _cut(whole, lanes: slice):
    """Some instances of an array (..., S), or of all arrays of a NamedTuple, in memory of their own."""
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
