"""The public face as a user calls it, with the types that a type checker must see; no test runs it, mypy reads it."""

from typing import assert_type

import numpy as np

import attnsvm
from attnsvm import AttentionSVM, InfeasibleError, UncertifiedError
from attnsvm.svm import Constraints, Solution, Status, separation, solve, solve_batch

rng = np.random.default_rng(0)
tokens, queries = rng.normal(size=(3, 4, 5)), rng.normal(size=(3, 5))
constraints = separation(tokens, queries, np.zeros(3, dtype=int))
assert_type(constraints, Constraints)
solution = solve(constraints, "nuc")
assert_type(solution, Solution)
assert_type(solve_batch([constraints], norm="fro"), list[Solution])
assert_type(solution.status, Status)
assert_type(solution.gap, float)
assert_type(solution.rank, int)
assert_type(solution.W, np.ndarray)
estimator = AttentionSVM(norm="fro", tol=None)
assert_type(estimator.set_params(norm="nuc"), AttentionSVM)
try:
    assert_type(estimator.fit(tokens, queries, [0, 0, 0]), AttentionSVM)
except InfeasibleError as error:
    assert_type(error.inputs, list[int])
except UncertifiedError:
    raise
assert_type(estimator.infeasibility_, InfeasibleError | None)
assert_type(estimator.predict(tokens, queries), np.ndarray)
assert_type(estimator.score(tokens, queries, [0, 0, 0]), float)
assert_type(attnsvm.__version__, str)
