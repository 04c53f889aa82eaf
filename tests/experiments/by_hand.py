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


def winners(X, W, Z):
    """The token of each input with the largest logit."""
    return np.array([(tokens @ W @ z).argmax() for tokens, z in zip(X, Z, strict=True)])


def rows_of(X, Z, alpha):
    """The constraints written out as vectors: (x_α − x_t) zᵀ of every input and every other token t."""
    each = zip(X, Z, alpha, strict=True)
    return np.array([np.outer(x, z).ravel() for tokens, z, a in each for x in np.delete(tokens[a] - tokens, a, axis=0)])


def separable(X, Z, alpha):
    """By linear programming: is there a W with margins one?"""
    rows = rows_of(X, Z, alpha)
    answer = linprog(np.zeros(rows.shape[1]), A_ub=-rows, b_ub=-np.ones(len(rows)), bounds=(None, None))
    assert answer.status in (0, 2)
    return answer.status == 0


def cosine_on(rows, A, B):
    """The cosine of the projections of two matrices on the span of some rows, by least squares."""
    a, b = (rows.T @ np.linalg.lstsq(rows.T, M.ravel(), rcond=1e-9)[0] for M in (A, B))
    return a @ b / np.sqrt((a @ a) * (b @ b))
