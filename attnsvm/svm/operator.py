"""The constraints as a linear operator on W that is never formed: A(W)_k = l_kᵀ W r_k, each row scaled to length one.

With l_k a difference of two tokens and r_k a query, A costs n·p·q + m·p operations instead of m·p·q, and so does its
adjoint. The Newton systems (I + σ A_Jᵀ A_J) P = G of a set J of rows are solved by whatever is cheapest: a Cholesky
factor of the Gram matrix (products of two small Gram matrices), one of the p·q × p·q matrix, or conjugate gradients.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numba import njit
from scipy.linalg.lapack import dpotrf, dpotrs

from attnsvm.batch.on_disk import kept, named, sources
from attnsvm.svm.constraints import Factors

SOURCES = sources(Path(__file__))


def compiled(function: Callable) -> Any:
    """`function` compiled, and kept on disk for these sources."""
    whole = {"nogil": True, "error_model": "numpy", "fastmath": {"contract", "reassoc"}}
    return kept(njit, named(function, SOURCES, function.__name__), **whole)


Solve = Callable[[np.ndarray], np.ndarray]

BLOCK = 512  # rows of a Gram matrix formed at a time
FACTOR_SPEED = 0.4  # speed of a Cholesky factor relative to a matrix product
STREAM_SPEED = 0.1  # speed of products with a vector or with few rows relative to a matrix product


@compiled
def _apply(tokens, along, winner, loser, query, scale, out):
    """out_k = scale_k (tokens[winner_k] − tokens[loser_k])ᵀ along[query_k]."""
    for k in range(len(out)):
        w, t, q = winner[k], loser[k], query[k]
        total = 0.0
        for a in range(tokens.shape[1]):
            total += (tokens[w, a] - tokens[t, a]) * along[q, a]
        out[k] = scale[k] * total


@compiled
def _gather(tokens, winner, loser, query, weight, out):
    """out[query_k] += weight_k (tokens[winner_k] − tokens[loser_k])."""
    for k in range(len(weight)):
        if weight[k] != 0.0:
            w, t, q = winner[k], loser[k], query[k]
            for a in range(tokens.shape[1]):
                out[q, a] += weight[k] * (tokens[w, a] - tokens[t, a])


@compiled
def _both(tokens, along, winner, loser, query, scale, out):
    """`_gather` of `_apply` in one pass over the tokens."""
    for k in range(len(scale)):
        w, t, q = winner[k], loser[k], query[k]
        total = 0.0
        for a in range(tokens.shape[1]):
            total += (tokens[w, a] - tokens[t, a]) * along[q, a]
        total *= scale[k] * scale[k]
        for a in range(tokens.shape[1]):
            out[q, a] += total * (tokens[w, a] - tokens[t, a])


@compiled
def line_search(WP, PP, base, change, sigma, equality):
    """The step in (0, 1] at which the slope ⟨W + tP, P⟩ − Σ_k [base_k − t change_k]₊ change_k / σ turns positive.

    1 where it does not; by bisection, to one per cent: the next Newton step finds the rest.
    """
    low, high, step = 0.0, 1.0, 1.0
    for _ in range(40):
        slope = 0.0
        for k in range(len(base)):
            u = base[k] - step * change[k]
            if u > 0.0 or equality[k]:
                slope += u * change[k]
        if WP + step * PP - slope / sigma <= 0.0:
            if step == 1.0:
                return 1.0
            low = step
        else:
            high = step
        if high - low < 0.01 * high:
            break
        step = 0.5 * (low + high)
    return low if low > 0.0 else high


class Operator:
    """A(W) and its adjoint for constraints given by `Factors`; zero matrices stay zero.

    A system of more than `largest` unknowns is not factored.
    """

    line_search = staticmethod(line_search)

    def __init__(self, factors: Factors, largest: int):
        self.factors, self.largest = factors, largest
        self.shape = factors.tokens.shape[1], factors.queries.shape[1]
        self.lengths = factors.lengths()
        self.scale = 1.0 / np.where(self.lengths > 0, self.lengths, np.inf)

    def __len__(self) -> int:
        return len(self.scale)

    def apply(self, W: np.ndarray) -> np.ndarray:
        f, out = self.factors, np.empty(len(self))
        _apply(f.tokens, f.queries @ W.T, f.winner, f.loser, f.query, self.scale, out)
        return out

    def adjoint(self, dual: np.ndarray) -> np.ndarray:
        f, out = self.factors, np.zeros((len(self.factors.queries), self.shape[0]))
        _gather(f.tokens, f.winner, f.loser, f.query, self.scale * dual, out)
        return out.T @ f.queries

    def rows(self, numbers: np.ndarray) -> "Rows":
        return Rows(self, numbers)


class Rows(Operator):
    """The rows J of an operator, with the queries that occur in them."""

    def __init__(self, whole: Operator, numbers: np.ndarray):
        factors = whole.factors.take(numbers)
        used = np.bincount(factors.query, minlength=len(factors.queries)) > 0
        place = np.cumsum(used) - 1
        self.factors = factors._replace(queries=factors.queries[used], query=place[factors.query])
        self.shape, self.scale, self.largest = whole.shape, whole.scale[numbers], whole.largest

    @property
    def left(self) -> np.ndarray:
        return self.factors.left() * self.scale[:, None]

    def normal(self, W: np.ndarray) -> np.ndarray:
        """A_Jᵀ A_J W."""
        f, out = self.factors, np.zeros((len(self.factors.queries), self.shape[0]))
        _both(f.tokens, f.queries @ W.T, f.winner, f.loser, f.query, self.scale, out)
        return out.T @ f.queries

    def cost(self) -> float:
        """Operations of one product `normal`, in those of a matrix product."""
        p, q = self.shape
        return 4 * (len(self.factors.queries) * p * q + 1.5 * len(self) * p) / STREAM_SPEED

    def factor_cost(self) -> float:
        """Operations of a factor of the smaller system, in those of a matrix product; infinite if it does not fit."""
        p, q = self.shape
        size = min(len(self), p * q)
        if size > self.largest:
            return np.inf
        form = size**2 * (p + q) if size == len(self) else len(self.factors.queries) * size**2 / 2 + 20 * size**2
        return form + size**3 / 3 / FACTOR_SPEED

    def factor(self, sigma: float) -> Solve | None:
        """A function that solves (I + σ A_Jᵀ A_J) P = G; None where rounding makes the matrix singular."""
        return self._by_gram(sigma) if len(self) <= self.shape[0] * self.shape[1] else self._by_entries(sigma)

    def _by_gram(self, sigma: float) -> Solve | None:
        """Woodbury: P = G − A_Jᵀ (I/σ + A_J A_Jᵀ)⁻¹ A_J G."""
        left, right = self.left, self.factors.queries[self.factors.query]
        gram = np.empty((len(self), len(self)))
        for start in range(0, len(self), BLOCK):
            stop = start + BLOCK
            np.matmul(left[start:stop], left[start:].T, out=gram[start:stop, start:])
            gram[start:stop, start:] *= right[start:stop] @ right[start:].T
        solve = _cholesky(gram, 1 / sigma)
        return None if solve is None else lambda G: G - self.adjoint(solve(self.apply(G)))

    def _by_entries(self, sigma: float) -> Solve | None:
        """The matrix over pairs of entries of W: Σ_i (Σ_{k of i} l_k l_kᵀ) ⊗ r_i r_iᵀ, symmetric in each factor."""
        p, q = self.shape
        queries, order = self.factors.queries, np.argsort(self.factors.query, kind="stable")
        left, query = self.left[order], self.factors.query[order]
        ends = np.searchsorted(query, np.arange(len(queries) + 1))
        upper_p, upper_q = np.triu_indices(p), np.triu_indices(q)
        squares = np.empty((len(queries), len(upper_p[0])))
        for i in range(len(squares)):
            of_one = left[ends[i] : ends[i + 1]]
            squares[i] = (of_one.T @ of_one)[upper_p]
        pairs = squares.T @ (queries[:, upper_q[0]] * queries[:, upper_q[1]])
        pairs *= sigma
        pairs = pairs[:, _place(q)]
        matrix, place = np.empty((p, q, p, q)), _place(p)
        for a in range(p):
            matrix[a] = pairs[place[a]].transpose(1, 0, 2)
        solve = _cholesky(matrix.reshape(p * q, p * q), 1.0)
        return None if solve is None else lambda G: solve(G.ravel()).reshape(p, q)


def _place(size: int) -> np.ndarray:
    """Where the entry (a, b) of a symmetric matrix stands among those of its upper triangle."""
    place = np.zeros((size, size), dtype=np.intp)
    upper = np.triu_indices(size)
    place[upper] = place.T[upper] = np.arange(len(upper[0]))
    return place


def _cholesky(matrix: np.ndarray, diagonal: float) -> Solve | None:
    """A function that solves with matrix + diagonal·I; None if that is not positive definite.

    Only the upper triangle is read, and its memory is taken.
    """
    if len(matrix) == 0:
        return lambda b: b
    matrix.flat[:: len(matrix) + 1] += diagonal
    factor, failed = dpotrf(matrix.T, lower=1, clean=0, overwrite_a=1)
    return None if failed else lambda b: dpotrs(factor, b, lower=1)[0]
