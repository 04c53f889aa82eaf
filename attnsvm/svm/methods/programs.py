"""cvxpy problems min f(W) s.t. ⟨A_k, W⟩ ≥ b_k, or = b_k: compiled once for a shape.

Such problems differ only in numbers of their cone programs. cvxpy compiles one in which every number has a name, which
is a number itself; those of others are written in the places of the names, and the solver gets what cvxpy hands it.
"""

import warnings
from collections.abc import Sequence

import numpy as np

FIRST = 2.0**20  # the first name: no other number of a cone program is so large


class Program:
    """A compiled problem.

    Args:
        objective: a cvxpy expression of W.
        W: the cvxpy variable that the rows act on.
        equality: (m,) bool.
        solver: its name.
        more: constraints that have no such numbers.
    """

    def __init__(self, objective, W, equality: np.ndarray, solver: str, more: Sequence = ()):
        import cvxpy

        self.W, self.equality = W, equality
        rows = FIRST + np.arange(len(equality) * W.size).reshape(len(equality), W.size)
        bound, margins = FIRST + np.arange(len(equality)), rows @ cvxpy.vec(W, order="C")
        self.parts = []
        if not equality.all():
            self.parts.append((~equality, margins[~equality] >= bound[~equality]))
        if equality.any():
            self.parts.append((equality, bound[equality] - margins[equality] == 0))
        constraints = [*(constraint for _, constraint in self.parts), *more]
        self.problem = cvxpy.Problem(cvxpy.Minimize(objective), constraints)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a norm that is approximated shows in the gap
            self.data, self.chain, self.inverse_data = self.problem.get_problem_data(solver, solver_opts={})

    def numbers(self, rows: np.ndarray, bound: np.ndarray) -> dict:
        """The cone program for the rows (m, size of W), in C order, and bounds (m,); no zero is stored in it."""
        A, b = self.data["A"].copy(), self.data["b"].copy()
        for array, values in ((A.data, rows.ravel()), (b, bound)):
            named = np.abs(array) >= FIRST
            names = array[named]
            array[named] = np.sign(names) * values[(np.abs(names) - FIRST).astype(int)]
        A.eliminate_zeros()
        return self.data | {"A": A, "b": b}

    def solve(self, rows: np.ndarray, bound: np.ndarray, **settings) -> np.ndarray | None:
        """W; None where the solver has none. `settings` are those of the solver."""
        data = self.numbers(rows, bound)
        solution = self.chain.solve_via_data(self.problem, data, solver_opts=settings)
        self.problem.unpack_results(solution, self.chain, self.inverse_data)
        return self.W.value

    def dual(self) -> np.ndarray | None:
        """The multipliers (m,) of the problem that was solved last; None where there are none."""
        found = np.zeros(len(self.equality))
        for rows, constraint in self.parts:
            if constraint.dual_value is None:
                return None
            found[rows] = constraint.dual_value
        return found
