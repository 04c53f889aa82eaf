"""Problems with far more dimensions than constraints: solved in coordinates of the spans, answered by factors of W.

The bases are orthonormal, so that constraints, multipliers and unitarily invariant norms stay what they are.
"""

from dataclasses import fields

import numpy as np

from attnsvm.geometry import Norm
from attnsvm.svm.constraints import Constraints, TokenConstraints
from attnsvm.svm.solution import FactoredSolution, Solution
from attnsvm.svm.subspaces import basis

WIDE = 2**18  # entries of W from which on it may be held as factors: the singular values of 512 x 512 take 0.1 s
WORTH = 4  # how many times fewer entries the coordinates must have


class Narrow:
    """A wide problem in coordinates: its W is P Y Qᵀ with the Y of `constraints`.

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
