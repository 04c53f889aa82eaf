"""Constraints that are exact copies of others, as those of a copied input: solved once, however often they occur."""

from dataclasses import dataclass

import numpy as np

from attnsvm.svm.constraints import Constraints, Factors, TokenConstraints


@dataclass(frozen=True)
class Distinct:
    """A problem without copies.

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
    ordered = np.sort(values)
    return bool((ordered[1:] == ordered[:-1]).any())


def _names(rows: np.ndarray) -> np.ndarray:
    """A number for every row, the same for equal rows."""
    rows = np.ascontiguousarray(rows) + 0.0  # zero has one sign
    numbers: dict[bytes, int] = {}
    whole = rows.view(f"V{rows.shape[1] * rows.itemsize}").ravel().tolist()
    return np.array([numbers.setdefault(row, len(numbers)) for row in whole])
