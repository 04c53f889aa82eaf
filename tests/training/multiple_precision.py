"""Rules of descent, slow and obvious: true gradients at `DIGITS` digits, from the definitions, one instance.

f_i = vᵀ X_iᵀ softmax(X_i W z_i), loss = mean of log(1 + exp(−Y f)). Matrices are mpmath's; nothing is scaled.
"""

import mpmath
import numpy as np
from mpmath import mp, mpf

DIGITS = 1800  # singular values that differ by exp(3000) = 1e1302 are still told apart


def softmax_gradient(X, Z, Y, v, W):
    """∇_W of the loss, for arrays of floats and an mpmath matrix W."""
    n, T, d = X.shape
    G = mp.zeros(d, Z.shape[1])
    for x, z, y in zip(X, Z, Y, strict=True):
        tokens, query = mp.matrix(x.tolist()), mp.matrix(z.tolist())
        logits = tokens * (W * query)
        exponentials = [mp.exp(logits[t]) for t in range(T)]
        p = [value / mp.fsum(exponentials) for value in exponentials]
        scores = [mp.fdot(x[t].tolist(), v.tolist()) for t in range(T)]
        f = mp.fdot(p, scores)
        slope = -mpf(float(y)) / (n * (1 + mp.exp(mpf(float(y)) * f)))
        for t in range(T):
            G += (slope * p[t] * (scores[t] - f)) * (tokens[t, :].T * query.T)
    return G


def entries(G, function):
    return mp.matrix([[function(G[a, b]) for b in range(G.cols)] for a in range(G.rows)])


def total(G, function):
    return mp.fsum(function(G[a, b]) for a in range(G.rows) for b in range(G.cols))


def pairs(G):
    """Singular triples (σ, u, v), those that are not zero, the largest first."""
    wide = G.rows < G.cols
    U, sigma, Vt = mpmath.svd_r(G.T if wide else G)
    if wide:
        U, Vt = Vt.T, U.T
    return [(sigma[k], U[:, k], Vt[k, :]) for k in range(len(sigma)) if sigma[k] > sigma[0] * mpf(10) ** (50 - mp.dps)]


def direction(norm, G):
    """argmax ⟨G, S⟩ over ‖S‖ ≤ 1."""
    if norm == "fro":
        return G / mp.sqrt(total(G, lambda g: g**2))
    if norm == "linf":
        return entries(G, mp.sign)
    if norm in ("spectral", "nuc"):
        kept = pairs(G) if norm == "spectral" else pairs(G)[:1]
        S = mp.zeros(G.rows, G.cols)
        for _, u, v in kept:
            S += u * v
        return S
    p = mpf(norm[1:])
    q = p / (p - 1)
    power = entries(G, lambda g: mp.sign(g) * abs(g) ** (q - 1))
    return power / total(power, lambda g: abs(g) ** p) ** (1 / p)


def gradients(problem, factors):
    """∇W, or ∇K and ∇Q, for (X, Z, Y, v) and the factors; or what a function says, of a model of its own."""
    if callable(problem):
        return problem(factors)
    if len(factors) == 1:
        return [softmax_gradient(*problem, factors[0])]
    K, Q = factors
    G = softmax_gradient(*problem, K * Q.T)
    return [G * Q, G.T * K]


def norm_of(matrices):
    return mp.sqrt(mp.fsum(total(M, lambda g: g**2) for M in matrices))


def learning_rate(eta, schedule, step, factors):
    return {
        "constant": lambda: mpf(eta),
        "root": lambda: mpf(eta) / mp.sqrt(step + 1),
        "shrinking": lambda: mpf(eta) / max(1, norm_of(factors)),
    }[schedule]()


def steepest(problem, factors, steps, norm, eta, schedule="constant", joint=False, balanced=False):
    for step in range(steps):
        G = gradients(problem, factors)
        S = [g / norm_of(G) for g in G] if joint else [direction(norm, g) for g in G]
        rate = learning_rate(eta, schedule, step, factors)
        factors = [f - rate * one for f, one in zip(factors, S, strict=True)]
        if balanced:
            sizes = [norm_of([f]) for f in factors]
            factors = [f * (mp.sqrt(sizes[0] * sizes[1]) / size) for f, size in zip(factors, sizes, strict=True)]
    return factors


def mirror(problem, factors, steps, p, eta, published=False):
    (W,), p = factors, mpf(p)
    q = p / (p - 1)
    for _ in range(steps):
        (G,) = gradients(problem, [W])
        dual = entries(W, lambda w: mp.sign(w) * abs(w) ** (p - 1))
        dual -= mpf(eta) * G / (total(G, lambda g: abs(g) ** q) ** (1 / q) + (mpf(2) ** -52 if published else 0))
        W = entries(dual, lambda w: mp.sign(w) * abs(w) ** (1 / (p - 1)))
    return [W]


def adam(problem, factors, steps, eta, beta1, beta2, decay=0.0, schedule="constant"):
    first = [mp.zeros(f.rows, f.cols) for f in factors]
    second = [mp.zeros(f.rows, f.cols) for f in factors]
    beta1, beta2 = mpf(beta1), mpf(beta2)
    for step in range(steps):
        rate, moved = learning_rate(eta, schedule, step, factors), []
        for k, (f, g) in enumerate(zip(factors, gradients(problem, factors), strict=True)):
            first[k] = beta1 * first[k] + (1 - beta1) * g
            second[k] = beta2 * second[k] + (1 - beta2) * entries(g, lambda x: x**2)
            m, v = first[k] / (1 - beta1 ** (step + 1)), second[k] / (1 - beta2 ** (step + 1))
            change = mp.matrix([[m[a, b] / mp.sqrt(v[a, b]) for b in range(f.cols)] for a in range(f.rows)])
            moved.append(f - rate * (change + mpf(decay) * f))
        factors = moved
    return factors


RULES = {"steepest": steepest, "mirror": mirror, "adam": adam}


def after(rule, problem, factors, steps, **settings) -> np.ndarray:
    """W, or K Qᵀ, after `steps` steps of RULES[rule], as floats, for one instance of `Problems` and float factors."""
    with mp.workdps(DIGITS):
        instance = problem.tokens[0], problem.queries[0], problem.labels[0], problem.head[0]
        moved = RULES[rule](instance, [mp.matrix(f.tolist()) for f in factors], steps, **settings)
        W = moved[0] if len(moved) == 1 else moved[0] * moved[1].T
        return np.array(W.tolist(), dtype=float)
