"""Many claims judged together: arrays of problems of one shape are made at once, with the roundings of each alone.

The verdicts are those of `checker.check`, to the last bit: what is made here are token differences, lengths, margins
and singular values, by the same products, and `checker.decided` has the last word. Most answers of a build come in
batches of small problems, for which NumPy takes longer to be called than to compute.
"""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from attnsvm.svm.checker import HUGE, SMALL, Problem, check, decided, known
from attnsvm.svm.enclosures import BLOCK, NOTHING, Matrix, decompose, rounding, row_lengths, row_products, terms
from attnsvm.svm.verdict import Verdict

MOST = 2**16  # numbers of the token differences of a batch: they stay in the cache
FLOAT, ROW = np.dtype(np.float64), np.dtype(np.int64)


def check_all(problems: Sequence[tuple], norm: str, tol: float, claims: Sequence) -> list[Verdict]:
    """What each claim proves.

    Args:
        problems: (matrices, bound, equality) of each, see `checker.check`, as the rest.
    """
    verdicts: dict[int, Verdict] = {}
    if len(claims) > 1 and known(norm) and 0 < tol < 1:
        for group in _groups(problems, claims):
            arrays = _Stacks.of([problems[k] for k in group], [claims[k] for k in group])
            places = np.flatnonzero(arrays.ordinary())
            if len(places) < len(group):
                arrays = _Stacks(*(array[places] for array in arrays))
            if len(places):
                verdicts |= zip((group[k] for k in places), _judged(arrays, norm, tol), strict=True)
    each = enumerate(zip(problems, claims, strict=True))
    return [
        verdicts[k] if k in verdicts else check(matrices, bound, equality, norm, tol, claim)
        for k, ((matrices, bound, equality), claim) in each
    ]


def _groups(problems, claims) -> Iterator[list[int]]:
    """Places of solutions of one shape, whose numbers are float64 and of ordinary count."""
    places: dict[tuple, list[int]] = {}
    for k, ((matrices, bound, equality), claim) in enumerate(zip(problems, claims, strict=True)):
        if claim.status == "solved" and getattr(claim, "factors", None) is None and not np.count_nonzero(equality):
            arrays = *matrices, bound, equality, claim.dual, claim.W
            if any(type(array) is not np.ndarray for array in arrays):
                continue
            key = tuple([array.shape for array in arrays] + [array.dtype for array in arrays])
            places.setdefault(key, []).append(k)
    for key, group in places.items():
        tokens, queries, winner, loser, query, bound, equality, dual, W = key[: len(key) // 2]
        types = (FLOAT, FLOAT, ROW, ROW, ROW, FLOAT, np.dtype(bool), FLOAT, FLOAT)
        if key[len(key) // 2 :] != types or not len(tokens) == len(queries) == 2 or len(bound) != 1 or 0 in bound:
            continue
        size, shape = bound[0] * tokens[1], (tokens[1], queries[1])
        fits = winner == loser == query == bound == equality == dual and shape == W
        if fits and 0 < 2 * size <= MOST and max(shape) <= BLOCK:
            step = MOST // size
            yield from (group[start : start + step] for start in range(0, len(group), step) if start + 1 < len(group))


class _Stacks(NamedTuple):
    """S problems of one shape and their claims: what `Problem` and a claim hold, with an axis (S,) in front."""

    tokens: np.ndarray
    queries: np.ndarray
    winner: np.ndarray
    loser: np.ndarray
    query: np.ndarray
    bound: np.ndarray
    equality: np.ndarray
    dual: np.ndarray
    W: np.ndarray

    @classmethod
    def of(cls, problems, claims) -> "_Stacks":
        each = [
            (*matrices, bound, equality, claim.dual, claim.W)
            for (matrices, bound, equality), claim in zip(problems, claims, strict=True)
        ]
        return cls(*(np.concatenate(arrays).reshape(len(each), *arrays[0].shape) for arrays in zip(*each, strict=True)))

    def ordinary(self) -> np.ndarray:
        """(S,) whether scaling W mends every row, and no number is one that `check` refuses."""
        bound, dual = self.bound, self.dual
        N, n = self.tokens.shape[1], self.queries.shape[1]
        holds = (
            ~self.equality & np.isfinite(bound) & (bound > SMALL * bound.max(1, keepdims=True)),
            (dual >= 0) & (dual < math.inf),
            *((rows >= 0) & (rows < count) for rows, count in ((self.winner, N), (self.loser, N), (self.query, n))),
            *(np.abs(array) < HUGE for array in (self.tokens, self.queries)),
            np.isfinite(self.W),
        )
        return np.all([one.reshape(len(one), -1).all(1) for one in holds], axis=0)


def _judged(stacks: _Stacks, norm: str, tol: float) -> list[Verdict]:
    """The verdicts on ordinary solutions."""
    (S, N, d), (_, n, e), m = stacks.tokens.shape, stacks.queries.shape, stacks.bound.shape[1]
    at = np.arange(S)[:, None]
    X, query = stacks.tokens.reshape(S * N, d), (stacks.query + n * at).ravel()
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        left = X[(stacks.winner + N * at).ravel()] - X[(stacks.loser + N * at).ravel()]
        asking = row_lengths(stacks.queries.reshape(S * n, e))
        lengths = row_lengths(left) * asking[query] * (1 + rounding(0)) + NOTHING
        on = np.matmul(stacks.queries, stacks.W.transpose(0, 2, 1))
        reached = row_products(left, on.reshape(S * n, d)[query]).reshape(S, m)
        left, lengths = left.reshape(S, m, d), lengths.reshape(S, m)
        largest = (stacks.dual * lengths).max(1)
        usual = (largest > 0) & (largest < math.inf)
        dual = np.ldexp(stacks.dual, np.where(usual, -np.frexp(largest)[1], 0)[:, None])
        whole = [Matrix(one) for one in stacks.W]
        share = rounding(terms(d) + terms(e) + 2)
        errors = np.array([share * one.size for one in whole])[:, None] * lengths + NOTHING
        made = zip(np.ones((S, m), dtype=bool), left, lengths, asking.reshape(S, n), strict=True)
        each = [
            Problem(matrices, bound, equality, arrays)
            for *matrices, bound, equality, arrays in zip(*stacks[:7], made, strict=True)
        ]
        M = [Matrix(*one.combination(weights)) for one, weights in zip(each, dual, strict=True)]
        if norm in ("nuc", "spectral"):
            decompose([*whole, *M])
        rest = zip(each, stacks.W, dual, whole, M, reached, errors, strict=True)
        return [decided(problem, norm, tol, *others) for problem, *others in rest]
