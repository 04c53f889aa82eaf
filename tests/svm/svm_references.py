"""What the tests of the solver draw, and what they hold its answers against."""

import warnings

import cvxpy
import numpy as np
from hypothesis import strategies as st
from scipy.optimize import linprog

from attnsvm import geometry
from attnsvm.svm import certificate

FIELDS = ("left", "right", "bound", "equality", "index")  # of Constraints


def gaussian(seed, n=4, T=4, d=6, e=None):
    """Tokens (n, T, d), queries (n, e) and the numbers of selected tokens (n,), which may be any."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, T, d)), rng.normal(size=(n, e or d)), rng.integers(T, size=n)


def conflict(d=4):
    """Two inputs alike that select different tokens."""
    tokens, queries, _ = gaussian(1, 1, 3, d)
    return np.repeat(tokens, 2, axis=0), np.repeat(queries, 2, axis=0), np.array([0, 1])


SCALES = st.floats(-8, 8).map(lambda exponent: 10.0**exponent)


@st.composite
def nasty(draw, n, T, d):
    """Tokens, queries and a selection: integers or Gaussians, with duplicates, zero queries and collinear tokens.

    n, T, d: the least and the largest number of inputs, tokens and dimensions.
    """
    n, T, d = (draw(st.integers(*ends)) for ends in (n, T, d))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    tokens, queries = rng.normal(size=(n, T, d)), rng.normal(size=(n, d))
    if draw(st.booleans()):
        tokens, queries = np.round(tokens), np.round(queries)
    if draw(st.booleans()):
        tokens = tokens[..., :1] * rng.normal(size=d)  # collinear
    if draw(st.booleans()):
        tokens[:, -1] = tokens[:, 0]  # duplicated
    if draw(st.booleans()):
        tokens[:] = tokens[0]  # every input has the same tokens
    if draw(st.booleans()):
        queries[rng.integers(n)] = 0.0
    kind, score = draw(st.sampled_from(["sets", "best", "worst", "planted", "random"])), tokens @ rng.normal(size=d)
    if kind == "sets":
        selected = rng.random((n, T)) < 0.4
        selected[np.arange(n), rng.integers(0, T, n)] = True
    elif kind == "planted":
        selected = np.einsum("ntd,de,ne->nt", tokens, rng.normal(size=(d, d)), queries).argmax(1)
    else:
        selected = {"best": score.argmax(1), "worst": score.argmin(1), "random": rng.integers(0, T, n)}[kind]
    return tokens * draw(SCALES), queries * draw(SCALES), selected


def edit(path, **change):
    """Change arrays of an .npz file, each by its function."""
    arrays = dict(certificate.load(path))
    np.savez(path, **(arrays | {name: f(arrays[name]) for name, f in change.items()}))


def matrix(c):
    """A row for each constraint."""
    return np.einsum("ka,kb->kab", c.left, c.right).reshape(len(c), -1)


def halves(c):
    """A_ub, b_ub, A_eq, b_eq of A w ≥ b, None where there is no row."""
    A = matrix(c)
    less = (-A[~c.equality], -c.bound[~c.equality]) if (~c.equality).any() else (None, None)
    return *less, *((A[c.equality], c.bound[c.equality]) if c.equality.any() else (None, None))


def feasible(c):
    """Is there a W that meets the constraints? By linear programming (HiGHS)."""
    free = [(None, None)] * int(np.prod(c.shape))
    status = linprog(np.zeros(len(free)), *halves(c), bounds=free, method="highs").status
    assert status in (0, 2)
    return status == 0


def by_cvxpy(c, norm, solver=cvxpy.CLARABEL, **accuracy):
    """The least norm of a W that meets the constraints."""
    A_ub, b_ub, A_eq, b_eq = halves(c)
    W = cvxpy.Variable(c.shape)
    flat = cvxpy.vec(W, order="C")
    rows = [] if A_ub is None else [A_ub @ flat <= b_ub]
    rows += [] if A_eq is None else [A_eq @ flat == b_eq]
    problem = cvxpy.Problem(cvxpy.Minimize(geometry.get(norm).expression(cvxpy, W)), rows)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a solver may call its last digits inaccurate
        return problem.solve(solver=solver, **accuracy)
