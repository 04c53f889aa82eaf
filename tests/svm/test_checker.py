"""The checker accepts true certificates and rejects every way we know to spoil one."""

from dataclasses import replace

import numpy as np
import pytest
from svm_references import conflict, gaussian

from attnsvm import geometry
from attnsvm.svm import Status, separation, solve
from attnsvm.svm.checker import check
from attnsvm.svm.verdict import Verdict

NORMS = (*geometry.NAMES, "l1.75", "l3")


def problem():
    return separation(*gaussian(0))


def verdict(c, norm, claim):
    return check(c.factors, c.bound, c.equality, norm, {"fro": 1e-10}.get(norm, 1e-7), claim)


@pytest.mark.parametrize("norm", NORMS)
def test_true_certificates_pass(norm):
    c = problem()
    said = verdict(c, norm, solve(c, norm))
    assert (said.status, said.reason, said.arithmetic) == ("solved", "", "floating")
    assert 0 < said.low <= said.high
    assert said.gap <= {"fro": 1e-12}.get(norm, 1e-9)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lambda s: {"W": s.W * 0.999}, "times the solution is meant"),
        (lambda s: {"W": s.W * 1.001}, "times the solution is meant"),
        (lambda s: {"W": s.W * 1e15}, "times the solution is meant"),
        (lambda s: {"W": -s.W}, "a constraint is violated"),
        (lambda s: {"W": s.W + 0.01 * np.abs(s.W).max()}, "the duality gap is too large"),
        (lambda s: {"W": s.W * np.nan}, "the solution is not finite"),
        (lambda s: {"dual": s.dual * 0}, "the duality gap is too large"),
        (lambda s: {"dual": s.dual + 0.01 * s.dual.max()}, "the duality gap is too large"),
        (lambda s: {"dual": s.dual - 1e-3}, "a multiplier is not finite, or negative"),
        (lambda s: {"dual": s.dual * np.inf}, "a multiplier is not finite, or negative"),
        (lambda s: {"status": Status.UNCERTIFIED}, "status uncertified claims nothing"),
        (lambda s: {"status": Status.INFEASIBLE}, "the Farkas combination of the constraints is not zero"),
    ],
)
def test_a_spoilt_solution_is_rejected(norm, spoil, reason):
    c = problem()
    claim = solve(c, norm)
    with np.errstate(invalid="ignore"):
        said = verdict(c, norm, replace(claim, **spoil(claim)))
    assert said.status == "uncertified"
    assert reason in said.reason


@pytest.mark.parametrize("norm", NORMS)
def test_multipliers_prove_the_same_at_any_scale(norm):
    c = problem()
    claim = solve(c, norm)
    sure = verdict(c, norm, claim)
    for power in (-500, -3, 5, 500):
        scaled = verdict(c, norm, replace(claim, dual=np.ldexp(claim.dual, power)))
        assert (scaled.low, scaled.high) == (sure.low, sure.high)


def test_a_solution_of_another_norm_is_rejected():
    c = problem()
    assert verdict(c, "nuc", solve(c, "fro")).status == "uncertified"
    assert verdict(c, "fro", solve(c, "nuc")).status == "uncertified"


def test_a_farkas_certificate_passes_and_a_spoilt_one_does_not():
    c = separation(*conflict())
    claim = solve(c)
    assert claim.status is Status.INFEASIBLE
    assert verdict(c, "fro", claim).status == "infeasible"
    alone = np.where(np.arange(len(c)) == claim.dual.argmax(), claim.dual, 0.0)
    assert "is not zero" in verdict(c, "fro", replace(claim, dual=alone)).reason
    assert "promises no positive bound" in verdict(c, "fro", replace(claim, dual=0 * claim.dual)).reason
    assert "negative" in verdict(c, "fro", replace(claim, dual=-claim.dual)).reason


def test_feasible_constraints_have_no_farkas_certificate():
    """Any non-negative multipliers fail: brute force over random ones on a problem with a separator."""
    c, rng = problem(), np.random.default_rng(0)
    claim = solve(c)
    for _ in range(200):
        dual = rng.random(len(c)) ** 4
        guess = replace(claim, status=Status.INFEASIBLE, dual=dual / dual.sum())
        assert "is not zero" in verdict(c, "fro", guess).reason


def test_solve_asks_the_checker(monkeypatch):
    """An answer the checker does not like comes back uncertified, with the reason."""
    monkeypatch.setattr("attnsvm.svm.solver.check_all", lambda *_: [Verdict("uncertified", "because")])
    answer = solve(problem())
    assert answer.status is Status.UNCERTIFIED
    assert answer.rejected == "because"
    assert not answer.solved


def test_a_combination_small_beside_its_multipliers_only_refutes_nothing():
    """A huge multiplier on a tiny equality must not hide what is left: here a W of norm 1e5 separates."""
    tokens = np.array([[[0.0, 0.0], [-1e-6, -1e-11], [-1.0, 0.0]]])
    c = separation(tokens, np.ones((1, 1)), np.array([[True, True, False]]))
    dual = np.where(c.equality, -1e6, 1.0)
    claim = replace(solve(separation(*conflict())), dual=dual / np.abs(dual).sum())
    assert verdict(c, "fro", claim).status == "uncertified"
    assert solve(c).solved


@pytest.mark.parametrize("tol", [float("nan"), float("inf"), 0.0, -1.0, "tight"])
def test_a_tolerance_that_is_no_positive_number_is_refused(tol):
    with pytest.raises(ValueError, match="tol: expected a relative gap above 0 and at most 1e-07, or None, got"):
        solve(problem(), tol=tol)


@pytest.mark.parametrize("norm", ["fro", "nuc", "l1"])
def test_ranks_are_those_of_the_answer_that_was_judged(norm):
    """They are counted when they are first read, whatever has become of W."""
    c = problem()
    answer = solve(c, norm)
    first, later = verdict(c, norm, answer), verdict(c, norm, answer)
    assert first.ranks.rank > 0
    answer.W[:] = 1.0
    assert later.ranks == first.ranks == answer.ranks


def hardly_separable(away=1e-9):
    """A winner that is `away` from the middle of two losers: every W has a norm of some 1/away."""
    tokens = np.array([[[0.0, away, 0.0], [1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]]])
    return separation(tokens, np.ones((1, 1)), np.array([0]))


@pytest.mark.parametrize("norm", ["fro", "nuc", "l1"])
def test_a_wrong_solution_of_a_problem_whose_multipliers_say_more_is_remote(norm):
    c = hardly_separable()
    best = solve(c, norm)
    assert best.solved
    for W in (-best.W, 0 * best.W, best.W + 1e10 * np.array([[1.0], [0.0], [0.0]])):
        said = verdict(c, norm, replace(best, W=W))
        assert said.status == "remote"
        assert 1e8 < said.low <= best.high < said.high == np.inf
    assert verdict(c, norm, replace(best, W=best.W * 1.001)).status == "uncertified"  # there is a W
    c = hardly_separable(1e-3)
    assert verdict(c, norm, replace(solve(c, norm), W=-solve(c, norm).W)).status == "uncertified"


def test_a_wrong_solution_of_a_problem_that_its_multipliers_refute_is_infeasible(monkeypatch):
    c = hardly_separable(0.0)
    refuted = solve(c)
    assert refuted.status is Status.INFEASIBLE
    wrong = replace(refuted, status=Status.SOLVED, W=np.ones(c.shape))
    assert verdict(c, "fro", wrong).status == "infeasible"
    monkeypatch.setattr("attnsvm.svm.solver._claims", lambda *_: [wrong])
    answer = solve(c)
    assert answer.status is Status.INFEASIBLE
    assert np.isnan(answer.W).all()
