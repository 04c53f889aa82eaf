"""Problems of lifted tokens, true and false answers to them, and what is true of both in rational numbers."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from attnsvm.svm.lifted import TOLERANCE, Features, Kernel, solve
from attnsvm.svm.lifted_checker import Checker


@dataclass
class Claim:
    status: str
    nu: np.ndarray
    dual: np.ndarray


@dataclass
class Problem:
    """Features with winners and losers; `separator`: multipliers of tokens of a W that separates."""

    features: Features
    winner: np.ndarray
    loser: np.ndarray
    separator: np.ndarray
    dual: np.ndarray

    def verdict(self, claim, tol=TOLERANCE):
        with np.errstate(all="ignore"):
            return Checker(*self.features).check(self.winner, self.loser, tol, claim)


def problem(rng: np.random.Generator, n=5, d=3, e=3, edit=lambda features, rng: features) -> Problem:
    """Random tokens of n inputs, and the selections of a random W that is a sum of tokens times queries."""
    counts = rng.integers(2, 5, n)
    owner, N = np.repeat(np.arange(n), counts), counts.sum()
    angle = np.outer(rng.integers(0, 6, N), [0.5])
    places = np.column_stack([np.cos(angle), np.sin(angle), np.ones(N)])
    features = edit(Features(rng.normal(size=(N, d)), places, rng.normal(size=(n, e)), owner), rng)
    kernel = Kernel(features)
    some = rng.normal(size=N)
    logits = kernel.logits(some)
    selected = np.array([x.argmax() for x in np.split(logits, np.cumsum(counts)[:-1])])
    winner, loser = kernel.constraints(selected)
    answer = solve(kernel, selected)
    separator = answer.nu if answer.solved else some / (logits[winner] - logits[loser]).min()
    return Problem(features, winner, loser, separator, answer.dual)


def _rows(matrix):
    return [[Fraction(x) for x in row] for row in matrix.tolist()]


def in_fractions(given: Problem, nu: np.ndarray, dual: np.ndarray) -> tuple[Fraction, Fraction, Fraction, Fraction]:
    """Σ dual, ‖Σ dual_k A_k‖², the least margin of W and ‖W‖², by matrices of rational numbers."""
    content, places, queries = (_rows(part) for part in given.features[:3])
    tokens = [[a * b for a in place for b in one] for place, one in zip(places, content, strict=True)]
    owner = given.features.owner

    def weighted(weights, rows):
        total = [[Fraction(0)] * len(queries[0]) for _ in tokens[0]]
        for weight, row, i in zip(weights, rows, owner, strict=True):
            if weight:
                for a, x in enumerate(row):
                    for b, z in enumerate(queries[i]):
                        total[a][b] += weight * x * z
        return total

    def square(matrix):
        return sum((x * x for row in matrix for x in row), Fraction(0))

    multipliers = [Fraction(x) for x in dual.tolist()]
    combined = [Fraction(0)] * len(tokens)
    for value, a, b in zip(multipliers, given.winner, given.loser, strict=True):
        combined[a] += value
        combined[b] -= value
    W = weighted([Fraction(x) for x in nu.tolist()], tokens)
    logits = [
        sum((x * row[b] * queries[i][b] for x, row in zip(token, W, strict=True) for b in range(len(row))), Fraction(0))
        for token, i in zip(tokens, owner, strict=True)
    ]
    least = min(logits[a] - logits[b] for a, b in zip(given.winner, given.loser, strict=True))
    return sum(multipliers, Fraction(0)), square(weighted(combined, tokens)), least, square(W)


def one_scaled(power):
    def edit(features, rng):
        content = features.content.copy()
        content[features.owner == rng.integers(len(features.queries))] *= 10.0**power
        return features._replace(content=content)

    return edit


def mixture(away: float) -> Problem:
    """One input whose selected token is the mean of two others, but for `away`: with 0 no W separates."""
    content = np.array([[0.0, 1.0, away], [1.0, 1.0, 0.0], [-1.0, 1.0, 0.0]])
    features = Features(content, np.ones((3, 1)), np.array([[1.0, 2.0]]), np.zeros(3, dtype=int))
    separator = np.array([1.0, -0.5, -0.5]) / (5 * away**2 or 1.0)
    return Problem(features, np.array([0, 0]), np.array([1, 2]), separator, np.array([0.5, 0.5]))


def alone(given, row):
    dual = np.zeros(len(given.dual))
    dual[row] = 1.0
    return dual


def shortest(given):
    content, places, queries, owner = given.features
    token = np.einsum("tp,td->tpd", places, content).reshape(len(owner), -1)
    away = np.linalg.norm(token[given.winner] - token[given.loser], axis=1)
    return int((away * np.linalg.norm(queries[owner[given.winner]], axis=1)).argmin())


def _negative(given, rng):
    dual = given.dual.copy()
    dual[rng.integers(len(dual))] = -1e-3 * dual.max()
    return Claim("infeasible", given.separator, dual)


def _cancelling(given, rng):
    nu = given.separator.copy()
    rows = np.flatnonzero(given.features.owner == given.features.owner[0])[:2]
    nu[rows] += np.array([1.0, -1.0]) * 10.0 ** rng.uniform(6, 12)
    return Claim("solved", nu, given.dual)


def _longer(given, rng):
    nu = given.separator
    return Claim("solved", nu + 1e-3 * np.abs(nu).max() * rng.normal(size=len(nu)), given.dual)


def _with(array, rng, value):
    array = array.copy()
    array[rng.integers(len(array))] = value
    return array


MIXTURE = "a token within 1e-11 of a mixture refutes"
# {kind: (edit of the features, claim)}: every claim is false, and every problem separable.
KINDS = {
    "a separator times 1e15, tiny multipliers": (
        None,
        lambda g, r: Claim("solved", g.separator * 1e15, r.random(len(g.dual)) * 1e-300),
    ),
    "huge multipliers": (
        None,
        lambda g, r: Claim("solved", g.separator * 1e150, r.random(len(g.dual)) * 10.0 ** r.uniform(290, 308)),
    ),
    "an infinite multiplier": (None, lambda g, r: Claim("infeasible", g.separator, _with(g.dual, r, np.inf))),
    "a multiplier that is NaN": (None, lambda g, r: Claim("solved", g.separator, _with(g.dual, r, np.nan))),
    "a negative multiplier": (None, _negative),
    "a W with NaN": (None, lambda g, r: Claim("solved", _with(g.separator, r, np.nan), g.dual)),
    "a W that overflows": (None, lambda g, r: Claim("solved", _with(g.separator, r, 1.7e308), g.dual)),
    "one long input hides the others": (one_scaled(11), lambda g, r: Claim("infeasible", g.separator, g.dual)),
    "one tiny row refutes": (one_scaled(-150), lambda g, r: Claim("infeasible", g.separator, alone(g, shortest(g)))),
    "random multipliers refute": (None, lambda g, r: Claim("infeasible", g.separator, r.random(len(g.dual)))),
    "multipliers of W that cancel": (None, _cancelling),
    "a W that is not the shortest": (None, _longer),
    "a margin short by 1e-6": (None, lambda g, r: Claim("solved", g.separator * (1 - 1e-6), g.dual)),
    "multipliers too large by 1e-6": (None, lambda g, r: Claim("solved", g.separator, g.dual * (1 + 1e-6))),
}


def forged(kind: str, seed: int) -> tuple[Problem, Claim]:
    """A problem and a false answer to it."""
    if kind == MIXTURE:
        given = mixture(1e-11)
        return given, Claim("infeasible", given.separator, given.dual)
    edit, claim = KINDS[kind]
    rng = np.random.default_rng([seed, [*KINDS].index(kind)])
    while True:
        given = problem(rng) if edit is None else problem(rng, edit=edit)
        if np.isfinite(given.separator).all() and given.dual.sum() > 0:
            return given, claim(given, rng)
