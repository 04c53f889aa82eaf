"""What the explorer computes in the browser, against the package and against plain NumPy."""

import itertools

import numpy as np
import pytest

from attnsvm import geometry
from attnsvm.analysis.selection import by_token, locally_optimal, margins, optimal_tokens, scores, support
from attnsvm.data.problems import Problems
from attnsvm.svm import Status, separation, solve, solve_batch
from attnsvm.training.start import PARAMETRISATIONS

RATE = 0.1
CLOSE = 1e-9
SHAPES = [(n, T) for n in (2, 3, 4) for T in (2, 3, 4, 6)]
PER_SHAPE = 17  # 12 shapes: 204 states
FIELDS = ("tokens", "queries", "labels", "head")


@pytest.fixture(scope="module")
def page(browser, address):
    """One page for all of this file, which draws no more: its functions keep nothing."""
    browser.get(address)
    browser.execute_script("explorer.play(false); window.requestAnimationFrame = () => 0")
    return browser


def states(n, T, count=PER_SHAPE, seed=0):
    """Random problems of the plane, and a W at which to start."""
    rng = np.random.default_rng([seed, n, T])
    queries = rng.normal(size=(count, n, 2))
    queries /= np.linalg.norm(queries, axis=-1, keepdims=True)
    labels = rng.choice([-1.0, 1.0], size=(count, n))
    problems = Problems(
        rng.normal(size=(count, n, T, 2)), queries, labels, rng.normal(size=(count, 2)), np.arange(count)
    )
    return problems, rng.uniform(-0.7, 0.7, size=(count, 2, 2))


def as_page(problems):
    """The problems as the page has them."""
    return [{name: getattr(problems, name)[s].tolist() for name in FIELDS} for s in range(len(problems))]


DESCEND = """
const [problems, starts, rule, steps, every] = arguments;
return problems.map((problem, s) => {
  let weights = starts[s];
  const kept = [weights];
  for (let step = 1; step <= steps; step++) {
    weights = explorer.stepWeights(problem, weights, rule, 0.1);
    if (step % every === 0) kept.push(weights);
  }
  return kept;
});
"""


def descended(page, problems, starts, rule, steps, every):
    """Factors by name, each (S, steps/every + 1, 2, 2), as the page moves them."""
    flat = [{name: matrix.ravel().tolist() for name, matrix in start.items()} for start in starts]
    kept = page.execute_script(DESCEND, as_page(problems), flat, rule, steps, every)
    return {name: np.array([[w[name] for w in run] for run in kept]).reshape(len(kept), -1, 2, 2) for name in starts[0]}


def distance(A, B):
    """Largest difference relative to the size of B, over the last two axes."""
    return np.abs(A - B).max((-2, -1)) / np.linalg.norm(B, axis=(-2, -1))


def windows(problems, log):
    """Every step of a run as a problem of its own: the problems repeated, and the factors before it."""
    repeated = problems[np.repeat(np.arange(len(problems)), next(iter(log.values())).shape[1] - 1)]
    return repeated, {name: W[:, :-1].reshape(-1, 2, 2) for name, W in log.items()}


def gradients(problems, W):
    """∂L/∂W (S, 2, 2) but for a positive factor per instance, by NumPy: p_t (u_t − Σ p u) without cancellation."""
    logits = np.einsum("sntd,sde,sne->snt", problems.tokens, W, problems.queries)
    behind = logits - logits.max(-1, keepdims=True)
    p = np.exp(behind)
    p /= p.sum(-1, keepdims=True)
    u = np.einsum("sntd,sd->snt", problems.tokens, problems.head)
    margin = problems.labels * (p * u).sum(-1)
    slope = -problems.labels / (1 + np.exp(margin))
    # Σ_t p_t (u_t − ū) x_t = ½ Σ_st p_s p_t (u_s − u_t)(x_s − x_t), with exp(−the smallest gap) taken out.
    pairs = behind[..., :, None] + behind[..., None, :] + np.where(np.eye(p.shape[-1]), -np.inf, 0.0)
    common = pairs.max((1, 2, 3), keepdims=True)
    weights = np.exp(pairs - common) / np.square(np.exp(behind).sum(-1))[..., None, None]
    spread = weights * (u[..., :, None] - u[..., None, :])
    apart = problems.tokens[..., :, None, :] - problems.tokens[..., None, :, :]
    return np.einsum("sn,snab,snabd,sne->sde", slope, spread, apart, problems.queries)


def polar(G):
    U, sigma, Vt = np.linalg.svd(G)
    kept = sigma > 1e-12 * sigma[:, :1]
    return (U * kept[:, None]) @ Vt


RULES = {"fro": lambda G: G / np.linalg.norm(G, axis=(1, 2), keepdims=True), "linf": np.sign, "spectral": polar}


def one_step(problems, factors, rule):
    """NumPy's step from factors (S, 2, 2) by name, and how well its direction is determined: (S,) numbers ≤ 1."""
    if "W" in factors:
        slopes = {"W": gradients(problems, factors["W"])}
    else:
        K, Q = factors["K"], factors["Q"]
        G = gradients(problems, K @ Q.swapaxes(1, 2))
        slopes = {"K": G @ Q, "Q": G.swapaxes(1, 2) @ K}
    sizes = [np.abs(G).max((1, 2)) for G in slopes.values()]
    smallest = {"fro": lambda G: np.abs(G).max((1, 2)), "linf": lambda G: np.abs(G).min((1, 2))}
    smallest["spectral"] = lambda G: np.linalg.svd(G, compute_uv=False)[:, 1]
    sure = np.min([smallest[rule](G) / size for G, size in zip(slopes.values(), sizes, strict=True)], 0)
    return {name: factors[name] - RATE * RULES[rule](G) for name, G in slopes.items()}, sure


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("train_", ["W", "KQ"])
def test_every_step_of_every_rule_is_that_of_numpy(page, rule, train_):
    """Single steps along runs of 300. A sign or a polar factor is compared where rounding cannot decide it."""
    compared = 0
    for n, T in [(2, 2), (3, 4), (4, 6)]:
        problems, W = states(n, T, 8, seed=1)
        K, Q = PARAMETRISATIONS["KQ"](problems.seeds, 2, "uniform")
        starts = [{"W": w} for w in W] if train_ == "W" else [{"K": k, "Q": q} for k, q in zip(K, Q, strict=True)]
        log = descended(page, problems, starts, rule, 300, 1)
        repeated, before = windows(problems, log)
        after, sure = one_step(repeated, before, rule)
        for name in after:
            error = distance(log[name][:, 1:].reshape(-1, 2, 2), after[name])
            assert (error[sure > 1e-4] < CLOSE).all()
        compared += (sure > 1e-4).mean() / 3
    assert compared > 0.5


SOLVE = """
const [problems, choices, norm] = arguments;
return problems.map((problem, s) => explorer.solve(explorer.separation(problem, choices[s]), norm));
"""


def choices_of(problems, seed=0):
    """Random choices of tokens; the best ones in every second state."""
    rng = np.random.default_rng(seed)
    S, n, T, _ = problems.tokens.shape
    best = optimal_tokens(problems.tokens, problems.head, problems.labels)
    return np.where(np.arange(S)[:, None] % 2, rng.integers(T, size=(S, n)), best)


def constraints_of(problems, chosen):
    return [separation(*one) for one in zip(problems.tokens, problems.queries, chosen, strict=True)]


@pytest.mark.parametrize(("n", "T"), SHAPES)
def test_the_svm_is_that_of_the_package(page, n, T):
    problems, _ = states(n, T)
    chosen = choices_of(problems)
    answers = page.execute_script(SOLVE, as_page(problems), chosen.tolist(), "fro")
    for answer, there in zip(answers, solve_batch(constraints_of(problems, chosen)), strict=True):
        assert answer["status"] == there.status
        if there.solved:
            assert distance(np.reshape(answer["W"], (2, 2)), there.W) < CLOSE
            assert abs(answer["gap"]) < 1e-10


def test_solved_and_refuted_problems_both_occur():
    every = [states(n, T)[0] for n, T in SHAPES]
    found = {s.status for problems in every for s in solve_batch(constraints_of(problems, choices_of(problems)))}
    assert found == {Status.SOLVED, Status.INFEASIBLE}


@pytest.mark.parametrize("norm", ["nuc", "spectral", "linf"])
def test_other_norms_prove_their_answers(page, norm):
    """The certificate is read again by NumPy: margins, the dual norm of the multipliers, and the gap."""
    measure, solved = geometry.get(norm), 0
    for n, T in [(2, 2), (2, 4), (3, 3), (4, 4)]:
        problems, _ = states(n, T, 12, seed=2)
        chosen = choices_of(problems)
        answers = page.execute_script(SOLVE, as_page(problems), chosen.tolist(), norm)
        for answer, c in zip(answers, constraints_of(problems, chosen), strict=True):
            assert answer["status"] == solve(c).status
            if answer["status"] == "solved":
                W, dual = np.reshape(answer["W"], (2, 2)), np.array(answer["dual"])
                assert c.apply(W).min() > 1 - 1e-9
                assert dual.min() >= 0
                assert measure.dual(c.adjoint(dual)) < 1 + 1e-9
                assert 1 - dual.sum() / measure.value(W) < 1e-8
                solved += 1
    assert solved > 20


def test_locally_optimal_choices_are_those_of_the_package(page):
    problems, _ = states(2, 3, 20, seed=4)
    found = page.execute_script("return arguments[0].map((p) => explorer.localChoices(p))", as_page(problems))
    score, several = scores(problems.tokens, problems.head, problems.labels), 0
    for s, there in enumerate(found):
        own, one = set(), problems[s : s + 1]
        for choice in itertools.product(range(3), repeat=2):
            chosen = np.array([choice])
            solution = solve(separation(one.tokens[0], one.queries[0], chosen[0]))
            if solution.solved:
                margin = margins(one.tokens, one.queries, solution.W[None], chosen)
                marks = support(margin, by_token(solution.dual[None], chosen, 3), chosen)
                if locally_optimal(score[s : s + 1], chosen, marks)[0]:
                    own.add(choice)
        assert set(map(tuple, there)) == own
        several += len(own) > 1
    assert several > 3


def test_factors_multiply_to_what_they_factor(page):
    W = np.random.default_rng(5).normal(size=(30, 4))
    pairs = page.execute_script("return arguments[0].map((W) => explorer.factors(W))", W.tolist())
    for matrix, pair in zip(W.reshape(-1, 2, 2), pairs, strict=True):
        K, Q = np.reshape(pair["K"], (2, 2)), np.reshape(pair["Q"], (2, 2))
        np.testing.assert_allclose(K @ Q.T, matrix, atol=1e-14)
        np.testing.assert_allclose(np.linalg.svd(K)[1] ** 2, np.linalg.svd(matrix)[1], atol=1e-14)
