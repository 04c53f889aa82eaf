"""One way in for every norm: reduce, solve, rescale, certify."""

from collections import defaultdict
from dataclasses import replace
from functools import cached_property

import numpy as np
from scipy.linalg import qr

from attnsvm import norms
from attnsvm.norms import Norm
from attnsvm.svm.checker import check
from attnsvm.svm.conic import least_norm_conic
from attnsvm.svm.constraints import Constraints
from attnsvm.svm.frobenius import least_norm
from attnsvm.svm.nuclear import least_nuclear_norm
from attnsvm.svm.solution import Solution, Status

TOLERANCE = {"fro": 1e-10}  # relative gap that a solution must prove; 1e-7 for every other norm
DEFAULT_TOLERANCE = 1e-7
TARGET = 1e-11  # relative gap the interior-point method aims at
REFINE = 1e-9  # relative gap above which a nuclear solution is refined on its active constraints
FARKAS_TOLERANCE = 1e-10
RANK_TOLERANCE = {"fro": 1e-9}  # relative to the largest singular value; 1e-6 for every other norm
DEFAULT_RANK_TOLERANCE = 1e-6
INDEPENDENT = 1e-12  # relative size below which an equality of unit norm follows from the others
# Multipliers of a solution of norm ‖W‖ add up to about ‖W‖²: their own rounding costs this much gap per ‖W‖·max ‖A_k‖.
ROUNDING = 16 * np.finfo(float).eps
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
    return [_checked(c, measure, tol, _conclude(c, measure, tol, *a)) for c, a in zip(batch, answers, strict=True)]


def _checked(c: Constraints, measure: Norm, tol: float, claim: Solution) -> Solution:
    """The claim if the independent checker agrees; otherwise the same answer as uncertified, with the reason."""
    if claim.status is Status.UNCERTIFIED:
        return claim
    reason = check(c.left, c.right, c.bound, c.equality, measure.name, tol, claim)
    return replace(claim, status=Status.UNCERTIFIED, rejected=reason) if reason else claim


class _Reduced:
    """The problem in coordinates: rows of W in the span of the left vectors, columns in that of the right ones.

    A projection onto the two spans changes no constraint and increases neither norm, so a solution lives there.
    """

    def __init__(self, constraints: Constraints):
        self.constraints = constraints
        inputs = constraints.index[:, 0]
        first = np.flatnonzero(np.diff(inputs, prepend=-1))  # one row of each input: its query
        self.P, self.left = _coordinates(constraints.left, constraints.left)
        self.Q, self.right = _coordinates(constraints.right, constraints.right[first])

    @property
    def shape_key(self) -> tuple:
        return self.left.shape[1], self.right.shape[1], self.constraints.equality[self.kept].tobytes()

    @cached_property
    def kept(self) -> np.ndarray:
        """The rows that say something: inequalities on nonzero matrices, and independent equalities."""
        c = self.constraints
        nonzero = self.left.any(1) & self.right.any(1)
        numbers = np.flatnonzero(c.equality & nonzero)
        if len(numbers) > 0:
            rows = (self.left[numbers, :, None] * self.right[numbers, None, :]).reshape(len(numbers), -1)
            _, R, order = qr((rows / np.linalg.norm(rows, axis=1)[:, None]).T, mode="economic", pivoting=True)
            numbers = numbers[order[: int((np.abs(np.diag(R)) > INDEPENDENT).sum())]]
        return np.sort(np.concatenate([np.flatnonzero(~c.equality & nonzero), numbers]))

    def frobenius(self):
        c = self.constraints
        rows = (self.left[:, :, None] * self.right[:, None, :]).reshape(
            len(c), self.left.shape[1] * self.right.shape[1]
        )
        w, dual, feasible = least_norm(rows, c.bound, c.equality)
        return self.lift(w.reshape(self.left.shape[1], self.right.shape[1])), dual, feasible

    def lift(self, W):
        return self.P @ W @ self.Q.T

    def spread(self, dual):
        """Multipliers of all rows from those of the kept ones."""
        return np.bincount(self.kept, dual, minlength=len(self.constraints))

    def lower(self, W):
        return self.P.T @ W @ self.Q


def _coordinates(vectors, spanning):
    """An orthonormal basis (d, size) of a space that holds the vectors, and their coordinates (m, size) in it."""
    count, d = spanning.shape
    if count >= d:
        return np.eye(d), vectors
    basis = np.linalg.qr(spanning.T)[0]
    return basis, vectors @ basis


def _nuclear(problems: list[_Reduced], starts: list[np.ndarray], measure: Norm):
    """Nuclear solutions, group by group of one shape."""
    groups = defaultdict(list)
    for k, problem in enumerate(problems):
        groups[problem.shape_key].append(k)
    answers = [None] * len(problems)
    for members in groups.values():
        group = [problems[k] for k in members]
        for k, answer in zip(members, _nuclear_group(group, [starts[k] for k in members]), strict=True):
            answers[k] = _on_active(problems[k].constraints, measure, answer)
    return answers


def _on_active(c: Constraints, measure: Norm, answer):
    """Where rounding stopped the first pass early, solve again with the constraints near their bound alone.

    The others only blur the last digits; the better of the two answers is kept, judged on all constraints.
    """
    W, dual, _ = answer
    W, dual, gap, _ = _rescaled(c, measure, W, dual)
    near = c.equality | (dual > 1e-6 * dual.max()) | (c.apply(W) - c.bound < 1e-3 * c.bound)
    if gap <= REFINE or near.all():
        return answer
    part = _Reduced(c[near])
    ((again, y, _),) = _nuclear_group([part], [W])
    y = np.bincount(np.flatnonzero(near), y, minlength=len(c))
    return (again, y, True) if _rescaled(c, measure, again, y)[2] < gap else answer


def _nuclear_group(group, starts):
    """Problems of one shape, each scaled so that its longest vectors and its Frobenius solution have size one."""
    size_left = np.array([_longest(r.left) for r in group])
    size_right = np.array([_longest(r.right) for r in group])
    start = np.stack([r.lower(W) for r, W in zip(group, starts, strict=True)])
    size = np.linalg.norm(start, axis=(1, 2))
    scale = size * size_left * size_right
    W, dual = least_nuclear_norm(
        np.stack([r.left[r.kept] for r in group]) / size_left[:, None, None],
        np.stack([r.right[r.kept] for r in group]) / size_right[:, None, None],
        np.stack([r.constraints.bound[r.kept] for r in group]) / scale[:, None],
        group[0].constraints.equality[group[0].kept],
        start / size[:, None, None],
        TARGET,
    )
    return [(r.lift(w * z), r.spread(y), True) for r, w, z, y in zip(group, W, size, dual, strict=True)]


def _conic(problems: list[_Reduced], starts: list[np.ndarray], measure: Norm):
    """Any other norm, one problem at a time, scaled alike; in the spans where the norm allows it."""
    answers = []
    for problem, start in zip(problems, starts, strict=True):
        c = problem.constraints
        inside = measure.unitarily_invariant
        left, right = (problem.left, problem.right) if inside else (c.left, c.right)
        scale, size = _longest(left) * _longest(right), np.linalg.norm(start)
        rows = (left[:, :, None] * right[:, None, :] / scale).reshape(len(c), -1)[problem.kept]
        bound, equality = c.bound[problem.kept] / (size * scale), c.equality[problem.kept]
        W, dual = least_norm_conic(rows, bound, equality, (left.shape[1], right.shape[1]), measure)
        answers.append((problem.lift(W * size) if inside else W * size, problem.spread(dual), True))
    return answers


def _lengths(vectors: np.ndarray) -> np.ndarray:
    return np.sqrt((vectors * vectors).sum(1))


def _longest(vectors: np.ndarray) -> float:
    return float(_lengths(vectors).max())


def _conclude(c: Constraints, measure: Norm, tol: float, W, dual, feasible) -> Solution:
    """Rescale to exact feasibility on both sides and say what is proved."""
    norm = measure.name
    d, e = c.left.shape[1], c.right.shape[1]
    if not feasible:
        dual = dual / np.abs(dual).sum()
        largest = (_lengths(c.left) * _lengths(c.right)).max()
        residual = float(np.linalg.norm(c.adjoint(dual)) / largest) if largest > 0 else 0.0
        status = Status.INFEASIBLE if residual <= FARKAS_TOLERANCE else Status.UNCERTIFIED
        return Solution(status, np.full((d, e), np.nan), dual, np.inf, residual, 0, 0, 0, 0)

    if norm not in ("fro", "nuc"):
        W = _onto_equalities(c, W)
    W, dual, gap, reached = _rescaled(c, measure, W, dual)
    rounding = ROUNDING * np.linalg.norm(W) * (_lengths(c.left) * _lengths(c.right)).max(initial=0.0)
    proved = reached > 0 and np.isfinite(gap) and gap <= tol + rounding and _equalities_hold(c, W)
    status = Status.SOLVED if proved else Status.UNCERTIFIED
    counting = RANK_TOLERANCE.get(norm, DEFAULT_RANK_TOLERANCE)
    sigma = _relative(W) if proved else np.zeros(1)
    ranks = [int((sigma > counting * factor).sum()) for factor in (1.0, 10.0, 0.1)]
    bound = min(d, e)
    if norm == "nuc":
        bound = int((_relative(c.adjoint(dual)) > 1 - MULTIPLICITY_TOLERANCE).sum())
    return Solution(status, W, dual, gap, np.nan, *ranks, bound)


def _rescaled(c: Constraints, measure: Norm, W, dual):
    """(W with smallest margin 1, dual of dual norm 1, their relative gap, the smallest margin before)."""
    tight = ~c.equality & (c.bound > 0)
    reached = (c.apply(W)[tight] / c.bound[tight]).min(initial=np.inf)
    W = W / reached if 0 < reached < np.inf else W
    size = measure.dual(c.adjoint(dual))
    dual = dual / size if size > 0 else dual
    value = float(measure.value(W))
    return W, dual, (value - float(c.bound @ dual)) / value if value > 0 else 0.0, reached


def _onto_equalities(c: Constraints, W):
    """The nearest W that meets the equalities: interior-point iterates meet them only nearly."""
    eq = c[c.equality]
    if len(eq) == 0:
        return W
    rows = (eq.left[:, :, None] * eq.right[:, None, :]).reshape(len(eq), -1)
    return W + np.linalg.lstsq(rows, eq.bound - eq.apply(W), rcond=1e-12)[0].reshape(W.shape)


def _relative(A):
    """Singular values divided by the largest; zeros for the zero matrix."""
    sigma = np.linalg.svd(A, compute_uv=False)
    return sigma / sigma[0] if sigma[0] > 0 else sigma


def _equalities_hold(c: Constraints, W) -> bool:
    if not c.equality.any():
        return True
    eq = c[c.equality]
    size = _lengths(eq.left) * _lengths(eq.right) * np.linalg.norm(W)
    return bool((np.abs(eq.apply(W) - eq.bound) <= 1e-9 * np.maximum(size, np.abs(eq.bound))).all())
