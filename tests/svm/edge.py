"""Separation problems at the edge: nearly infeasible, with nearly equal tokens, or with inputs of very different size.

Every function returns (tokens (n, T, d), queries (n, e), selected (n,)) for a seed. What is said to be exact holds for
the float64 numbers returned.
"""

import numpy as np

Problem = tuple[np.ndarray, np.ndarray, np.ndarray]


def random_problem(seed, n: int = 4, T: int = 5, d: int = 6) -> Problem:
    """Fewer constraints than unknowns, so that it has a separator."""
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, T, d)), rng.standard_normal((n, d)), rng.integers(T, size=n)


def narrow(seed, margin: float, n: int = 16, T: int = 4, d: int = 4) -> Problem:
    """Feasible by little: the largest margin of a W with ‖W‖_F = 1 is some 1 to 10 times `margin`.

    The losers lie on both sides of a plane of matrices W that separate nothing, and are then moved by `margin` along
    its normal. n (T − 1) constraints are about three times as many as unknowns.
    """
    rng = np.random.default_rng(seed)
    normal = rng.standard_normal((d, d))
    normal /= np.linalg.norm(normal)
    tokens, queries, selected = rng.standard_normal((n, T, d)), rng.standard_normal((n, d)), rng.integers(T, size=n)
    for x, z, alpha in zip(tokens, queries, selected, strict=True):
        g = normal @ z / np.square(normal @ z).sum()
        for t in np.delete(np.arange(T), alpha):
            x[t] += ((x[alpha] - x[t]) @ normal @ z - margin) * g
    return tokens, queries, selected


def near_winner(seed, distance: float) -> Problem:
    """A losing token of the first input at `distance` from the selected one."""
    tokens, queries, selected = random_problem(seed)
    rng = np.random.default_rng((seed, 1))
    t = (selected[0] + 1) % tokens.shape[1]
    tokens[0, t] = tokens[0, selected[0]] + distance * _direction(rng, tokens.shape[2])
    return tokens, queries, selected


def near_mixture(seed, distance: float) -> Problem:
    """Two losing tokens of the first input and its selected one nearly on a line.

    With an even seed the selected token lies between them, nearly infeasible; with an odd one a loser lies between the
    other two, and its constraint nearly follows from the other one.
    """
    tokens, queries, selected = random_problem(seed)
    rng = np.random.default_rng((seed, 1))
    alpha, T = selected[0], tokens.shape[1]
    first, second = (alpha + 1) % T, (alpha + 2) % T
    middle, ends = (alpha, (first, second)) if seed % 2 == 0 else (first, (alpha, second))
    weight, push = rng.uniform(0.2, 0.8), distance * _direction(rng, tokens.shape[2])
    tokens[0, middle] = weight * tokens[0, ends[0]] + (1 - weight) * tokens[0, ends[1]] + push
    return tokens, queries, selected


def mixed_scales(seed, base: float, exponent: float) -> Problem:
    """Separable, and the tokens of each input in units of their own: base^−exponent to base^exponent."""
    tokens, queries, selected = random_problem(seed)
    powers = np.random.default_rng((seed, 1)).uniform(-exponent, exponent, len(tokens))
    powers[:2] = exponent, -exponent
    return tokens * (base ** (np.rint(powers) if base == 2 else powers))[:, None, None], queries, selected


def infeasible_scales(seed, exponent: int = 20) -> Problem:
    """No W exists, exactly, and inputs have units 2^−exponent to 2^exponent.

    By the remainder of the seed by 3: a selected token that is the mixture of two or three losers; many more random
    constraints than unknowns; the same tokens and the same query twice, where each wins once.
    """
    rng = np.random.default_rng((seed, 2))
    kind = seed % 3
    n, T, d = (30, 4, 4) if kind == 1 else (4, 5, 6)
    grid = np.rint(rng.standard_normal((n, T, d)) * 2**20) / 2**20  # sums of these, and halves, are exact
    queries, selected = rng.standard_normal((n, d)), rng.integers(T, size=n)
    if kind == 0:
        x, alpha = grid[0], selected[0]
        a, b, c = ((alpha + k) % T for k in (1, 2, 3))
        x[alpha] = (x[a] + x[b]) / 2 if seed % 2 else x[a] / 2 + x[b] / 4 + x[c] / 4
    powers = rng.integers(-exponent, exponent + 1, n)
    if kind == 2:
        grid[1], queries[1], selected[1] = grid[0], 4 * queries[0], (selected[0] + 1) % T
        powers[:2] = exponent, -exponent
    return grid * (2.0**powers)[:, None, None], queries, selected


def _direction(rng, d):
    v = rng.standard_normal(d)
    return v / np.linalg.norm(v)


# name: (a problem by its seed, whether it has a separator)
PROBLEMS = {
    "feasible by 1e-6": (lambda seed: narrow(seed, 1e-6), True),
    "feasible by 1e-8": (lambda seed: narrow(seed, 1e-8), True),
    "loser 1e-9 from its winner": (lambda seed: near_winner(seed, 1e-9), True),
    "loser 1e-11 from its winner": (lambda seed: near_winner(seed, 1e-11), True),
    "token 1e-9 from a mixture": (lambda seed: near_mixture(seed, 1e-9), True),
    "token 1e-11 from a mixture": (lambda seed: near_mixture(seed, 1e-11), True),
    "scales 2^±20": (lambda seed: mixed_scales(seed, 2, 20), True),
    "scales 10^±12": (lambda seed: mixed_scales(seed, 10, 12), True),
    "infeasible, scales 2^±20": (infeasible_scales, False),
}
