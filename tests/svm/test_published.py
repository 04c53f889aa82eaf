"""The published procedure, re-stated literally here, against ours: same cone program, same rank."""

import sys
import warnings

import cvxpy
import numpy as np
import pytest

from attnsvm.analysis.selection import optimal_tokens
from attnsvm.data.draws import draw, gaussian
from attnsvm.svm import published, separation, solve
from attnsvm.svm.published import published_gap, published_rank, published_solution
from attnsvm.system.errors import MissingError


def instance(seed, n, T, d):
    problems = draw(gaussian, [seed], n, T, d)
    optimal = optimal_tokens(problems.tokens, problems.head, problems.labels)
    return problems.tokens[0], problems.queries[0], optimal[0]


def literal(tokens, queries, selected, norm):
    """One constraint object for each token that loses, the default solver, no look at the status."""
    W = cvxpy.Variable((tokens.shape[2], tokens.shape[2]))
    constraints = [
        (tokens[i, t] - tokens[i, a]).reshape(1, -1) @ W @ queries[i].reshape(-1, 1) <= -1
        for i, a in enumerate(selected)
        for t in range(tokens.shape[1])
        if t != a
    ]
    problem = cvxpy.Problem(cvxpy.Minimize(cvxpy.norm(W, norm)), constraints)
    problem.solve()
    return W.value


@pytest.mark.parametrize("norm", ["fro", "nuc"])
@pytest.mark.parametrize(("n", "T", "d"), [(5, 5, 2), (5, 5, 5), (10, 5, 4), (5, 10, 10)])
def test_same_solution_and_rank_as_the_literal_procedure(n, T, d, norm):
    for seed in range(3):
        tokens, queries, optimal = instance(seed, n, T, d)
        theirs = literal(tokens, queries, optimal, norm)
        ours = published_solution(separation(tokens, queries, optimal), norm)
        assert (ours is None) == (theirs is None)
        if theirs is not None:
            # The cone program is the same up to the order of sums; the solvers stop at 1e-5 and 1e-8.
            assert np.allclose(ours, theirs, rtol=0, atol=1e-4 * np.abs(theirs).max())
        assert published_rank(ours) == int(np.linalg.matrix_rank(theirs, tol=1e-7))


def test_the_solvers_are_those_that_the_notebooks_had_whatever_else_is_installed(monkeypatch):
    """cvxpy takes another for the nuclear norm where SCS is missing, and the ranks change without a word."""
    chosen = {norm: published._program(1, 2, 2, norm).chain.solver.name() for norm in ("fro", "nuc")}
    assert chosen == {"fro": "CLARABEL", "nuc": "SCS"}
    monkeypatch.setitem(sys.modules, "scs", None)
    published._program.cache_clear()
    with pytest.raises(MissingError, match=r"scs is not installed: make install, or pip install '.*\[figures-all\]'"):
        published_solution(separation(*instance(0, 5, 5, 2)), "nuc")


@pytest.mark.parametrize("norm", ["fro", "nuc"])
@pytest.mark.parametrize(("n", "T", "d"), [(5, 5, 1), (2, 3, 1), (5, 5, 2), (15, 5, 3), (5, 10, 6), (5, 5, 10)])
def test_the_solution_is_that_of_cvxpy(n, T, d, norm):
    """To the bit; with d = 1 tokens are ±1, and differences vanish, which are zeros that are not stored."""
    zeros = 0
    for seed in range(4):
        c = separation(*instance(seed, n, T, d))
        rows = c.left[:, :, None] * c.right[:, None, :]
        W = cvxpy.Variable((d, d))
        problem = cvxpy.Problem(
            cvxpy.Minimize(cvxpy.norm(W, norm)), [-rows.reshape(len(c), -1) @ cvxpy.vec(W, order="C") <= -1]
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            problem.solve()
        ours = published_solution(c, norm)
        assert (ours is None) == (W.value is None)
        assert ours is None or np.array_equal(ours, W.value)
        zeros += (rows == 0).sum()
    assert (zeros > 0) == (d == 1)


def test_an_infeasible_instance_counts_as_rank_one():
    tokens, queries, optimal = instance(0, 15, 5, 3)
    constraints = separation(tokens, queries, optimal)
    assert solve(constraints).status == "infeasible"
    W = published_solution(constraints, "nuc")
    assert W is None
    assert published_rank(W) == 1


def test_the_gap_of_a_published_solution_is_its_excess_over_the_certified_value():
    tokens, queries, optimal = instance(0, 5, 5, 10)
    constraints = separation(tokens, queries, optimal)
    proof = solve(constraints, "nuc")
    W = published_solution(constraints, "nuc")
    scaled = W / min(
        (tokens[i, a] - tokens[i, t]) @ W @ queries[i] for i, a in enumerate(optimal) for t in range(5) if t != a
    )
    excess = 1 - np.linalg.norm(proof.W, "nuc") / np.linalg.norm(scaled, "nuc")
    gap = published_gap(constraints, "nuc", W, proof.dual, proof.solved)
    assert np.isclose(gap, excess, atol=1e-8)  # the certified value is known to a gap below 1e-8
    assert 1e-8 < gap < 1e-3
    assert np.isnan(published_gap(constraints, "nuc", None, proof.dual, True))
    assert np.isnan(published_gap(constraints, "nuc", W, proof.dual, False))
