"""Descents in lockstep against `scipy.optimize.minimize`, one at a time: the same ends to the bit.

The compiled function that both call is not public in SciPy: this test says whether the installed version has it.
"""

import numpy as np
import pytest
from scipy.optimize import minimize

from attnsvm.experiments.paper.regularisation_path.lockstep import minimise

STARTS = np.random.default_rng(0).normal(size=(7, 6))


def valley(shift, x):
    """Rosenbrock's function, moved: many steps, and line searches that ask more than once. `shift` (A,), x (A, 6)."""
    y = x - shift[:, None]
    rise, away = y[:, 1:] - y[:, :-1] ** 2, 1 - y[:, :-1]
    gradient = np.zeros_like(y)
    gradient[:, 1:] += 200 * rise
    gradient[:, :-1] -= 400 * rise * y[:, :-1] + 2 * away
    return (100 * rise**2 + away**2).sum(1), gradient


def kink(shift, x):
    """|x|: no line search succeeds at the kink, and descents end as abnormal."""
    return np.abs(x - shift[:, None]).sum(1), np.sign(x - shift[:, None])


@pytest.mark.parametrize("iterations", [2000, 7])
@pytest.mark.parametrize("function", [valley, kink])
def test_the_ends_are_those_of_minimize(function, iterations):
    shifts, asked = np.linspace(-1, 1, len(STARTS)), []

    def some(which):
        def evaluate(x):
            asked.append(len(x))
            return function(shifts[which], x)

        return evaluate

    ends = minimise(some, STARTS, iterations=iterations, ftol=1e-15, gtol=1e-10)
    options = {"maxiter": iterations, "maxfun": 10**6, "maxcor": 20, "ftol": 1e-15, "gtol": 1e-10}
    evaluations = []
    for shift, start, end in zip(shifts, STARTS, ends, strict=True):

        def alone(x, shift=shift):
            value, gradient = function(np.array([shift]), x[None])
            return value[0], gradient[0]

        found = minimize(alone, start, jac=True, method="L-BFGS-B", options=options)
        assert np.array_equal(end, found.x)
        evaluations.append(found.nfev)
    assert len(asked) < sum(evaluations) / 3  # in one call with the others
    assert max(asked) == len(STARTS)


def test_a_start_at_the_minimum_stays():
    ends = minimise(lambda which: lambda x: ((x**2).sum(1), 2 * x), np.zeros((2, 3)), 10, 1e-15, 1e-10)
    assert np.array_equal(ends, np.zeros((2, 3)))
