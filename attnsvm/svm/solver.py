"""One way in for every norm: reduce, solve, rescale, certify."""

from collections import defaultdict

import numpy as np

from attnsvm.norms import NORMS
from attnsvm.svm.constraints import Constraints
from attnsvm.svm.frobenius import least_norm
from attnsvm.svm.nuclear import least_nuclear_norm
from attnsvm.svm.solution import Solution, Status

TOLERANCE = {"fro": 1e-10, "nuc": 1e-7}  # relative gap that a solution must prove
TARGET = 1e-11  # relative gap the interior-point method aims at
FARKAS_TOLERANCE = 1e-10
RANK_TOLERANCE = {"fro": 1e-9, "nuc": 1e-6}  # relative to the largest singular value
MULTIPLICITY_TOLERANCE = 1e-5  # distance to the largest singular value that still counts as equal to it


def solve(constraints: Constraints, norm: str) -> Solution:
    """The W of least `norm` ("fro" or "nuc") that meets the constraints, with its certificate."""
    return solve_batch([constraints], norm)[0]


def solve_batch(batch: list[Constraints], norm: str) -> list[Solution]:
    """Solve many problems; those of one shape advance together where the method allows it.

    The Frobenius solution decides feasibility for every norm and starts the nuclear one.
    """
    reduced = [_Reduced(c) for c in batch]
    frobenius = [r.frobenius() for r in reduced]
    if norm == "fro":
        return [_conclude(c, norm, *answer) for c, answer in zip(batch, frobenius, strict=True)]
    if norm != "nuc":
        raise ValueError(f"norm: expected one of {sorted(NORMS)}, got {norm!r}")
    answers = list(frobenius)
    groups = defaultdict(list)
    for k, (r, (W, _, feasible)) in enumerate(zip(reduced, frobenius, strict=True)):
        if feasible and np.linalg.norm(W) > 0:
            groups[r.shape_key].append(k)
    for members in groups.values():
        for k, answer in zip(members, _nuclear_group([reduced[k] for k in members], members, frobenius), strict=True):
            answers[k] = answer
    return [_conclude(c, norm, *answer) for c, answer in zip(batch, answers, strict=True)]


class _Reduced:
    """The problem in coordinates: rows of W in the span of the left vectors, columns in that of the right ones.

    A projection onto the two spans changes no constraint and increases neither norm, so a solution lives there.
    """

    def __init__(self, constraints: Constraints):
        self.constraints = constraints
        m, d = constraints.left.shape
        self.P, self.left = _coordinates(constraints.left, min(m, d))
        inputs = len(np.unique(constraints.index[:, 0]))
        self.Q, self.right = _coordinates(constraints.right, min(inputs, constraints.right.shape[1]))
        self.shape_key = (self.left.shape, self.right.shape, constraints.equality.tobytes())

    def frobenius(self):
        c = self.constraints
        rows = (self.left[:, :, None] * self.right[:, None, :]).reshape(
            len(c), self.left.shape[1] * self.right.shape[1]
        )
        w, dual, feasible = least_norm(rows, c.bound, c.equality)
        return self.lift(w.reshape(self.left.shape[1], self.right.shape[1])), dual, feasible

    def lift(self, W):
        return self.P @ W @ self.Q.T

    def lower(self, W):
        return self.P.T @ W @ self.Q


def _coordinates(vectors, size):
    """An orthonormal basis (d, size) whose span holds the vectors, and their coordinates (m, size) in it."""
    if size == vectors.shape[1]:
        return np.eye(size), vectors
    basis = np.linalg.svd(vectors, full_matrices=False)[2][:size].T
    return basis, vectors @ basis


def _nuclear_group(group, members, frobenius):
    """Nuclear solutions of problems of one shape, each scaled so that its vectors and its Frobenius norm are one."""
    size_left = np.array([np.linalg.norm(r.left, axis=1).max() for r in group])
    size_right = np.array([np.linalg.norm(r.right, axis=1).max() for r in group])
    start = np.stack([r.lower(frobenius[k][0]) for r, k in zip(group, members, strict=True)])
    size = np.linalg.norm(start, axis=(1, 2))
    scale = size * size_left * size_right
    W, dual = least_nuclear_norm(
        np.stack([r.left for r in group]) / size_left[:, None, None],
        np.stack([r.right for r in group]) / size_right[:, None, None],
        np.stack([r.constraints.bound for r in group]) / scale[:, None],
        group[0].constraints.equality,
        start / size[:, None, None],
        TARGET,
    )
    return [(r.lift(w * z), y, True) for r, w, z, y in zip(group, W, size, dual, strict=True)]


def _conclude(c: Constraints, norm: str, W, dual, feasible) -> Solution:
    """Rescale to exact feasibility on both sides and say what is proved."""
    measure = NORMS[norm]
    d, e = c.left.shape[1], c.right.shape[1]
    if not feasible:
        dual = dual / np.abs(dual).sum()
        largest = (np.linalg.norm(c.left, axis=1) * np.linalg.norm(c.right, axis=1)).max()
        residual = float(np.linalg.norm(c.adjoint(dual)) / largest) if largest > 0 else 0.0
        status = Status.INFEASIBLE if residual <= FARKAS_TOLERANCE else Status.UNCERTIFIED
        return Solution(status, np.full((d, e), np.nan), dual, np.inf, residual, 0, 0, 0, 0)

    tight = ~c.equality & (c.bound > 0)
    if tight.any():
        W = W / (c.apply(W)[tight] / c.bound[tight]).min()
    M = c.adjoint(dual)
    size = measure.dual(M)
    dual, M = (dual / size, M / size) if size > 0 else (dual, M)
    value = float(measure.value(W))
    gap = (value - float(c.bound @ dual)) / value if value > 0 else 0.0
    proved = np.isfinite(gap) and gap <= TOLERANCE[norm] and _equalities_hold(c, W)
    status = Status.SOLVED if proved else Status.UNCERTIFIED
    sigma = _relative(W) if proved else np.zeros(1)
    ranks = [int((sigma > RANK_TOLERANCE[norm] * factor).sum()) for factor in (1.0, 10.0, 0.1)]
    multiplicity = int((_relative(M) > 1 - MULTIPLICITY_TOLERANCE).sum())
    return Solution(status, W, dual, gap, np.nan, *ranks, multiplicity if norm == "nuc" else min(d, e))


def _relative(A):
    """Singular values divided by the largest; zeros for the zero matrix."""
    sigma = np.linalg.svd(A, compute_uv=False)
    return sigma / sigma[0] if sigma[0] > 0 else sigma


def _equalities_hold(c: Constraints, W) -> bool:
    eq = c[c.equality]
    size = np.linalg.norm(eq.left, axis=1) * np.linalg.norm(eq.right, axis=1) * np.linalg.norm(W)
    return bool((np.abs(eq.apply(W) - eq.bound) <= 1e-9 * np.maximum(size, np.abs(eq.bound))).all())
