"""The judge against exact arithmetic: answers as they come, and answers made to deceive it.

The oracle (`exact`) shares nothing with the judge. Whatever is claimed, no verdict may say what it contradicts.
"""

from contextlib import suppress
from dataclasses import replace
from types import SimpleNamespace

import cvxpy
import numpy as np
import pytest
from exact import Exact, contradictions, exactly, hold, truth_of
from hypothesis import given, settings
from hypothesis import strategies as st
from svm_references import conflict, gaussian

from attnsvm import geometry
from attnsvm.svm import Status, certificate, ragged, separation, solve
from attnsvm.svm.checker import check
from attnsvm.svm.solver import norm_and_tolerance
from attnsvm.svm.verdict import Ranks, Verdict

NORMS = (*geometry.NAMES, "l1.75", "l3")
CHEAP = ("fro", "nuc", "l1", "linf", "rowmax", "rowsum", "l3")  # the others take a second for the first problem


def claim_of(status, W, dual, factors=None):
    return SimpleNamespace(status=status, W=W, dual=dual, factors=factors)


@pytest.mark.parametrize("norm", NORMS)
def test_what_is_said_of_random_answers_is_true(norm):
    """Answers of the solver, and three neighbours of each: moved by 1e-9, by 1e-13, and shorter by 1e-8."""
    rng, count = np.random.default_rng(NORMS.index(norm)), 0
    while count < 112:
        n, T, d, e = (int(rng.integers(*ends)) for ends in ((1, 5), (2, 5), (1, 6), (1, 6)))
        selected = rng.random((n, T)) < 0.3 if rng.random() < 0.3 else rng.integers(T, size=n)
        if selected.ndim == 2:
            selected[:, 0] |= ~selected.any(1)
        bound = 1.0 if rng.random() < 0.7 else rng.choice([0.0, 0.5, 1.0, 3.0], size=(n, T))
        c = separation(rng.normal(size=(n, T, d)), rng.normal(size=(n, e)), selected, bound)
        answer = solve(c, norm)
        status = "infeasible" if answer.status == "infeasible" else "solved"
        problem = Exact(c.factors, c.bound, c.equality)
        truth = exactly(truth_of, problem, norm, [claim_of(status, answer.W, answer.dual)], True)
        for noise, scale in ((0, 1), (1e-9, 1), (1e-13, 1), (0, 1 - 1e-8)):
            W, dual = (x * scale * (1 + noise * rng.normal(size=x.shape)) for x in (answer.W, answer.dual))
            claim = claim_of(status, W, dual)
            verdict, wrong = contradictions(
                c.factors, c.bound, c.equality, norm, norm_and_tolerance(norm, None)[1], claim, truth
            )
            assert wrong == [], (verdict, c, claim)
            count += 1
            if noise == 0 and scale == 1:
                assert verdict.status == answer.status


@pytest.mark.parametrize("norm", ["fro", "nuc"])
def test_answers_of_the_size_of_the_pipeline_are_confirmed(norm):
    """10 × 10 and 16 × 16, as most answers of a build; half of them with sets or margins of several sizes."""
    rng, made = np.random.default_rng(10), []
    for d in (10, 10, 10, 16, 16):
        tokens, queries = rng.normal(size=(4, 4, d)), rng.normal(size=(4, d))
        made += [
            separation(tokens, queries, rng.integers(4, size=4)),
            separation(tokens, queries, np.arange(4) < rng.integers(1, 4, size=(4, 1))),
            separation(tokens, queries, rng.integers(4, size=4), rng.random((4, 4)) + 0.5),
            separation(np.repeat(tokens[:1], 2, 0), np.repeat(queries[:1], 2, 0), np.array([0, 1])),
        ]
    tol = norm_and_tolerance(norm, None)[1]
    answers = [(c.factors, c.bound, c.equality, norm, tol, solve(c, norm)) for c in made]
    counts = hold(answers)
    assert counts[norm, "solved", "floating"] + counts[norm, "solved", "rational"] == 15
    assert counts[norm, "infeasible", "floating"] + counts[norm, "infeasible", "rational"] == 5


@st.composite
def degenerate(draw):
    """Constraints of which rounding, scales and copies are the hard part."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, T, d, e = draw(st.integers(1, 3)), draw(st.integers(2, 4)), draw(st.integers(1, 3)), draw(st.integers(1, 2))
    tokens, queries = rng.normal(size=(n, T, d)), rng.normal(size=(n, e))
    if draw(st.booleans()):
        tokens, queries = np.round(2 * tokens), np.round(2 * queries)
    selected = rng.integers(T, size=n)
    off = draw(st.sampled_from([0.0, 1e-15, 1e-14, 1e-13, 1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-6]))
    kind = draw(st.sampled_from(["plain", "copy", "mixture", "twins", "opposed", "parallel"]))
    i, other = rng.integers(n), (selected + 1) % T
    if kind == "copy":  # of the winner
        tokens[i, other[i]] = tokens[i, selected[i]] + off * rng.normal(size=d)
    elif kind == "mixture":  # the winner lies between others
        share = rng.dirichlet(np.ones(T - 1))
        rest = np.delete(tokens[i], selected[i], axis=0)
        tokens[i, selected[i]] = share @ rest + off * rng.normal(size=d)
    elif kind in ("twins", "opposed") and n > 1:  # two inputs alike, which agree or do not
        tokens[1], queries[1] = tokens[0] + off * rng.normal(size=(T, d)), queries[0] + off * rng.normal(size=e)
        selected[1] = selected[0] if kind == "twins" else other[0]
    elif kind == "parallel":  # rows of one direction
        tokens[:] = tokens[:1, :, :1] * rng.normal(size=d) + off * rng.normal(size=tokens.shape)
    if draw(st.booleans()):
        tokens = tokens * 2.0 ** rng.integers(-40, 41, size=(n, 1, 1))
    if draw(st.booleans()):
        tokens = tokens * 2.0 ** rng.integers(-20, 21, size=(n, T, 1))
    if draw(st.booleans()):
        queries = queries * 2.0 ** rng.integers(-40, 41, size=(n, 1))
    bound = draw(st.sampled_from([(1.0,), (1.0,), (0.0, 1.0), (1e-12, 1.0), (1e-4, 1.0, 1e6), (0.0,), (0.0, 1e-9)]))
    if draw(st.integers(0, 3)) == 0:
        chosen = rng.random((n, T)) < 0.5
        chosen[np.arange(n), selected] = True
        selected = chosen
    return separation(tokens, queries, selected, rng.choice(bound, size=(n, T))), rng


def forgeries(c, W, dual, rng):
    """Claims near an answer and far from it."""
    rows, best = np.arange(len(c)), np.argsort(c.lengths())
    single = np.where(rows == best[0], 1.0, 0.0)
    flat = c.left[:, :, None] * c.right[:, None, :]
    smallest = np.linalg.svd(flat.reshape(len(c), -1))[0][:, -1]
    smallest = np.where(c.equality, smallest, np.abs(smallest))
    power = 10.0 ** rng.integers(-30, 31)
    noise = 10.0 ** rng.integers(-16, -4)
    moved = W * (1 + noise * rng.normal(size=W.shape)), dual * (1 + noise * rng.normal(size=dual.shape))
    return [
        (W, dual),
        moved,
        (moved[0], dual),
        (W, moved[1]),
        (W * power, dual),
        (W, dual * power),
        (W * power, dual * power),
        (W * 1e15, dual * 0),
        (W, dual * 1e307),
        (W, np.where(c.equality, dual, 1.7e308)),
        (W, np.where(rows == best[-1], 1e300, dual)),
        (W * (1 - 10.0 ** rng.integers(-16, -3)), dual),
        (W * (1 + 10.0 ** rng.integers(-16, -3)), dual),
        (-W, np.where(c.equality, -dual, dual)),
        (np.where(rng.random(W.shape) < 0.3, 0.0, W), dual),
        (W, np.where(rng.random(len(c)) < 0.3, 0.0, dual)),
        (W * 0, dual),
        (W, single),
        (W, rng.random(len(c)) ** 4),
        (W, smallest),
        (W, -smallest),
        (W + rng.normal(size=W.shape), dual),
        (W * np.nan, dual),
        (W * 1e300, dual * 1e-300),
    ]


def trial(c, norm, rng, share):
    """All forgeries of one problem, or a share of them."""
    answers = [solve(c, "fro")]
    if norm != "fro" and len(c) < 8:
        with suppress(cvxpy.error.SolverError):  # there are forgeries of the other answer
            answers.append(solve(c, norm))
    problem = Exact(c.factors, c.bound, c.equality)
    claims = [claim_of("solved", np.nan_to_num(one.W), one.dual) for one in answers]
    truth = exactly(truth_of, problem, norm, claims, True)
    seen = []
    for claim in claims:
        with np.errstate(all="ignore"):
            forged_ones = forgeries(c, claim.W, claim.dual, rng)
        for W, dual in forged_ones:
            for status in ("solved", "infeasible", "remote"):
                if rng.random() < share:
                    forged = claim_of(status, W, dual)
                    tol = float(rng.choice([1e-10, 1e-7, 1e-3]))
                    with np.errstate(all="ignore"):
                        verdict, wrong = contradictions(c.factors, c.bound, c.equality, norm, tol, forged, truth)
                    assert wrong == [], (wrong, verdict, status, W, dual, c.left, c.right, c.bound, c.equality)
                    seen.append((status, verdict.status, verdict.arithmetic))
    return seen


@given(degenerate(), st.sampled_from(CHEAP))
@settings(max_examples=100, deadline=None, derandomize=True)
def test_no_forgery_proves_what_is_not_so(drawn, norm):
    c, rng = drawn
    trial(c, norm, rng, 0.3)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"low": 1 + 1e-12}, "is more than the multipliers prove"),
        ({"high": 1 - 1e-12, "low": 1 - 1e-12}, "is below the least norm"),
        ({"high": 1 + 1e-6}, "gap"),
        ({"radius": 1e-12}, "but the solution is"),
        ({"rank_low": 5}, "rank_low 5"),
        ({"rank_bound": 1}, "rank_error"),
    ],
)
def test_the_oracle_contradicts_a_false_verdict(change, sentence, monkeypatch):
    """Relative changes of bounds and radius, and other ranks."""
    rng = np.random.default_rng(2)
    c = separation(rng.normal(size=(3, 3, 4)), rng.normal(size=(3, 4)), np.zeros(3, dtype=int))
    answer = solve(c)
    assert answer.solved
    arguments = c.factors, c.bound, c.equality, "fro", 1e-10, claim_of("solved", answer.W, answer.dual)
    truth = exactly(truth_of, Exact(*arguments[:3]), "fro", [arguments[-1]], True)
    verdict, wrong = contradictions(*arguments, truth)
    assert wrong == []
    unit = {"low": answer.low, "high": answer.high, "radius": answer.radius}
    false = {name: value * unit.get(name, 1) for name, value in change.items()}
    ranks = verdict.ranks._replace(**{name: false.pop(name) for name in Ranks._fields if name in false})
    lying = replace(verdict, **false, counted=lambda: ranks)
    monkeypatch.setattr("exact.check", lambda *_: lying)
    assert sentence in " ".join(contradictions(*arguments, truth)[1])


@pytest.mark.parametrize("status", ["solved", "infeasible"])
def test_the_oracle_knows_whether_there_is_a_separator(status, monkeypatch):
    tokens, queries = np.array([[[1.0], [0.0]]] * 2), np.array([[1.0], [-1.0 if status == "solved" else 1.0]])
    c = separation(tokens, queries, np.array([0, 0]))  # W and, where they conflict, -W
    claim = claim_of(status, np.ones((1, 1)), np.ones(2))
    arguments = c.factors, c.bound, c.equality, "fro", 1e-10, claim
    truth = exactly(truth_of, Exact(*arguments[:3]), "fro", [], True)
    false = Verdict(status, low=1.0, high=1.0) if status == "solved" else Verdict(status, "", np.inf, np.inf)
    monkeypatch.setattr("exact.check", lambda *_: false)
    assert any("there is" in sentence for sentence in contradictions(*arguments, truth)[1])


def rank_one(left, right, bound, equality):
    """Constraints with the rows left_k right_kᵀ, as `check` takes them."""
    left, right = np.array(left, dtype=float), np.array(right, dtype=float)
    tokens, rows = np.concatenate([left, np.zeros((1, left.shape[1]))]), np.arange(len(left))
    return (tokens, right, rows, np.full(len(rows), len(rows)), rows), np.array(bound, dtype=float), np.array(equality)


@pytest.mark.parametrize(
    ("s", "f", "g"),
    [
        (4.030255155646314e-78, 1.851875912234257, 1.1389316791201975),
        (2.6850099597897026e-78, 1.5854795857606219, 1.732886076858715),
    ],
)
def test_equalities_that_exclude_one_another_are_not_independent_for_being_tiny(s, f, g):
    """The products of four lengths leave the normal numbers; the bounds differ by 1e-13."""
    rows = np.array([s * s, s * f * s * g])
    problem = rank_one([[s], [s * f]], [[s], [s * g]], rows * 1e146 * (1, 1 + 1e-13), [True, True])
    claim = claim_of("solved", np.array([[1e146]]), np.array([1 / rows[0], 0.0]))
    assert check(*problem, "fro", 1e-3, claim).status == "uncertified"


def test_a_margin_that_is_used_up_exactly_is_no_error():
    r = 0.506624190491757
    problem = rank_one([[0, 1], [1, 0]], [[1], [1]], [0, 1], [True, False])
    claim = claim_of("solved", np.array([[r + 58 * 2.0**-53], [r]]), np.array([0.0, 1.0]))
    assert check(*problem, "fro", 1e-3, claim).status == "uncertified"


@pytest.mark.parametrize("status", ["solved", "infeasible", "remote"])
@pytest.mark.parametrize("number", [np.nan, np.inf])
def test_tokens_and_queries_that_are_no_numbers_prove_nothing(status, number):
    claim = claim_of(status, np.ones((1, 1)), np.ones(2))
    for left, right in (([[number], [1]], [[1], [1]]), ([[1], [-1]], [[number], [1]])):
        verdict = check(*rank_one(left, right, [1, 1], [False, False]), "fro", 1e-7, claim)
        assert verdict.status == "uncertified"


@pytest.mark.parametrize("status", ["solved", "infeasible", "remote"])
def test_numbers_beyond_the_floats_are_no_error(status):
    """An exact combination of 1e300 times 1e50 has no float."""
    problem = rank_one([[1e50, 1.0], [-1e50, 1.0]], [[1e50, 1.0], [1e50, 3.0]], [1, 1], [False, False])
    for size in (1.0, 1e300, 1.7e308):
        claim = claim_of(status, np.full((2, 2), size), np.array([size, 1.0]))
        verdict, wrong = contradictions(*problem, "nuc", 1e-7, claim)
        assert wrong == [], verdict


def test_an_exact_refutation_has_as_many_digits_as_it_needs(tmp_path):
    """145 generic rows of 12 × 12 numbers depend in one way, whose weights have 4,967 digits."""
    rng = np.random.default_rng(0)
    left, queries = rng.normal(size=(145, 12)), rng.normal(size=(145, 12))
    weights = np.linalg.svd((left[:, :, None] * queries[:, None, :]).reshape(145, 144).T)[2][-1]
    tokens = np.stack([left * np.sign(weights)[:, None], np.zeros_like(left)], 1)
    np.savez(tmp_path / "p.npz", tokens=tokens, queries=queries, selected=np.zeros(145, dtype=int))
    inputs = certificate.read(tmp_path / "p.npz")
    answer = solve(ragged(inputs))
    certificate.save(tmp_path / "answer.npz", answer, "fro", 1e-10, tmp_path / "p.npz", inputs)
    assert certificate.verify(tmp_path / "answer.npz").endswith("verified exactly")
    assert certificate.load(tmp_path / "answer.npz")["farkas"].dtype.itemsize > 4 * 4300


# ---- what is said of true claims, and of claims that are wrong by little


def verdict(c, norm, claim):
    return check(c.factors, c.bound, c.equality, norm, {"fro": 1e-10}.get(norm, 1e-7), claim)


@pytest.mark.parametrize("factor", [0.999, 1.001, 1e15])
@pytest.mark.parametrize("norm", NORMS)
def test_which_multiple_of_the_solution_is_meant_is_said(norm, factor):
    c = separation(*gaussian(0))
    claim = solve(c, norm)
    said = verdict(c, norm, replace(claim, W=factor * claim.W))
    assert (said.status, "times the solution is meant" in said.reason) == ("uncertified", True)


@pytest.mark.parametrize("norm", NORMS)
def test_multipliers_prove_the_same_at_any_scale(norm):
    c = separation(*gaussian(0))
    claim = solve(c, norm)
    sure = verdict(c, norm, claim)
    for power in (-500, -3, 5, 500):
        scaled = verdict(c, norm, replace(claim, dual=np.ldexp(claim.dual, power)))
        assert (scaled.low, scaled.high) == (sure.low, sure.high)


def test_solve_asks_the_checker(monkeypatch):
    """An answer the checker does not like comes back uncertified, with the reason."""
    monkeypatch.setattr("attnsvm.svm.solver.check", lambda *_: Verdict("uncertified", "because"))
    answer = solve(separation(*gaussian(0)))
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


@pytest.mark.parametrize("norm", ["fro", "nuc", "l1"])
def test_ranks_are_those_of_the_answer_that_was_judged(norm):
    """They are counted when they are first read, whatever has become of W."""
    c = separation(*gaussian(0))
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
