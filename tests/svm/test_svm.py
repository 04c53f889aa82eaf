"""Max-margin solutions against closed forms, other solvers and exact arithmetic."""

import numpy as np
import pytest
from exact import hold
from svm_references import gaussian

from attnsvm.svm import Status, as_arrays, finite_part, separation, solve

GAP = {"fro": 1e-10, "nuc": 1e-7}  # the relative duality gap each norm promises
NORMS = sorted(GAP)
# By how much two solutions of the same problem may differ, relative to the largest entry. Frobenius: unique, gaps near
# rounding; measured 1e-15. Nuclear: a gap of 1e-11 pins W down to its square root times a constant; measured 3e-7.
CLOSE = {"fro": 1e-9, "nuc": 1e-5}


def random_problem(seed, n=3, T=4, d=5, e=None):
    return gaussian(seed, n, T, d, e)


def random_sets(seed, n, T):
    """Two selected tokens in the first input, one to three in the others, never all of them."""
    rng = np.random.default_rng(seed)
    chosen = np.zeros((n, T), dtype=bool)
    for i, row in enumerate(chosen):
        row[rng.choice(T, size=2 if i == 0 else rng.integers(1, min(4, T)), replace=False)] = True
    return chosen


def value(W, norm):
    return np.linalg.norm(W, norm)


def judged(constraints, solution, norm):
    """The status that the checker gives the answer, in all of which exact arithmetic confirms it."""
    counts = hold([(constraints.factors, constraints.bound, constraints.equality, norm, GAP[norm], solution)])
    ((_, status, _),) = counts
    return status


def assert_optimal(constraints, solution, norm):
    assert solution.status is Status.SOLVED
    assert solution.rejected == ""
    assert judged(constraints, solution, norm) == "solved"
    assert solution.gap <= GAP[norm]
    assert 1 <= solution.rank_low <= solution.rank <= solution.rank_bound


def assert_refuted(constraints, solution, norm):
    assert solution.status is Status.INFEASIBLE
    assert solution.rejected == ""
    assert not solution.solved
    assert judged(constraints, solution, norm) == "infeasible"
    assert np.isnan(solution.W).all()
    assert solution.gap == np.inf
    assert solution.rank == solution.rank_low == 0


# ------------------------------------------------------------------------------------------- against other answers


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize(("d", "e"), [(1, 1), (2, 2), (5, 5), (4, 7)])
def test_one_input_with_two_tokens_has_a_closed_form(norm, d, e):
    tokens, queries, _ = random_problem(d, n=1, T=2, d=d, e=e)
    for a in (0, 1):
        c = separation(tokens, queries, np.array([a]))
        solution = solve(c, norm)
        difference, z = tokens[0, a] - tokens[0, 1 - a], queries[0]
        W = np.outer(difference, z) / ((difference @ difference) * (z @ z))
        # one rank-one direction: the reduction leaves a 1 × 1 problem, solved to rounding, and the gap decides W
        np.testing.assert_allclose(solution.W, W, rtol=0, atol=1e-9 * np.linalg.norm(W))
        assert_optimal(c, solution, norm)
        assert solution.rank == 1


@pytest.mark.parametrize("seed", range(6))
def test_finite_part_is_the_least_norm_matrix_with_the_log_ratios(seed):
    n, T, d = [(3, 4, 6), (2, 5, 4), (3, 3, 8)][seed % 3]
    tokens, queries, _ = random_problem(seed, n, T, d)
    chosen = random_sets(seed, n, T)
    p = np.random.default_rng(seed).dirichlet(np.ones(T), size=n)
    W = solve(finite_part(tokens, queries, chosen, p), "fro").W
    rows, ratios = [], []
    for i in range(n):
        inside = np.flatnonzero(chosen[i])
        for t in inside:
            for u in inside:
                logits = tokens[i] @ W @ queries[i]
                # 1e-10: least squares of condition below 1e3
                assert logits[t] - logits[u] == pytest.approx(np.log(p[i, t] / p[i, u]), abs=1e-10)
                rows.append(np.outer(tokens[i, t] - tokens[i, u], queries[i]).ravel())
                ratios.append(np.log(p[i, t] / p[i, u]))
    expected = (np.linalg.pinv(np.array(rows), rcond=1e-10) @ ratios).reshape(d, d)
    np.testing.assert_allclose(W, expected, rtol=0, atol=1e-10 * max(1, np.abs(expected).max()))


def test_finite_part_of_single_tokens_asks_nothing():
    tokens, queries, _ = random_problem(0)
    c = finite_part(tokens, queries, np.eye(4, dtype=bool)[:3], np.full((3, 4), 0.25))
    assert len(c) == 0
    solution = solve(c, "fro")
    assert solution.solved
    assert not solution.W.any()


# ---------------------------------------------------------------------------------------------------- feasibility


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("case", ["duplicate token", "zero query", "between", "contradiction", "sets"])
def test_impossible_problems_get_a_farkas_certificate(norm, case):
    tokens, queries, selected = random_problem(5)
    if case == "duplicate token":
        tokens[1, (selected[1] + 1) % 4] = tokens[1, selected[1]]
    elif case == "zero query":
        queries[2] = 0
    elif case == "between":  # in one dimension the middle token beats at most one of its neighbours
        tokens, queries, selected = np.array([[[1.0], [2.0], [3.0]]]), np.array([[2.0]]), np.array([1])
    elif case == "contradiction":  # the same input twice, with another token each time
        tokens[1], queries[1], selected = tokens[0], queries[0], np.array([0, 1, 0])
    else:  # equal logits at −1 and 1 force W z = 0 there, which cannot favour them over 0
        tokens, queries = np.array([[[-1.0], [0.0], [1.0]]]), np.array([[1.0]])
        selected = np.array([[True, False, True]])
    c = separation(tokens, queries, selected)
    assert_refuted(c, solve(c, norm), norm)


@pytest.mark.parametrize("norm", NORMS)
def test_contradicting_equalities_get_a_certificate(norm):
    tokens, queries, _ = random_problem(6)
    tokens[1], queries[1] = tokens[0], queries[0]
    p = np.array([[0.2, 0.8, 0, 0], [0.5, 0.5, 0, 0], [1.0, 0, 0, 0]]) + 1e-9
    c = finite_part(tokens, queries, p > 0.1, p)
    assert c.bound.tolist() != [0, 0]
    assert_refuted(c, solve(c, norm), norm)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("narrow", [1e-2, 1e-5, 1e-8])
def test_a_nearly_impossible_problem_is_solved_with_its_huge_norm(norm, narrow):
    """(±1, ε)·w ≥ 1 has the one solution of least norm w = (0, 1/ε)."""
    tokens = np.array([[[0.0, 0.0], [-1.0, -narrow], [1.0, -narrow]]])
    solution = solve(separation(tokens, np.array([[1.0, 0.0]]), np.array([0])), norm)
    assert solution.solved
    # 1e-9: measured to the last bit; the multipliers, of order 1/ε², are where rounding shows
    np.testing.assert_allclose(solution.W, [[0, 0], [1 / narrow, 0]], rtol=0, atol=1e-9 / narrow)


# -------------------------------------------------------------------------------------------------- easy extremes


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("shape", ["one token", "every token selected"])
def test_nothing_to_separate_gives_zero(norm, shape):
    tokens, queries, _ = random_problem(3)
    chosen = np.zeros(3, dtype=int) if shape == "one token" else np.ones((3, 4), dtype=bool)
    solution = solve(separation(tokens[:, :1] if shape == "one token" else tokens, queries, chosen), norm)
    assert solution.solved
    assert solution.W.shape == (5, 5)
    assert not solution.W.any()
    assert solution.gap == 0
    assert solution.rank == 0


@pytest.mark.parametrize("norm", NORMS)
def test_a_repeated_constraint_or_member_changes_nothing(norm):
    tokens, queries, selected = random_problem(7)
    plain = solve(separation(tokens, queries, selected), norm)
    losers = tokens[np.arange(3), (selected + 1) % 4]
    twice = separation(np.concatenate([tokens, losers[:, None]], axis=1), queries, selected)
    doubled = solve(twice, norm)
    assert_optimal(twice, doubled, norm)
    np.testing.assert_allclose(doubled.W, plain.W, rtol=0, atol=CLOSE[norm] * np.abs(plain.W).max())
    members = np.eye(4, dtype=bool)[selected]
    copies = np.concatenate([tokens, tokens[np.arange(3), selected][:, None]], axis=1)  # the winner once more
    both = separation(copies, queries, np.concatenate([members, np.ones((3, 1), dtype=bool)], axis=1))
    again = solve(both, norm)
    assert_optimal(both, again, norm)
    assert value(again.W, norm) == pytest.approx(value(plain.W, norm), rel=2 * GAP[norm])


# ----------------------------------------------------------------------------------------------------- symmetries


def test_rank_is_that_of_the_planted_problem():
    """Inputs along orthogonal axes: W is diagonal, one rank-one piece an input, in either norm."""
    n = 4
    tokens = np.zeros((n, 2, n))
    tokens[np.arange(n), 0, np.arange(n)] = [1.0, 2.0, 4.0, 8.0]
    c = separation(tokens, np.eye(n), np.zeros(n, dtype=int))
    for norm in NORMS:
        solution = solve(c, norm)
        np.testing.assert_allclose(solution.W, np.diag([1, 0.5, 0.25, 0.125]), rtol=0, atol=1e-7)
        assert solution.rank == solution.rank_bound == n


def test_nuclear_solutions_of_low_rank_are_counted_so():
    """Below the number of inputs, proved by the multiplicity of the multiplier matrix's largest singular value."""
    ranks = []
    for seed in range(10):
        c = separation(*random_problem(seed, n=4, T=3, d=8))
        solution = solve(c, "nuc")
        assert_optimal(c, solution, "nuc")
        sigma = np.linalg.svd(solution.W, compute_uv=False)
        assert solution.rank == (sigma > 1e-6 * sigma[0]).sum()
        tight = np.linalg.svd(c.adjoint(solution.dual), compute_uv=False)
        assert solution.rank_bound == (tight > (1 - 1e-5) * tight[0]).sum()
        ranks.append(solution.rank)
    assert min(ranks) < 4


# ------------------------------------------------------------------------------------------------------ interface


def test_a_tolerance_that_cannot_be_met_leaves_the_answer_uncertified():
    c = separation(*random_problem(0))
    assert solve(c, "nuc").solved
    strict = solve(c, "nuc", tol=1e-15)
    assert strict.status is Status.UNCERTIFIED
    assert not strict.solved
    assert 1e-15 < strict.gap < 1e-9
    assert strict.rank == 0


def test_stack_pads_multipliers_and_keeps_the_statuses():
    problems = [random_problem(0, 3, 4, 5), random_problem(1, 3, 2, 5)]
    solutions = [solve(separation(*p), "fro") for p in problems]
    columns = as_arrays(solutions)
    assert columns["status"].tolist() == ["solved", "solved"]
    assert columns["dual"].shape == (2, 9)
    assert np.isnan(columns["dual"][1, 3:]).all()
    assert np.array_equal(columns["dual"][1, :3], solutions[1].dual)
    assert np.array_equal(columns["W"], np.stack([s.W for s in solutions]))
