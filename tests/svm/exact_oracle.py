"""What a support proves in exact arithmetic: the optimum of the Frobenius norm, or that no W exists.

Everything is written in rationals from the tokens and queries, and shares nothing with the package.
"""

import numpy as np
from flint import fmpq, fmpq_mat


def rational(value) -> fmpq:
    return fmpq(*float(value).as_integer_ratio())


class ExactProblem:
    """The constraints ⟨A_k, W⟩ ≥ b_k of one problem as rationals, from (tokens, queries, selected) with margins one."""

    def __init__(self, tokens, queries, selected):
        X = [[[rational(v) for v in x] for x in one] for one in tokens]
        self.left, self.right = [], []
        for x, z, alpha in zip(X, queries, selected, strict=True):
            query = [rational(v) for v in z]
            for t in range(len(x)):
                if t != alpha:
                    self.left.append([a - b for a, b in zip(x[alpha], x[t], strict=True)])
                    self.right.append(query)

    def rows(self, support) -> fmpq_mat:
        """(s, d·e), row-major in W."""
        numbers = [a * b for k in support for a in self.left[k] for b in self.right[k]]
        return fmpq_mat(len(support), len(numbers) // len(support), numbers)

    def optimum(self, support):
        """The W (d, e) of least Frobenius norm, rounded, if this support proves it; None if it does not.

        The conditions of Karush, Kuhn and Tucker: W is a combination of the rows in the support with multipliers that
        are not negative, meets these with equality, and meets all others.
        """
        rows = self.rows(support)
        try:
            y = (rows * rows.transpose()).solve(fmpq_mat(len(support), 1, [1] * len(support)))
        except ZeroDivisionError:
            return None
        w = rows.transpose() * y
        d, e = len(self.left[0]), len(self.right[0])
        W = fmpq_mat(d, e, w.entries())
        reached = [
            sum((a * b for a, b in zip(left, (W * fmpq_mat(e, 1, right)).entries(), strict=True)), fmpq(0))
            for left, right in zip(self.left, self.right, strict=True)
        ]
        if min(y.entries()) < 0 or min(reached) < 1:
            return None
        return np.array([int(v.p) / int(v.q) for v in w.entries()]).reshape(d, e)

    def refutes(self, support) -> bool:
        """Whether the rows combine to zero with positive multipliers, which are then unique up to a factor."""
        reduced, rank = self.rows(support).transpose().rref()
        if rank != len(support) - 1:
            return False
        last = [reduced[k, rank] for k in range(rank)]
        return all(reduced[k, k] == 1 and last[k] < 0 for k in range(rank))
