"""Problems at the edge: the support that the solver finds proves its answer in exact arithmetic."""

import numpy as np
import pytest
from edge import PROBLEMS, narrow, random_problem
from exact import Exact, exactly, weights_of

from attnsvm import AttentionSVM
from attnsvm.geometry import fro
from attnsvm.svm import rational, separation, solve
from attnsvm.svm.methods import multiprecision
from attnsvm.svm.methods.choice import METHODS, least_frobenius, named
from attnsvm.svm.reductions import Reduced

SEEDS = range(20)


def solved(problem, method=None):
    c = separation(*problem)
    return least_frobenius(Reduced(c), named(fro.NORM, len(c), method), lambda line: None)


def optimum(problem, dual):
    """The solution, if its rows with multipliers prove it."""
    c = separation(*problem)
    found = exactly(Exact(c.factors, c.bound, c.equality).tight, np.flatnonzero(dual).tolist())
    return None if found is None else np.array([int(x.p) / int(x.q) for x in found.entries()]).reshape(c.shape)


def refuted(problem, dual):
    """Whether the rows with multipliers combine to zero with others near."""
    c = separation(*problem)
    found = exactly(Exact(c.factors, c.bound, c.equality).refutation, weights_of(dual))
    return found is not None and {k for k, weight in enumerate(found) if weight} <= {*np.flatnonzero(dual).tolist()}


@pytest.mark.parametrize("name", PROBLEMS)
def test_the_support_proves_the_answer_exactly(name):
    make, separable = PROBLEMS[name]
    wrong = []
    for seed in SEEDS:
        problem = make(seed)
        W, dual, feasible, _ = solved(problem)
        assert (dual >= 0).all()
        assert feasible == separable, f"seed {seed}"
        if feasible:
            best = optimum(problem, dual)
            right = best is not None and np.linalg.norm(W - best) <= 1e-14 * np.linalg.norm(best)
            model = AttentionSVM().fit(*problem)
            factors = separation(*problem).factors
            reached, _ = rational.margins(factors, np.arange(len(factors.query)), model.W_)
            right &= model.score(*problem) == 1.0 and reached.min() >= 1 - 1e-6
        else:
            right = refuted(problem, dual)
        wrong += [] if right else [seed]
    assert not wrong


@pytest.mark.parametrize("method", METHODS[:3])
def test_every_method_goes_on_where_float64_does_not_decide(method):
    problem = narrow(0, 1e-8)
    _, dual, feasible, _ = solved(problem, method)
    assert feasible
    assert optimum(problem, dual) is not None


@pytest.mark.parametrize("seed", range(4))
def test_a_guess_that_is_far_off_ends_in_the_same_answer(seed):
    problem = narrow(seed, 1e-6)
    c = separation(*problem)
    guess = np.zeros(len(c))
    guess[np.random.default_rng(seed).permutation(len(c))[:3]] = 1.0
    W, dual, feasible = multiprecision.least_norm(c, guess)
    assert feasible
    best = optimum(problem, dual)
    np.testing.assert_allclose(W, best, rtol=0, atol=1e-14 * np.linalg.norm(best))


def test_a_false_support_of_an_infeasible_problem_ends_in_a_certificate():
    make, _ = PROBLEMS["infeasible, scales 2^±20"]
    for seed in range(6):
        problem = make(seed)
        c = separation(*problem)
        guess = np.zeros(len(c))
        guess[:2] = 1.0
        W, dual, feasible = multiprecision.least_norm(c, guess)
        assert not feasible
        assert np.isnan(W).all()
        assert refuted(problem, dual)


def test_with_more_constraints_the_active_set_changes_oftener():
    assert solve(separation(*narrow(1, 1e-6, 90, 4, 8))).solved


def test_the_active_set_does_not_grow_beyond_its_bound():
    c = separation(*narrow(0, 1e-6))
    assert multiprecision.least_norm(c, np.ones(len(c))) is None, "more active rows than unknowns"
    guess = np.zeros(len(c))
    guess[0] = 1.0
    assert multiprecision.least_norm(c, guess, multiprecision.Options(rows=3)) is None


def test_equalities_that_follow_from_others_are_left_out():
    tokens, queries, selected = random_problem(1)
    tokens = np.rint(tokens * 2**20) / 2**20  # sums of these are exact
    sets = np.zeros(tokens.shape[:2], dtype=bool)
    sets[np.arange(len(sets)), selected] = True
    tokens[1, :3] = tokens[1, 0] + np.array([[0.0], [1.0], [2.0]]) * (tokens[1, 3] - tokens[1, 4])
    sets[1] = [True, True, True, False, False]
    c = separation(tokens, queries, sets)
    W, dual, feasible = multiprecision.least_norm(c, np.ones(len(c)))
    assert feasible
    assert (dual[c.equality] != 0).sum() == 1
    size = c.lengths() * np.linalg.norm(W)
    assert (c.apply(W)[~c.equality] >= 1 - 1e-14 * size[~c.equality]).all()
    assert (np.abs(c.apply(W)[c.equality]) <= 1e-14 * size[c.equality]).all()
    np.testing.assert_allclose(c.adjoint(dual), W / np.linalg.norm(W), rtol=0, atol=1e-12)
