"""What the tables are compared with: instance by instance, in plain numpy, with another solver."""

import numpy as np
from scipy.optimize import linprog

NORM = {"W": "fro", "KQ": "nuc"}  # the norm that belongs to a parametrisation


def softmax_of(X, W, z):
    """The softmax of X W z, for tokens X (T, d), W (d, d) and a query z (d,)."""
    logits = X @ W @ z
    p = np.exp(logits - logits.max())
    return p / p.sum()


def cosine(A, B):
    """The correlation of two matrices, by traces."""
    return np.trace(A.T @ B) / np.sqrt(np.trace(A.T @ A) * np.trace(B.T @ B))


def best_tokens(X, Y, v, pick=np.argmax):
    """The token of each input with the highest score, or what `pick` takes."""
    return np.array([pick([y * x @ v for x in tokens]) for tokens, y in zip(X, Y, strict=True)])


def separable(X, Z, alpha):
    """By linear programming: is there a W with margins one?"""
    rows = [
        np.outer(tokens[a] - tokens[t], z).ravel()
        for tokens, z, a in zip(X, Z, alpha, strict=True)
        for t in range(len(tokens))
        if t != a
    ]
    answer = linprog(np.zeros(rows[0].size), A_ub=-np.array(rows), b_ub=-np.ones(len(rows)), bounds=(None, None))
    assert answer.status in (0, 2)
    return answer.status == 0


def slope(loss, x, step=1e-6):
    """The derivative of a function of one array, entry by entry, by differences."""
    found = np.zeros(x.shape)
    for place in np.ndindex(x.shape):
        little = np.zeros(x.shape)
        little[place] = step
        found[place] = (loss(x + little) - loss(x - little)) / (2 * step)
    return found
