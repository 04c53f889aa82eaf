"""Reductions of a max-margin problem to a smaller one with the same answer.

`distinct`: constraints that occur several times are met once. `narrowed`: where dimensions are far more than
constraints, the problem is solved in coordinates of its spans, and W is held as factors. `Reduced`: every method works
in such coordinates.
"""

from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np
from scipy.linalg import qr

from attnsvm.geometry import Norm
from attnsvm.svm.constraints import Constraints, Factors, TokenConstraints
from attnsvm.svm.solution import FactoredSolution, Solution

INDEPENDENT = 1e-12  # relative size below which an equality of unit norm follows from the others
WIDE = 2**18  # entries of W from which on it may be held as factors: the singular values of 512 x 512 take 0.1 s
WORTH = 4  # how many times fewer entries the coordinates must have


@dataclass(frozen=True)
class Distinct:
    """A problem without constraints that are exact copies of others, as those of a copied input.

    Attributes:
        constraints: the first constraint of every kind, with the tokens and queries that they need.
        rows: (k,) their numbers in the problem with copies. size: its number of constraints.
    """

    constraints: TokenConstraints
    rows: np.ndarray
    size: int

    def spread(self, dual: np.ndarray) -> np.ndarray:
        """Multipliers of the problem with copies (size,): all on the first of each kind."""
        return np.bincount(self.rows, dual, minlength=self.size)


def distinct(c: Constraints) -> Distinct | None:
    """The problem without constraints that are copies of others, bit by bit; None where there are none.

    Copies have equal tokens, queries, bounds and kinds. Without two tokens or two queries that agree in their first
    coordinate there are none, which is all that is looked at of most problems.
    """
    factors = c.factors
    if not (_repeats(factors.tokens[:, 0]) or _repeats(factors.queries[:, 0])):
        return None
    token, query = _names(factors.tokens), _names(factors.queries)
    columns = token[factors.winner], token[factors.loser], query[factors.query], c.bound, c.equality
    kinds = _names(np.stack([np.asarray(column, dtype=float) for column in columns], axis=1))
    rows = np.unique(kinds, return_index=True)[1]
    if len(rows) == len(c):
        return None
    rows.sort()
    some = factors.take(rows)
    tokens, place = np.unique(np.concatenate([some.winner, some.loser]), return_inverse=True)
    queries, inputs = np.unique(some.query, return_inverse=True)
    winner, loser = np.split(place, 2)
    fewer = Factors(some.tokens[tokens], some.queries[queries], winner, loser, inputs)
    return Distinct(TokenConstraints(fewer, c.bound[rows], c.equality[rows], c.index[rows]), rows, len(c))


def _repeats(values: np.ndarray) -> bool:
    return len(set(values.tolist())) < len(values)


def _names(rows: np.ndarray) -> np.ndarray:
    """A number for every row, the same for equal rows."""
    rows = np.ascontiguousarray(rows) + 0.0  # zero has one sign
    numbers: dict[bytes, int] = {}
    whole = rows.view(f"V{rows.shape[1] * rows.itemsize}").ravel().tolist()
    return np.array([numbers.setdefault(row, len(numbers)) for row in whole])


class Narrow:
    """A problem with far more dimensions than constraints, in coordinates: its W, P Y Qᵀ, is answered by factors.

    The bases are orthonormal, so that constraints, multipliers and unitarily invariant norms stay what they are.

    Attributes:
        constraints: the same constraints, in the same order, on Y (p, q).
        P: (d, p), Q: (e, q), orthonormal columns.
    """

    def __init__(self, c: Constraints):
        factors = c.factors
        used = np.unique(np.concatenate([factors.winner, factors.loser]))
        self.P = basis(factors.left() if len(c) <= len(used) else factors.tokens[used])
        self.Q = basis(factors.queries[np.unique(factors.query)])
        inside = factors._replace(tokens=factors.tokens @ self.P, queries=factors.queries @ self.Q)
        self.constraints = TokenConstraints(inside, c.bound, c.equality, c.index)

    def lift(self, answer: Solution) -> FactoredSolution:
        """The answer for the problem itself."""
        Y = answer.W
        left, right = (self.P @ Y, self.Q) if len(Y) > len(Y.T) else (self.P, self.Q @ Y.T)
        others = {one.name: getattr(answer, one.name) for one in fields(Solution) if one.name != "W"}
        return FactoredSolution(**others, left=left, right=right)


def narrowed(c: Constraints, measure: Norm) -> Narrow | None:
    """The problem in coordinates; None where that saves little, or where coordinates would change the norm."""
    (d, e), factors = c.shape, c.factors
    if d * e < WIDE or len(c) == 0 or not measure.unitarily_invariant:
        return None
    tokens = len(np.unique(np.concatenate([factors.winner, factors.loser])))
    p, q = min(d, tokens, len(c)), min(e, len(np.unique(factors.query)))
    return Narrow(c) if WORTH * p * q <= d * e else None


class Reduced:
    """The constraints in coordinates: W = P Y Qᵀ with Y (p, q). P or Q is None where it would be the identity.

    Rows of W are in the span of the left vectors, columns in that of the right ones. Projecting W onto the two spans
    changes no constraint and increases no unitarily invariant norm: a solution lives there. `left`, `right`: the sides
    that have coordinates, as a norm that is invariant on one side asks for.
    """

    def __init__(self, constraints: Constraints, left: bool = True, right: bool = True):
        self.constraints, self._sides = constraints, (left, right)

    @cached_property
    def P(self) -> np.ndarray | None:
        """(d, p), formed when first read, as all else here."""
        c = self.constraints
        return basis(c.left) if self._sides[0] and len(c) < c.shape[0] else None

    @cached_property
    def Q(self) -> np.ndarray | None:
        """(e, q)."""
        c = self.constraints
        inputs = c.index[:, 0]
        queries, query = c.factors.queries, c.factors.query
        other = (inputs[1:] != inputs[:-1]) | (query[1:] != query[:-1])
        used = query[np.append(True, other)[: len(inputs)]]  # of one row of each input, and of each that has another
        return basis(queries[used]) if self._sides[1] and len(used) < c.shape[1] else None

    @cached_property
    def left(self) -> np.ndarray:
        """(m, p)."""
        return _in(self.P, self.constraints.left)

    @cached_property
    def right(self) -> np.ndarray:
        """(m, q)."""
        return _in(self.Q, self.constraints.right)

    @property
    def factors(self) -> Factors:
        """The constraints on Y, not formed."""
        factors = self.constraints.factors
        return factors._replace(tokens=_in(self.P, factors.tokens), queries=_in(self.Q, factors.queries))

    @property
    def shape(self) -> tuple[int, int]:
        """(p, q) of Y."""
        d, e = self.constraints.shape
        return d if self.P is None else self.P.shape[1], e if self.Q is None else self.Q.shape[1]

    @cached_property
    def kept(self) -> np.ndarray:
        """The rows that say something: inequalities on nonzero matrices, and independent equalities."""
        c = self.constraints
        nonzero = self.left.any(1) & self.right.any(1)
        numbers = np.flatnonzero(c.equality & nonzero)
        if len(numbers) > 0:
            rows = outer(_near_one(self.left[numbers]), _near_one(self.right[numbers]))
            _, R, order = qr((rows / lengths(rows)[:, None]).T, mode="economic", pivoting=True)
            numbers = numbers[order[: int((np.abs(np.diag(R)) > INDEPENDENT).sum())]]
        return np.sort(np.concatenate([np.flatnonzero(~c.equality & nonzero), numbers]))

    def lift(self, Y: np.ndarray) -> np.ndarray:
        rows = Y if self.P is None else self.P @ Y
        return rows if self.Q is None else rows @ self.Q.T

    def lower(self, W: np.ndarray) -> np.ndarray:
        return _in(self.Q, W if self.P is None else self.P.T @ W)

    def spread(self, dual: np.ndarray) -> np.ndarray:
        """Multipliers of all rows from those of the kept ones."""
        return np.bincount(self.kept, dual, minlength=len(self.constraints))


def outer(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """The matrices left_k right_kᵀ as rows (m, p·q)."""
    return (left[:, :, None] * right[:, None, :]).reshape(len(left), left.shape[1] * right.shape[1])


def _near_one(vectors: np.ndarray) -> np.ndarray:
    """The vectors times powers of two, which round nothing, so that products of their numbers do not vanish."""
    return np.ldexp(vectors, -np.frexp(np.abs(vectors).max(1, keepdims=True))[1])


def lengths(vectors: np.ndarray) -> np.ndarray:
    return np.sqrt((vectors * vectors).sum(-1))


def transposed(matrices: np.ndarray) -> np.ndarray:
    """The transposed matrices (..., q, p) of matrices (..., p, q), as a view."""
    return matrices.swapaxes(-1, -2)


def basis(vectors: np.ndarray) -> np.ndarray:
    """Orthonormal columns (d, at most count) whose span holds the vectors (count, d)."""
    return np.linalg.qr(vectors.T)[0]


def _in(basis: np.ndarray | None, vectors: np.ndarray) -> np.ndarray:
    """The coordinates of the vectors in the basis."""
    return vectors if basis is None else vectors @ basis
