"""log(L − L*) against decimal arithmetic of any length; its minimum on a ball by the conditions that it meets."""

from decimal import Decimal, localcontext

import numpy as np
import pytest

from attnsvm import geometry
from attnsvm.analysis.selection import optimal_tokens
from attnsvm.data.draws import draw, gaussian
from attnsvm.experiments.paper.regularisation_path import balls
from attnsvm.experiments.paper.regularisation_path.balls import Excess
from attnsvm.svm import separation, solve

n, T, d = 3, 4, 5
PROBLEMS = draw(gaussian, range(4), n, T, d)
OPTIMAL = optimal_tokens(PROBLEMS.tokens, PROBLEMS.head, PROBLEMS.labels)


def instance(s):
    return PROBLEMS.tokens[s], PROBLEMS.queries[s], PROBLEMS.labels[s], PROBLEMS.head[s]


def batch(*excesses):
    """Instances side by side."""
    whole = object.__new__(Excess)
    whole.arrays = tuple(map(np.stack, zip(*(one.arrays for one in excesses), strict=True)))
    whole.lowest = np.stack([one.lowest for one in excesses])
    return whole


def alone(found):
    """Of a batch of one, its one."""
    return balls.Balls(*(x[0] for x in vars(found).values()))


def least_on_ball(excess, norm, radius, starts):
    return alone(balls.least_on_ball(batch(excess), norm, radius, [starts]))


@pytest.fixture(scope="module")
def svm():
    """Certified max-margin solutions W (d, d) of the instances, by norm."""
    separations = [separation(*instance(s)[:2], OPTIMAL[s]) for s in range(len(PROBLEMS))]
    found = {norm: [solve(each, norm) for each in separations] for norm in ("fro", "nuc")}
    assert all(answer.solved for answers in found.values() for answer in answers)
    return {norm: [answer.W for answer in answers] for norm, answers in found.items()}


def exact_excess(problem, W):
    """L(W) − L* from its definition; W of Decimals, digits as the context says."""
    X, Z, Y, v = (np.vectorize(Decimal, otypes=[object])(x) for x in problem)
    total = Decimal(0)
    for i in range(len(X)):
        score = Y[i] * (X[i] @ v)
        weights = [logit.exp() for logit in X[i] @ (W @ Z[i])]
        f = sum(w * g for w, g in zip(weights, score, strict=True)) / sum(weights)
        total += (1 + (-f).exp()).ln() - (1 + (-max(score)).exp()).ln()
    return total / len(X)


def points(W_mm):
    """Multiples of the SVM solution, the switch to the asymptotic form (near 27.6) among them; and random matrices."""
    generator = np.random.default_rng(1)
    yield from ((f"{c} W_mm", c * W_mm) for c in (0.0, 5.0, 15.0, 26.5, 27.0, 27.5, 28.0, 28.5, 1000.0))
    yield from ((f"random of norm {r}", r * generator.normal(size=(d, d)) / d) for r in (3.0, 1e4))


@pytest.mark.parametrize("s", range(2))
def test_the_excess_and_its_gradient_agree_with_exact_arithmetic(s, svm):
    excess, generator = Excess(*instance(s)), np.random.default_rng(s)
    exact_d = np.vectorize(Decimal, otypes=[object])
    for name, W in points(svm["fro"][s]):
        size = np.linalg.norm(W)
        value, gradient = excess(W)
        direction = generator.normal(size=(d, d))
        with localcontext() as context:
            # As many digits of L − L* cancel as it has zeros, 60 in the difference of its neighbours; 40 are kept.
            context.prec = 100 + int(-value / np.log(10))
            h = Decimal(10) ** -30
            low, here, high = (exact_excess(instance(s), exact_d(W) + k * h * exact_d(direction)) for k in (-1, 0, 1))
            true, slope = float(here.ln()), float((high - low) / (2 * h * here))
        # Logits are as large as ‖W‖ (tokens and queries have length one) and rounded to 1e-16 of that.
        assert value == pytest.approx(true, rel=1e-13, abs=1e-12 + 1e-14 * size), name
        assert (gradient * direction).sum() == pytest.approx(slope, rel=1e-10, abs=1e-13 * size), name


def test_an_input_whose_tokens_all_score_the_same_is_refused():
    tokens, queries, labels, v = (x.copy() for x in instance(0))
    tokens[1] = tokens[1, :1]
    with pytest.raises(ValueError, match="scores: expected a token below the best of its input, got an input of equal"):
        Excess(tokens, queries, labels, v)


@pytest.mark.parametrize("norm", ["fro", "nuc"])
@pytest.mark.parametrize("radius", [0.3, 3.0, 30.0, 300.0, 3000.0])
def test_the_minimum_on_a_ball_proves_itself(norm, radius, svm):
    measure, generator = geometry.get(norm), np.random.default_rng(3)
    for s in range(3):
        excess = Excess(*instance(s))
        ball = least_on_ball(excess, norm, radius, [svm[norm][s], *generator.normal(size=(2, d, d))])
        value, gradient = excess(ball.W)
        assert ball.log_excess == value
        assert measure.value(ball.W) <= radius * (1 + 1e-12)
        # The gap as the gain that the best point of the ball promises, relative to the most it could be.
        best = -radius * measure.steepest(gradient)
        gap = (gradient * (ball.W - best)).sum() / -(gradient * best).sum()
        assert ball.gap == pytest.approx(gap, abs=1e-12)
        # Two digits above the largest seen (nuclear, 6e-7 at 3000: its zero singular values fall only like a root).
        assert gap < (1e-5 if norm == "nuc" else 1e-10)
        for W in generator.normal(size=(60, d, d)):
            share = generator.uniform() if generator.uniform() < 0.5 else 1.0
            assert excess(share * radius * W / measure.value(W))[0] > value
            near = ball.W + 1e-2 * radius / d * W
            assert excess(near * radius / max(radius, measure.value(near)))[0] > value


@pytest.mark.parametrize("norm", ["fro", "nuc"])
def test_a_start_of_rank_one_is_no_trap(norm):
    """Factors that start at zero in a direction would stay there, far from the first-order conditions of the ball."""
    ranks = []
    for s in range(len(PROBLEMS)):
        start = np.diag(np.eye(d)[s])  # its other singular values are zero to the last bit
        ball = least_on_ball(Excess(*instance(s)), norm, 30.0, [start])
        assert ball.gap < 1e-5
        ranks.append(np.linalg.matrix_rank(ball.W, tol=1e-2))
    assert max(ranks) > 1


def test_agreeing_is_the_share_of_the_starts_at_the_best_end(svm):
    for s in range(len(PROBLEMS)):
        excess, norm = Excess(*instance(s)), "fro"
        starts = [svm[norm][s], *np.random.default_rng(s).normal(size=(3, d, d))]
        ends = np.array([least_on_ball(excess, norm, 300.0, [start]).log_excess for start in starts])
        ball = least_on_ball(excess, norm, 300.0, starts)
        assert ball.log_excess == ends.min()
        assert ball.agreeing == np.mean(ends <= ends.min() + 1e-6 * abs(ends.min()))
    assert ball.agreeing < 1


@pytest.mark.parametrize("norm", ["fro", "nuc"])
def test_the_path_falls_and_no_neighbour_leads_lower(norm):
    radii, excess = np.geomspace(0.1, 1000, 9), Excess(*instance(0))
    directions = list(np.random.default_rng(0).normal(size=(2, d, d)))
    whole = alone(balls.path(batch(excess), norm, radii, [directions]))
    found = [balls.Balls(*ball) for ball in zip(*vars(whole).values(), strict=True)]
    assert (np.diff(whole.log_excess) < 0).all()
    for k, ball in enumerate(found):
        assert geometry.get(norm).value(ball.W) == pytest.approx(radii[k], rel=1e-12)
        for start in [*directions, *(found[j].W for j in (k - 1, k + 1) if 0 <= j < len(found))]:
            other = least_on_ball(excess, norm, radii[k], [start]).log_excess
            assert ball.log_excess <= other + 2e-6 * max(1.0, abs(other))  # AGREE, up and down the path


@pytest.mark.parametrize("norm", ["fro", "nuc"])
def test_an_instance_has_the_same_path_to_the_bit_in_every_batch(norm):
    """Starts of different numbers, so that none stands at the same place in both."""
    radii, generator = np.geomspace(0.3, 300, 4), np.random.default_rng(0)
    directions = [list(generator.normal(size=(1 + s % 3, d, d))) for s in range(len(PROBLEMS))]
    every = [Excess(*instance(s)) for s in range(len(PROBLEMS))]
    together = balls.path(batch(*every), norm, radii, directions)
    for s, excess in enumerate(every):
        single = balls.path(batch(excess), norm, radii, directions[s : s + 1])
        for name, value in vars(single).items():
            assert np.array_equal(value[0], getattr(together, name)[s]), (s, name)
