"""Lifted tokens: the answer is that of the problem written out, and the checker takes nothing else."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from lifted_forgeries import KINDS, MIXTURE, Claim, forged, in_fractions, mixture, problem
from scipy.optimize import linprog

from attnsvm.svm import audit_log, lifted, lifted_checker, ragged
from attnsvm.svm import solve as solve_matrices
from attnsvm.svm.lifted import TOLERANCE, Features, Kernel, solve
from attnsvm.svm.lifted_checker import Checker
from attnsvm.system.errors import UserError


def made(n=20, T=7, d=4, F=2, seed=0, shift=0.0):
    """Features of n inputs, the selections of a random W, and the lifted tokens of every input."""
    rng = np.random.default_rng(seed)
    counts = rng.integers(2, T + 1, n)
    owner, distance = np.repeat(np.arange(n), counts), np.concatenate([T - 1.0 - np.arange(T) for T in counts])
    angle = np.outer(distance, rng.uniform(0.1, 1, F))
    places = np.column_stack([np.cos(angle), np.sin(angle), np.ones(len(angle))])
    features = Features(rng.normal(size=(len(owner), d)) + shift, places, rng.normal(size=(n, d)) + shift, owner)
    raised = np.einsum("np,nd->npd", features.places, features.content).reshape(len(owner), -1)
    logits = ((raised @ rng.normal(size=(raised.shape[1], d))) * features.queries[owner]).sum(1)
    parts = np.cumsum(counts)[:-1]
    return features, np.array([x.argmax() for x in np.split(logits, parts)]), np.split(raised, parts)


def by_matrices(features, selected, tokens):
    return solve_matrices(ragged(zip(tokens, features.queries, selected.tolist(), strict=True)))


@pytest.mark.parametrize("shift", [0.0, 3.0])
@pytest.mark.parametrize(("n", "T", "d", "F"), [(8, 5, 4, 2), (30, 8, 3, 1), (24, 8, 5, 3)])
def test_it_is_the_solution_of_the_problem_written_out(n, T, d, F, shift):
    features, selected, tokens = made(n, T, d, F, shift=shift)
    ours, theirs = solve(Kernel(features), selected), by_matrices(features, selected, tokens)
    assert ours.solved
    assert ours.gap < TOLERANCE
    assert ours.value == pytest.approx(np.linalg.norm(theirs.W), rel=1e-9)
    assert ours.rank == theirs.rank
    W = sum(
        np.outer(nu @ X, z)
        for nu, X, z in zip(
            np.split(ours.nu, np.cumsum([len(X) for X in tokens])[:-1]), tokens, features.queries, strict=True
        )
    )
    np.testing.assert_allclose(W, theirs.W, atol=1e-8 * np.abs(theirs.W).max())


@pytest.mark.parametrize("shift", [0.0, 3.0])
def test_what_cannot_be_separated_is_refuted(shift, monkeypatch):
    features, _, tokens = made(30, 12, 2, 1, shift=shift)
    rng = np.random.default_rng(1)
    others = np.array([rng.integers(len(X)) for X in tokens])
    assert by_matrices(features, others, tokens).status == "infeasible"
    before = Counter(audit_log.judged)
    answer = solve(Kernel(features), others)
    assert answer.status == "infeasible"
    assert audit_log.judged - before == Counter(["infeasible"])
    assert (answer.dual >= 0).all()
    assert answer.arithmetic == "floating"
    monkeypatch.setattr(Checker, "_surjective", lambda *_: False)
    exact = solve(Kernel(features), others)
    assert (exact.status, exact.arithmetic) == ("infeasible", "rational")


@pytest.mark.parametrize("away", [0.0, 1e-3, 1e-6, 1e-9, 1e-12, 1e-15, 1e-30, 1e-200])
def test_what_is_all_but_inseparable_is_not_refuted(away):
    """A coordinate that tells selected tokens from others by `away`, whatever the query: W = that coordinate / away."""
    features, _, tokens = made(40, 12, 2, 1)
    rng = np.random.default_rng(1)
    winner, loser = Kernel(features).constraints(np.array([rng.integers(len(X)) for X in tokens]))
    lifts, queries = np.concatenate(tokens), np.column_stack([features.queries, np.ones(40)])
    rows = np.einsum("ka,kb->kab", lifts[winner] - lifts[loser], queries[features.owner[winner]])
    rows = rows.reshape(len(winner), -1)
    dual = linprog(np.ones(len(rows)), A_eq=rows.T, b_eq=np.zeros(rows.shape[1]), bounds=(1, None)).x  # all positive
    dual -= np.linalg.pinv(rows.T) @ (rows.T @ dual)
    told = np.where(np.isin(np.arange(len(lifts)), winner), away, 0.0)
    checker = Checker(np.column_stack([features.content, told]), features.places, queries, features.owner)
    found = checker.check(winner, loser, TOLERANCE, Claim("infeasible", None, dual))
    if away == 0:
        assert (found.status, found.arithmetic) == ("infeasible", "floating")
    else:
        assert found.status in ("remote", "uncertified")
        assert found.low <= 1 / away  # the norm of that W, whose place has a constant 1


@pytest.mark.parametrize(("slope", "status"), [(0.9e-6, "remote"), (1.1e-6, "uncertified")])
def test_a_bound_of_the_norm_is_an_answer_from_a_million_on(slope, status):
    """Two tokens that are opposite but for a slope: no W has a norm below its inverse."""
    content, rows = np.array([[1, slope], [0, 0], [-1, slope], [0, 0]]), np.array([[0, 2], [1, 3]])
    checker = Checker(content, np.ones((4, 1)), np.ones((2, 1)), np.array([0, 0, 1, 1]))
    assert checker.check(*rows, TOLERANCE, Claim("infeasible", None, np.ones(2))).status == status


@pytest.mark.parametrize(("away", "status"), [(4.5e4, "solved"), (5.5e4, "uncertified")])
def test_multipliers_may_be_a_hundred_thousand_times_as_large_as_the_solution(away, status):
    """W = 1 is the difference of two tokens that are far from the origin."""
    checker = Checker(np.array([[away + 1], [away]]), np.ones((2, 1)), np.ones((1, 1)), np.array([0, 0]))
    claim = Claim("solved", np.array([1.0, -1]), np.ones(1))
    assert checker.check(np.array([0]), np.array([1]), TOLERANCE, claim).status == status


def test_a_token_that_equals_the_selected_one_is_a_refutation_and_one_near_to_it_is_named():
    features, selected, _ = made()
    first = np.flatnonzero(features.owner == 3)
    for array in (features.content, features.places):
        array[first[0]] = array[first[-1]]
    selected[3] = 0
    answer = solve(Kernel(features), selected)
    assert (answer.status, answer.arithmetic, answer.rejected) == ("infeasible", "rational", "")
    assert (answer.dual > 0).sum() == 1
    features.content[first[0], 0] *= 1 + 1e-15
    answer = solve(Kernel(features), selected)
    assert answer.status in ("uncertified", "remote")
    assert answer.rejected == lifted.NEAR


def test_weights_are_those_of_the_features():
    features, selected, _ = made()
    scale = np.random.default_rng(2).uniform(0.5, 2, len(features.owner))
    weighted = Kernel(features).weighted(scale)
    written = Kernel(features._replace(content=features.content * scale[:, None]))
    np.testing.assert_allclose(weighted.tokens, written.tokens, rtol=1e-12)
    assert solve(weighted, selected).value == pytest.approx(solve(written, selected).value, rel=1e-10)
    one, other = weighted, written
    np.testing.assert_allclose(one.checker.kernel, other.checker.kernel, rtol=1e-12)
    for name in ("content", "places", "queries", "owner"):
        array = getattr(one.checker, name)
        np.testing.assert_array_equal(array, getattr(one.features, name))


def test_a_kernel_of_which_only_rows_are_made_gives_the_same_answer(monkeypatch):
    features, selected, _ = made(60, 8, 6)
    scale = np.random.default_rng(2).uniform(0.5, 2, len(features.owner))
    whole = Kernel(features)
    monkeypatch.setattr(lifted, "WHOLE", 10)
    monkeypatch.setattr(lifted_checker, "WHOLE", 10)
    few = Kernel(features)
    assert whole.whole
    assert not few.whole
    one, two = solve(whole, selected), solve(few, selected)
    assert two.solved
    assert two.value == pytest.approx(one.value, rel=1e-11)
    assert two.rank == one.rank
    np.testing.assert_allclose(two.dual, one.dual, atol=1e-9 * one.dual.max())
    assert few.made < len(features.owner)  # some tokens never came near the margin,
    assert few.checker.made == (two.nu != 0).sum()  # and the checker needs only those of W
    again, other = solve(few.weighted(scale), selected), solve(whole.weighted(scale), selected)
    assert again.value == pytest.approx(other.value, rel=1e-10)


def test_rows_that_do_not_fit_into_memory_are_refused_in_one_sentence(monkeypatch):
    features, _, _ = made()
    monkeypatch.setattr(lifted.machine, "memory", lambda: 1e3)
    with pytest.raises(UserError, match=r"tokens need 0\.0 GB more to be compared, 0\.0 GB are free: inspect fewer"):
        Kernel(features)


@pytest.fixture(scope="module")
def answered():
    features, selected, _ = made()
    kernel = Kernel(features)
    return Checker(*features), kernel.constraints(selected), solve(kernel, selected)


def test_the_checker_takes_the_answer(answered):
    checker, pair, answer = answered
    found = checker.check(*pair, TOLERANCE, answer)
    assert (found.status, found.reason, found.arithmetic) == ("solved", "", "floating")
    assert found.low <= answer.value * (1 + 1e-12)
    assert found.high >= answer.value * (1 - 1e-12)
    assert answer.gap == 1 - found.low / found.high < 1e-10
    assert found.rank == found.rank_bound == found.rank_low == 4
    assert found.rank_error == 0  # queries have four dimensions


FALSE = {
    "a constraint is violated": lambda a: replace(a, nu=a.nu * 0.99),
    "the least margin of the solution is not one": lambda a: replace(a, nu=a.nu * 1.01),
    "the multipliers are not dual feasible": lambda a: replace(a, dual=a.dual * 1.01),
    "the combination of the constraints is not of norm one": lambda a: replace(a, dual=a.dual * 0.99),
    "the duality gap is too large": lambda a: replace(a, dual=a.dual + 1e-3 * a.dual.max()),
    "a multiplier is not finite, or negative on an inequality": lambda a: replace(a, dual=a.dual - a.dual.max()),
    "there is not one multiplier for every constraint": lambda a: replace(a, dual=a.dual[1:]),
    "the solution is not finite": lambda a: replace(a, nu=a.nu * np.nan),
    "the Farkas combination of the constraints is not zero": lambda a: replace(a, status="infeasible"),
    "the multipliers promise no positive bound": lambda a: replace(a, status="infeasible", dual=0 * a.dual),
    "status uncertified claims nothing": lambda a: replace(a, status="uncertified"),
}


@pytest.mark.parametrize("reason", FALSE)
def test_the_checker_refuses_what_is_false(reason, answered):
    checker, pair, answer = answered
    found = checker.check(*pair, TOLERANCE, FALSE[reason](answer))
    assert (found.status, found.reason, found.arithmetic) == ("uncertified", reason, "")


def test_the_checker_refuses_multipliers_that_cancel(answered):
    """Large multipliers of two equal tokens leave W as it is; the digits of its logits are lost all the same."""
    checker, pair, answer = answered
    content, places, queries, owner = (
        np.concatenate([a, a[-1:]]) if k != 2 else a
        for k, a in enumerate((checker.content, checker.places, checker.queries, checker.owner))
    )
    nu = np.append(answer.nu, 0.0)
    nu[-1], nu[-2] = 2.0**30, (nu[-2] - 2.0**30)
    nu[-1] += answer.nu[-1] - (nu[-1] + nu[-2])
    found = Checker(content, places, queries, owner).check(*pair, TOLERANCE, replace(answer, nu=nu))
    assert found.reason == "the multipliers of the solution are far larger than it is, and it has lost its digits"


def test_the_checker_compares_tokens_of_one_input(answered):
    checker, (winner, loser), answer = answered
    moved = np.roll(loser, 3)
    assert checker.check(winner, moved, TOLERANCE, answer).reason == "a constraint compares tokens of two inputs"


@pytest.mark.parametrize("tol", [TOLERANCE, 1e-14])
@pytest.mark.parametrize("seed", range(4))
def test_bounds_hold_in_rational_numbers(seed, tol):
    """By matrices written out; the tighter tolerance is for exact arithmetic alone."""
    given = problem(np.random.default_rng(seed))
    found = given.verdict(Claim("solved", given.separator, given.dual), tol)
    assert (found.status, found.arithmetic) == ("solved", "floating" if tol == TOLERANCE else "rational")
    promise, combined, least, square = in_fractions(given, given.separator, given.dual)
    assert Fraction(found.low) ** 2 <= square / least**2
    assert promise**2 / combined <= Fraction(found.high) ** 2
    assert square / least**2 <= Fraction(found.high) ** 2
    assert 0 <= 1 - found.low / found.high <= tol


@pytest.mark.parametrize("seed", range(3))
def test_bounds_of_rounding_hold_for_long_sums(seed):
    """Whole numbers of 26 bits: their products leave float64, and Python has them exactly."""
    rng = np.random.default_rng(seed)
    n, T, d, p, e = 30, 5, 300, 40, 50
    content, places, queries = (rng.integers(-(2**26), 2**26, size) for size in ((n * T, d), (n * T, p), (n, e)))
    owner, nu = np.repeat(np.arange(n), T), rng.integers(-(2**20), 2**20, n * T)
    checker = Checker(*(part.astype(float) for part in (content, places, queries)), owner)
    c, s, z, weights = (part.astype(object) for part in (content, places, queries, nu))
    exact = ((c @ c.T) * (s @ s.T) * (z @ z.T)[np.ix_(owner, owner)]) @ weights
    scaled = nu / 2.0**20
    logits, _, rounded = checker._logits(scaled)
    error, scale = checker._error(scaled, rounded), 2.0**-20
    off = [abs(Fraction(ours) - Fraction(int(theirs), 2**20)) for ours, theirs in zip(logits, exact, strict=True)]
    assert all(one <= Fraction(room) for one, room in zip(off, error, strict=True))
    assert max(off) > 0
    assert (error < 200 * 2.0**-53 * checker._size(scaled) * checker.lengths).all()
    low, high = checker._square(scaled, logits, rounded)
    assert Fraction(low) <= Fraction(int(weights @ exact)) * Fraction(scale) ** 2 <= Fraction(high)


def test_a_difference_that_scaling_hides_is_not_taken_for_zero():
    """Numbers of 1e-300 beside some of 1e30, which are scaled to one: along that coordinate a W separates."""
    given = mixture(0.0)
    content = np.column_stack([given.features.content, [1e-300, 0.0, 0.0]]) * [1.0, 1e30, 1.0, 1.0]
    found = replace(given, features=given.features._replace(content=content))
    assert found.verdict(Claim("infeasible", given.separator, given.dual)).status in ("remote", "uncertified")


@pytest.mark.parametrize("powers", [(0, 0, 70), (-300, 250, 0), (400, 400, 100), (-90, -800, -100)])
def test_a_power_of_two_changes_nothing(powers, answered):
    checker, pair, answer = answered
    one, total = checker.check(*pair, TOLERANCE, answer), sum(powers)
    parts = [np.ldexp(part, k) for part, k in zip(checker.features[:3], powers, strict=True)]
    with np.errstate(over="ignore"):
        claim = replace(answer, nu=np.ldexp(answer.nu, -2 * total), dual=np.ldexp(answer.dual, -total))
    if abs(total) < 500:
        other = Checker(*parts, checker.owner).check(*pair, TOLERANCE, claim)
        assert (other.status, other.rank_low) == ("solved", one.rank_low)
        for name in ("low", "high", "radius"):
            assert np.ldexp(getattr(other, name), total) == pytest.approx(getattr(one, name), rel=1e-6)
    else:  # multipliers leave the range
        other = Checker(*parts, checker.owner).check(*pair, TOLERANCE, claim)
        assert other.status == "uncertified"


@pytest.mark.parametrize("kind", [*KINDS, MIXTURE])
def test_no_forged_answer_passes(kind):
    """Nor does a bound that comes with the refusal say what is not true."""
    for seed in range(1, 4):
        given, claim = forged(kind, seed)
        found = given.verdict(claim)
        assert found.status == ("remote" if kind == MIXTURE else "uncertified"), found.reason
        multipliers = np.where(np.isfinite(claim.dual), claim.dual, 0.0)
        _, _, least, square = in_fractions(given, given.separator, multipliers)
        assert least > 0
        assert Fraction(found.low) ** 2 <= square / least**2
        assert found.high >= found.low


def test_a_mixture_refutes_where_it_is_one_exactly():
    given = mixture(0.0)
    claim = Claim("infeasible", given.separator, np.array([0.3, 0.5]))
    assert given.verdict(claim).reason == "the Farkas combination of the constraints is not zero"
    for dual in ([0.5, 0.5], [0.5, 0.5 + 1e-9]):  # an exact vector is near
        found = given.verdict(replace(claim, dual=np.array(dual)))
        assert (found.status, found.arithmetic, found.low) == ("infeasible", "rational", np.inf)
    found = mixture(1e-11).verdict(replace(claim, dual=given.dual))
    assert (found.status, found.arithmetic) == ("remote", "floating")
    assert 0.99e11 / np.sqrt(5) < found.low < 1e11 / np.sqrt(5)  # how far away it is, and no more
    assert found.reason == "no exact Farkas vector was found"


def test_the_solution_lies_within_the_radius(answered):
    checker, pair, answer = answered
    rng, kernel = np.random.default_rng(0), Kernel(Features(*checker.features))
    for size in (1e-12, 1e-11):
        nu = answer.nu + size * np.abs(answer.nu).max() * rng.normal(size=len(answer.nu))
        logits = kernel.logits(nu)
        nu /= (logits[pair[0]] - logits[pair[1]]).min()
        found = checker.check(*pair, TOLERANCE, replace(answer, nu=nu))
        apart = np.sqrt((nu - answer.nu) @ kernel.logits(nu - answer.nu))
        assert found.status == "solved"
        assert apart <= found.radius + answer.radius
        assert found.radius <= np.sqrt(3 * TOLERANCE) * found.high


def test_ranks_are_proved_as_far_as_the_radius_allows():
    """Queries along two directions: no solution has a larger rank, and the checker does not know the directions."""
    features, selected, tokens = made(20, 6, 5, 1)
    rng = np.random.default_rng(4)
    features = features._replace(queries=rng.normal(size=(20, 2)) @ rng.normal(size=(2, 5)))
    W = rng.normal(size=(tokens[0].shape[1], 5))
    selected = np.array([(X @ W @ z).argmax() for X, z in zip(tokens, features.queries, strict=True)])
    answer = solve(Kernel(features), selected)
    assert answer.solved
    assert answer.rank == answer.rank_low == answer.rank_bound == 2
    assert 0 < answer.rank_error < 1e-4
    sigma = np.linalg.svd(by_matrices(features, selected, tokens).W, compute_uv=False)
    assert sigma[1] > 1e3 * answer.radius
    assert sigma[2] < answer.rank_error * answer.low


@pytest.mark.parametrize("seed", range(4))
def test_words_that_recur_make_the_gram_matrix_singular_and_change_nothing(seed):
    """Few words at few places, as in a first layer: constraints nearly repeat each other, and factors lose digits."""
    rng = np.random.default_rng(seed)
    words, n, T = np.column_stack([rng.normal(size=(8, 9)), np.ones(8)]), 40, 6
    owner, place = np.repeat(np.arange(n), T), np.tile(np.arange(T), n)
    features = Features(words[rng.integers(8, size=n * T)], np.eye(T)[place], words[rng.integers(8, size=n)], owner)
    raised = np.einsum("np,nd->npd", features.places, features.content).reshape(len(owner), -1)
    logits = ((raised @ rng.normal(size=(raised.shape[1], 10))) * features.queries[owner]).sum(1)
    answer = solve(Kernel(features), logits.reshape(n, T).argmax(1), logits)
    assert answer.solved
    assert answer.gap < 1e-11


def test_features_of_a_narrow_type_are_their_numbers():
    """In float32 the bounds would be those of other features, and exclude one another."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        features = [rng.normal(size=shape).astype(np.float32) for shape in ((2, 7), (2, 3), (1, 5))]
        content, places, query = (np.vectorize(Fraction)(array.astype(float)) for array in features)
        apart = np.outer(places[0], content[0]) - np.outer(places[1], content[1])
        square = np.square(apart).sum() * np.square(query).sum()
        step = 1 / float(square)
        claim = Claim("solved", np.array([step, -step]), np.array([float(square) ** -0.5]))
        found = Checker(*features, np.zeros(2, dtype=int)).check(np.array([0]), np.array([1]), TOLERANCE, claim)
        assert found.status == "solved"
        assert Fraction(found.low) ** 2 <= 1 / square <= Fraction(found.high) ** 2
        wide = [array.astype(np.longdouble) for array in features]
        assert Checker(*wide, np.zeros(2, dtype=int)).check(*np.eye(2, dtype=int)[:, :1], TOLERANCE, claim).reason != ""
