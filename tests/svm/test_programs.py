"""A cone program that is compiled once gets the numbers that cvxpy hands its solver, to the bit."""

import cvxpy
import numpy as np
import pytest

from attnsvm import geometry
from attnsvm.svm.methods.programs import Program


@pytest.mark.parametrize("equality", [[False] * 5, [True, True, False, True, True], [True] * 5])
@pytest.mark.parametrize("norm", [*geometry.NAMES, "l1.75"])
def test_the_solver_gets_what_cvxpy_hands_it(norm, equality):
    rng, expression, equality = np.random.default_rng(5), geometry.get(norm).expression, np.array(equality)
    W = cvxpy.Variable((3, 2))
    program = Program(expression(cvxpy, W), W, equality, cvxpy.CLARABEL)
    for _ in range(2):
        rows, bound = rng.normal(size=(5, 6)), rng.random(5)
        rows[0, 0] = 0.0  # is not stored
        W = cvxpy.Variable((3, 2))
        margins = rows @ cvxpy.vec(W, order="C")
        unequal = [margins[~equality] >= bound[~equality]] if not equality.all() else []
        equal = [bound[equality] - margins[equality] == 0] if equality.any() else []
        problem = cvxpy.Problem(cvxpy.Minimize(expression(cvxpy, W)), unequal + equal)
        expected, numbers = problem.get_problem_data(cvxpy.CLARABEL)[0], program.numbers(rows, bound)
        for name in ("data", "indices", "indptr"):
            np.testing.assert_array_equal(getattr(numbers["A"], name), getattr(expected["A"], name))
        for name in ("b", "c"):
            np.testing.assert_array_equal(numbers[name], expected[name])
        assert repr(numbers["dims"]) == repr(expected["dims"])
