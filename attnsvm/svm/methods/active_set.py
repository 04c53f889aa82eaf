"""Least Frobenius norm subject to linear constraints: least-distance programming by non-negative least squares.

Lawson and Hanson, Solving Least Squares Problems (1974), ch. 23: minimise ‖w‖ subject to A w ≥ b is solved by
u = argmin ‖[Aᵀ; bᵀ] u − e_last‖ over u ≥ 0. The residual is zero exactly when the constraints are infeasible, and then
u is the Farkas certificate. Equality rows are eliminated first. The system of the active set is then solved directly,
which carries the answer to machine precision.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.linalg import lstsq, qr
from scipy.linalg.lapack import dgeqrf, dtrtrs
from scipy.optimize import nnls

EPSILON = float(np.finfo(float).eps)


@dataclass(frozen=True)
class Options:
    """The numbers that decide in this method; rows have length one, so most are relative to one.

    Attributes:
        infeasible: residual of the scaled least-squares problem below which its multipliers are tried as a certificate.
        certain: residual at which the refined multipliers are a certificate, far below `infeasible`, so that a problem
            with a separator is not taken for one without.
        dependent: relative size below which rows count as linearly dependent: some thousand ulps of rounding.
        clear: size of the other pivots, and of the multipliers relative to the largest, from which a certificate on a
            support with one dependence is sure; `dependence` is the size up to which that one counts as exact.
        slack: violation, relative to ‖w‖, that rounding alone can cause in a margin: eight ulps.
        doubted: such a violation, relative to the bounds, from which it may hide what is active: a fifth of the
            tolerance of the norm.
        steps: largest number of changes of the active set, in numbers of constraints; `scipy.optimize.nnls` has the
            same bound.
        numbers: largest matrix of constraints, in entries, with which this method takes over where the augmented
            Lagrangian stalls: 160 MB.
    """

    infeasible: float = 1e-6
    certain: float = 1e-10
    dependent: float = 1e-12
    clear: float = 1e-7
    dependence: float = 1e-14
    slack: float = 8 * EPSILON
    doubted: float = 2e-11
    steps: int = 3
    numbers: float = 2e7


OPTIONS = Options()


class Answer(NamedTuple):
    """What `least_norm` finds.

    Attributes:
        w: (k,), NaN if the constraints are infeasible. dual: (m,) with w = Aᵀ dual, or a Farkas certificate.
        feasible: which of the two.
        sure: whether rows that are nearly dependent left no doubt about the active set, or about the certificate.
    """

    w: np.ndarray
    dual: np.ndarray
    feasible: bool
    sure: bool


def least_norm(A: np.ndarray, b: np.ndarray, equality: np.ndarray, options: Options = OPTIONS) -> Answer:
    """Solve min ‖w‖ s.t. A w ≥ b, with equality on the rows marked.

    Args:
        A: (m, k) constraint rows.
        b: (m,) bounds.
        equality: (m,) bool.
    """
    scale = np.sqrt((A * A).sum(1))
    if not scale.all():
        empty = scale == 0
        broken = empty & np.where(equality, b != 0, b > 0)
        if broken.any():  # a row that asks 0 ≥ b > 0
            certificate = np.zeros(len(b))
            first = int(np.argmax(broken))
            certificate[first] = np.sign(b[first])
            return Answer(np.full(A.shape[1], np.nan), certificate, False, True)
        scale = scale + empty
    rows, bounds = A / scale[:, None], b / scale
    if equality.any():
        found = _with_equalities(rows, bounds, equality, options)
    else:
        found = _inequalities(rows, bounds, options)
    return found._replace(dual=found.dual / scale)


def _inequalities(A, b, options):
    """Rows of unit norm, inequalities only."""
    size = np.abs(b).max(initial=0.0)
    if size == 0.0 or (b <= 0).all():
        return Answer(np.zeros(A.shape[1]), np.zeros(len(b)), True, True)
    system, target = np.empty((A.shape[1] + 1, len(b))), np.zeros(A.shape[1] + 1)
    system[:-1], system[-1], target[-1] = A.T, b / size, 1.0
    u, residual = nnls(system, target, maxiter=100 * max(len(b), 10))
    if residual < options.infeasible:
        certificate, sure = _certificate(A, b, u, np.zeros(len(b), dtype=bool), options)
        if not sure:
            active = u > 0
            certificate[active] = _refined(system[:, active], target, u[active])
        left = 0.0 if sure else np.linalg.norm(system @ certificate - target)
        if left < options.certain or residual < EPSILON:  # zero but for rounding: no w to scale, the checker judges
            return Answer(np.full(A.shape[1], np.nan), certificate, False, sure)
    w, dual, settled = _active_set(A, b, u * size / residual**2, options)
    return Answer(w, dual, True, settled)


def _certificate(A, b, dual, equality, options):
    """Multipliers on the support of some, which combine its rows to zero, and whether that is sure.

    It is where one row is the combination of the others, which are clearly independent, and all signs are clear.
    """
    active = np.flatnonzero(dual)
    others, k = len(active) - 1, A.shape[1]
    if 0 < others <= k:
        R = dgeqrf(A[active].T)[0][: others + 1]
        pivots = np.abs(R.diagonal())
        if pivots[:others].min() > options.clear and pivots[others:].max(initial=0.0) < options.dependence:
            last = -dtrtrs(R[:others, :others], R[:others, others])[0]
            found = np.append(last, 1.0) * np.sign(dual[active[-1]])
            smallest = np.where(equality[active], np.abs(found), found).min()
            if smallest > options.clear * np.abs(found).max() and b[active] @ found > 0:
                certificate = np.zeros(len(dual))
                certificate[active] = found
                return certificate, True
    return np.array(dual), False


def _refined(system, target, start):
    """Least squares on the support, kept only if it stays non-negative."""
    better = lstsq(system, target)[0]
    return better if (better >= 0).all() else start


def _active_set(A, b, dual, options):
    """Polish multipliers: Lawson and Hanson's active-set iteration on min ½‖Aᵀy‖² − bᵀy, y ≥ 0, from a start near
    the solution, every step by QR of the active rows. Nearly dependent rows end it early. Returns (w, y) and
    whether it came to its end and rounding hides no active row.

    w is refined apart from y, not formed as Aᵀy: where ‖w‖ is large the multipliers are of order ‖w‖² and cancel.
    """
    active = dual > 0
    for _ in range(options.steps * len(b)):
        solved = _equal_margins(A[active], b[active], options)
        if solved is None:
            break
        w, goal = solved[0], np.zeros(len(b))
        goal[active] = solved[1]
        if (goal[active] <= 0).any():  # walk towards the goal until a multiplier reaches zero
            leaving = active & (goal <= 0)
            length = dual - goal
            ratio = np.where(leaving, dual / np.where(length > 0, length, 1.0), np.inf)  # zero where both are
            dual = dual + ratio.min() * (goal - dual)
            active &= ratio > ratio.min()
            dual[~active] = 0.0
            continue
        dual = goal
        slack = A @ w - b
        slack[active] = np.inf
        worst, rounding = int(slack.argmin()), options.slack * float(np.linalg.norm(w))
        if slack[worst] >= -rounding:
            return w, dual, rounding <= options.doubted * b.min(where=b > 0, initial=np.inf)
        active[worst] = True
    return A.T @ dual, dual, False


def _equal_margins(A, b, options):
    """(w, y) with w = Aᵀy and A w = b; None if the rows are dependent.

    Corrected seminormal equations: R of a QR decomposition of Aᵀ, and two steps of refinement (Björck, Numerical
    Methods for Least Squares Problems, sec. 2.4).
    """
    m, k = A.shape
    if m == 0 or m > k:
        return None if m else (np.zeros(k), np.zeros(0))
    R = dgeqrf(A.T)[0][:m]
    if np.abs(R.diagonal()).min() < options.dependent:
        return None
    w, y = np.zeros(k), np.zeros(m)
    for _ in range(3):
        step = dtrtrs(R, dtrtrs(R, b - A @ w, trans=1)[0])[0]
        w, y = w + A.T @ step, y + step
    return w, y


def _with_equalities(A, b, equality, options):
    """Solve on the null space of the equality rows, then polish all tight rows together."""
    E, e = A[equality], b[equality]
    U, sigma, Vt = np.linalg.svd(E, full_matrices=False)
    rank = int((sigma > options.dependent * sigma.max(initial=0.0)).sum())
    U, sigma, Vt = U[:, :rank], sigma[:rank], Vt[:rank]
    outside = e - U @ (U.T @ e)
    dual = np.zeros(len(b))
    if np.linalg.norm(outside) > 100 * options.dependent * max(1.0, np.linalg.norm(e)):  # inconsistent equalities
        dual[equality] = outside / (outside @ e)
        return _refuted(A, b, dual, equality, options)

    particular = Vt.T @ ((U.T @ e) / sigma)
    inner = A[~equality]
    reduced = inner - (inner @ Vt.T) @ Vt
    missing = b[~equality] - inner @ particular
    inside = np.linalg.norm(reduced, axis=1) < options.dependent  # rows inside the span of the equalities
    reduced[inside] = 0.0
    met = missing < options.dependent * np.linalg.norm(particular)  # they meet the bound, with rounding
    missing[inside & met] = 0.0
    w, lam, feasible, sure = least_norm(reduced, missing, np.zeros(len(inner), dtype=bool), options)
    dual[~equality] = lam
    if feasible:
        polished = _tight_together(A, b, equality, dual > 0, options)
        if polished is not None:
            return Answer(polished[0], polished[1], True, sure)
    goal = (particular + w if feasible else 0.0) - inner.T @ lam
    dual[equality] = U @ ((Vt @ goal) / sigma)
    if feasible:
        return Answer(particular + w, dual, True, False)
    return _refuted(A, b, dual, equality, options)


def _refuted(A, b, dual, equality, options):
    """Equalities that follow from others get no multipliers, where these have none of their own to say."""
    some = _independent(A, equality, options)
    if len(some) < np.count_nonzero(equality):
        shorter = np.where(equality, 0.0, dual)
        fitted = lstsq(A[some].T, A[equality].T @ dual[equality])[0]
        shorter[some] = np.where(np.abs(fitted) > options.clear * np.abs(dual).max(), fitted, 0.0)
        dual = shorter if b @ shorter > 0 else dual
    certificate, sure = _certificate(A, b, dual, equality, options)
    return Answer(np.full(A.shape[1], np.nan), certificate, False, sure)


def _independent(A, equality, options):
    """The numbers of equality rows of which the others are combinations."""
    numbers = np.flatnonzero(equality)
    _, R, order = qr(A[equality].T, mode="economic", pivoting=True)
    diagonal = np.abs(np.diag(R))
    return numbers[order[: int((diagonal > options.dependent * diagonal.max(initial=0.0)).sum())]]


def _tight_together(A, b, equality, active, options):
    """(w, dual) with equal margins on the active rows and an independent subset of the equality rows."""
    independent = _independent(A, equality, options)
    tight = np.concatenate([np.flatnonzero(active & ~equality), independent])
    solved = _equal_margins(A[tight], b[tight], options)
    if solved is None or (solved[1][: len(tight) - len(independent)] < 0).any():
        return None
    dual = np.zeros(len(b))
    dual[tight] = solved[1]
    return solved[0], dual
