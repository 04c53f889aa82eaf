"""One way in for every norm: reduce, solve, rescale, certify."""

from collections import defaultdict

import numpy as np

from attnsvm import norms
from attnsvm.norms import Norm
from attnsvm.svm.conic import least_norm_conic
from attnsvm.svm.constraints import Constraints
from attnsvm.svm.frobenius import least_norm
from attnsvm.svm.nuclear import least_nuclear_norm
from attnsvm.svm.solution import Solution, Status

TOLERANCE = {"fro": 1e-10}  # relative gap that a solution must prove; 1e-7 for every other norm
DEFAULT_TOLERANCE = 1e-7
TARGET = 1e-11  # relative gap the interior-point method aims at
FARKAS_TOLERANCE = 1e-10
RANK_TOLERANCE = {"fro": 1e-9}  # relative to the largest singular value; 1e-6 for every other norm
DEFAULT_RANK_TOLERANCE = 1e-6
MULTIPLICITY_TOLERANCE = 1e-5  # distance to the largest singular value that still counts as equal to it


def tolerance(norm: str) -> float:
    """The relative duality gap up to which an answer counts as solved unless told otherwise."""
    return TOLERANCE.get(norm, DEFAULT_TOLERANCE)


def solve(constraints: Constraints, norm: str = "fro", tol: float | None = None) -> Solution:
    """The W of least norm that meets the constraints, with its certificate.

    Args:
        constraints: what to separate; see `separation`.
        norm: "fro", "nuc", "spectral", "l1", "linf", or "l<p>" such as "l1.75".
        tol: relative duality gap up to which the answer counts as solved; 1e-10 for "fro", 1e-7 otherwise.

    Raises:
        ValueError: there is no such norm.
    """
    return solve_batch([constraints], norm, tol)[0]


def solve_batch(batch: list[Constraints], norm: str = "fro", tol: float | None = None) -> list[Solution]:
    """`solve` for many problems; those of one shape advance together where the method allows it."""
    measure = norms.get(norm)
    tol = tolerance(norm) if tol is None else tol
    reduced = [_Reduced(c) for c in batch]
    # Feasibility does not depend on the norm: the Frobenius solution decides it, and starts the other solvers.
    answers = [r.frobenius() for r in reduced]
    if norm != "fro":
        open_ = [k for k, (W, _, feasible) in enumerate(answers) if feasible and np.linalg.norm(W) > 0]
        solved = _nuclear if norm == "nuc" else _conic
        starts = [answers[k][0] for k in open_]
        for k, answer in zip(open_, solved([reduced[k] for k in open_], starts, measure), strict=True):
            answers[k] = answer
    return [_conclude(c, measure, tol, *answer) for c, answer in zip(batch, answers, strict=True)]


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


def _nuclear(problems: list[_Reduced], starts: list[np.ndarray], _: Norm):
    """Nuclear solutions, group by group of one shape."""
    groups = defaultdict(list)
    for k, problem in enumerate(problems):
        groups[problem.shape_key].append(k)
    answers = [None] * len(problems)
    for members in groups.values():
        group = [problems[k] for k in members]
        for k, answer in zip(members, _nuclear_group(group, [starts[k] for k in members]), strict=True):
            answers[k] = answer
    return answers


def _nuclear_group(group, starts):
    """Problems of one shape, each scaled so that its longest vectors and its Frobenius solution have size one."""
    size_left = np.array([_longest(r.left) for r in group])
    size_right = np.array([_longest(r.right) for r in group])
    start = np.stack([r.lower(W) for r, W in zip(group, starts, strict=True)])
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


def _conic(problems: list[_Reduced], starts: list[np.ndarray], measure: Norm):
    """Any other norm, one problem at a time, scaled alike; in the spans where the norm allows it."""
    answers = []
    for problem, start in zip(problems, starts, strict=True):
        c = problem.constraints
        inside = measure.unitarily_invariant
        left, right = (problem.left, problem.right) if inside else (c.left, c.right)
        rows = (left[:, :, None] / _longest(left) * right[:, None, :] / _longest(right)).reshape(len(c), -1)
        size = np.linalg.norm(start)
        bound = c.bound / (size * _longest(left) * _longest(right))
        W, dual = least_norm_conic(rows, bound, c.equality, (left.shape[1], right.shape[1]), measure)
        answers.append((problem.lift(W * size) if inside else W * size, dual, True))
    return answers


def _longest(vectors: np.ndarray) -> float:
    return float(np.linalg.norm(vectors, axis=1).max())


def _conclude(c: Constraints, measure: Norm, tol: float, W, dual, feasible) -> Solution:
    """Rescale to exact feasibility on both sides and say what is proved."""
    norm = measure.name
    d, e = c.left.shape[1], c.right.shape[1]
    if not feasible:
        dual = dual / np.abs(dual).sum()
        largest = (np.linalg.norm(c.left, axis=1) * np.linalg.norm(c.right, axis=1)).max()
        residual = float(np.linalg.norm(c.adjoint(dual)) / largest) if largest > 0 else 0.0
        status = Status.INFEASIBLE if residual <= FARKAS_TOLERANCE else Status.UNCERTIFIED
        return Solution(status, np.full((d, e), np.nan), dual, np.inf, residual, 0, 0, 0, 0)

    tight = ~c.equality & (c.bound > 0)
    reached = (c.apply(W)[tight] / c.bound[tight]).min(initial=np.inf)
    W = W / reached if 0 < reached < np.inf else W
    M = c.adjoint(dual)
    size = measure.dual(M)
    dual, M = (dual / size, M / size) if size > 0 else (dual, M)
    value = float(measure.value(W))
    gap = (value - float(c.bound @ dual)) / value if value > 0 else 0.0
    proved = reached > 0 and np.isfinite(gap) and gap <= tol and _equalities_hold(c, W)
    status = Status.SOLVED if proved else Status.UNCERTIFIED
    counting = RANK_TOLERANCE.get(norm, DEFAULT_RANK_TOLERANCE)
    sigma = _relative(W) if proved else np.zeros(1)
    ranks = [int((sigma > counting * factor).sum()) for factor in (1.0, 10.0, 0.1)]
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
