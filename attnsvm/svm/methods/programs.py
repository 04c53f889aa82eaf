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

        self.W, self.equality, self.more = W, equality, more
        rows = FIRST + np.arange(len(equality) * W.size).reshape(len(equality), W.size)
        bound, margins = FIRST + np.arange(len(equality)), rows @ cvxpy.vec(W, order="C")
        parts = [margins[~equality] >= bound[~equality]] if not equality.all() else []
        parts += [bound[equality] - margins[equality] == 0] if equality.any() else []
        self.problem = cvxpy.Problem(cvxpy.Minimize(objective), [*parts, *more])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a norm that is approximated shows in the gap
            self.data, self.chain, self.inverse_data = self.problem.get_problem_data(solver, solver_opts={})
        A = self.data["A"].tocoo()
        named = np.abs(A.data) >= FIRST
        row, entry = np.divmod((np.abs(A.data[named]) - FIRST).astype(int), W.size)
        # where the entries of W are in the solver's x, and the multipliers in its z, with their signs
        self.columns, self.places, self.signs = np.zeros(W.size, int), *np.zeros((2, len(equality)), int)
        self.columns[entry], self.places[row], self.signs[row] = A.col[named], A.row[named], -np.sign(A.data[named])

    def numbers(self, rows: np.ndarray, bound: np.ndarray) -> dict:
        """The cone program for the rows (m, size of W), in C order, and bounds (m,); no zero is stored in it."""
        A, b = self.data["A"].copy(), self.data["b"].copy()
        for array, values in ((A.data, rows.ravel()), (b, bound)):
            named = np.abs(array) >= FIRST
            names = array[named]
            array[named] = np.sign(names) * values[(np.abs(names) - FIRST).astype(int)]
        A.eliminate_zeros()
        return self.data | {"A": A, "b": b}

    def solve(self, rows: np.ndarray, bound: np.ndarray, **settings):
        """What the solver returns; `settings` are its own."""
        return self.chain.solve_via_data(self.problem, self.numbers(rows, bound), solver_opts=settings)

    def unpacked(self, solution) -> np.ndarray | None:
        """W of what the solver returned; None without one. The constraints in `more` then have their multipliers."""
        self.problem.unpack_results(solution, self.chain, self.inverse_data)
        return self.W.value
