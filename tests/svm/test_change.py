"""The least change of a W: closed forms, a conic solver, the conditions of optimality, and refutations."""

import cvxpy as cp
import numpy as np
import pytest
from svm_references import conflict

from attnsvm.errors import UserError
from attnsvm.svm import Status, change, least_change, separation
from attnsvm.svm.ledger import judged


def drawn(seed, n=6, T=5, d=7):
    """Tokens, queries, a W, and what W selects."""
    rng = np.random.default_rng(seed)
    tokens, queries, W = rng.normal(size=(n, T, d)), rng.normal(size=(n, d)), rng.normal(size=(d, d))
    return tokens, queries, W, np.einsum("ntd,de,ne->nt", tokens, W, queries).argmax(1)


def wished(seed, **sizes):
    """A W, and constraints that it does not meet: in two inputs another token than the one it selects."""
    tokens, queries, W, selected = drawn(seed, **sizes)
    selected[:2] = (selected[:2] + 1) % tokens.shape[1]
    return W, separation(tokens, queries, selected, 0.3)


def test_one_constraint_has_a_closed_form():
    """D = (bound − ⟨A, W⟩) A / ‖A‖²."""
    tokens, queries, W, selected = drawn(0, n=1, T=2)
    c = separation(tokens, queries, 1 - selected, 0.5)
    A = np.outer(c.left[0], c.right[0])
    missing = 0.5 - (A * W).sum()
    np.testing.assert_allclose(least_change(c, W).W, missing * A / (A * A).sum(), rtol=1e-12)


def test_a_W_that_meets_all_is_left_as_it_is():
    tokens, queries, W, selected = drawn(1)
    answer = least_change(separation(tokens, queries, selected, 0.0), W)
    assert answer.status is Status.SOLVED
    assert not answer.W.any()
    assert not answer.dual.any()


@pytest.mark.parametrize("seed", range(8))
def test_a_conic_solver_finds_no_less(seed):
    """Clarabel at its default tolerances is right to about 1e-8."""
    W, c = wished(seed)
    answer = least_change(c, W)
    D = cp.Variable(W.shape)
    asks = [cp.sum(cp.multiply(np.outer(u, z), W + D)) >= b for u, z, b in zip(c.left, c.right, c.bound, strict=True)]
    problem = cp.Problem(cp.Minimize(cp.norm(D, "fro")), asks)
    assert problem.solve(solver=cp.CLARABEL) == pytest.approx(np.linalg.norm(answer.W), rel=1e-6)
    np.testing.assert_allclose(D.value, answer.W, atol=1e-4)


@pytest.mark.parametrize("n", [6, 60])
def test_the_conditions_of_optimality_hold(n):
    """Margins, multipliers, and a multiplier only where the margin is tight; also where products go through tokens."""
    W, c = wished(3, n=n, d=12)
    answer = least_change(c, W)
    room = c.apply(W + answer.W) - c.bound
    assert room.min() > -1e-11
    assert answer.dual.min() >= 0
    assert (answer.dual * room).max() < 1e-11
    combined = c.adjoint(answer.dual)
    np.testing.assert_allclose(answer.W, np.linalg.norm(answer.W) * combined / np.linalg.norm(combined), atol=1e-11)
    assert (c.apply(W) < c.bound).any()
    assert (c.bound - c.apply(W) < 0).any()  # bounds of both signs


def test_the_working_set_is_far_smaller_than_the_problem_and_decides_nothing(monkeypatch):
    W, c = wished(4, n=80, T=12, d=14)
    few = least_change(c, W)
    assert (few.dual > 0).sum() < len(c) / 4
    monkeypatch.setattr(change, "AT_LEAST", len(c))
    np.testing.assert_allclose(least_change(c, W).W, few.W, atol=1e-11)


def test_what_no_W_gives_is_refuted_and_counted():
    """Two inputs with the same tokens and the same query that select different tokens."""
    before = dict(judged)
    answer = least_change(separation(*conflict()), np.ones((4, 4)))
    assert answer.status is Status.INFEASIBLE
    assert judged["infeasible"] == before.get("infeasible", 0) + 1


def test_an_answer_that_is_too_long_is_not_certified(monkeypatch):
    """The checker is asked, whatever the solver says."""
    W, c = wished(6)
    right = change._multipliers
    monkeypatch.setattr(change, "_multipliers", lambda c: (right(c)[0] + 1e-3, True))
    assert least_change(c, W).status is Status.UNCERTIFIED


def test_bad_input_is_one_sentence():
    tokens, queries, W, selected = drawn(7)
    c = separation(tokens, queries, selected)
    with pytest.raises(UserError, match=r"W: expected the shape \(7, 7\), got \(7, 6\)"):
        least_change(c, W[:, :6])
    with pytest.raises(UserError, match="W: expected finite numbers"):
        least_change(c, np.full_like(W, np.nan))
    with pytest.raises(UserError, match="name one token for each input"):
        least_change(separation(tokens, queries, np.eye(5, dtype=bool)[[0, 1, 2, 3, 4, 0]] | True), W)


def test_opposite_wishes_that_differ_by_rounding_alone_are_never_solved():
    """⟨A, W⟩ ≥ b and ⟨−A, W⟩ ≥ b: no W, but where b is a ten millionth of what W gives rounding hides it."""
    tokens, queries, W, _ = drawn(5, n=1, T=2)
    tokens, queries = np.repeat(tokens, 2, 0), np.repeat(queries, 2, 0)
    for bound, statuses in ((1.0, {Status.INFEASIBLE}), (1e-7, {Status.INFEASIBLE, Status.UNCERTIFIED})):
        assert least_change(separation(tokens, queries, np.array([0, 1]), bound), 10 * W).status in statuses


def test_margins_that_are_rounded_refute_nothing():
    """Five rows that add up to zero, and bounds of zero: D = −W meets them, whatever the rounded margins add up to."""
    rows = np.array([[-3.0, 0, 2], [-4, 1, 2], [-4, -3, 2], [1, -2, 0], [10, 4, -6]])
    W = np.array(
        [
            [0.00039686628606357924, 0.0011915012129812721],
            [0.00012476042954078737, 0.0018307203440985128],
            [0.0012658270785976002, 0.0010631808709146329],
        ]
    )
    c = separation(np.stack([rows, 0 * rows], 1), np.ones((5, 2)), np.zeros(5, dtype=int), bound=0.0)
    assert (c.apply(np.zeros_like(W)) >= c.bound).all()
    assert least_change(c, W).status != "infeasible"
