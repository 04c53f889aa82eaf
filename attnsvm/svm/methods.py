"""How each norm is solved, by size: answers (W, multipliers), not yet rescaled or judged.

Every method takes problems in coordinates; those of other norms than Frobenius start from a W that meets the
constraints. What is heavy to import (numba, cvxpy) is imported by the problem that needs it.
"""

from collections import defaultdict
from collections.abc import Callable

import numpy as np

from attnsvm.geometry import Norm, fro, nuc
from attnsvm.svm import frobenius
from attnsvm.svm.constraints import IMPLICIT, Constraints
from attnsvm.svm.nuclear import least_nuclear_norm
from attnsvm.svm.subspaces import Reduced, lengths, outer

ACTIVE_SET, LAGRANGIAN, INTERIOR, CONIC = "active set", "augmented Lagrangian", "interior point", "conic"
WORKING_SET = " on a working set"  # after the name of an interior-point or conic method
METHODS = (ACTIVE_SET, LAGRANGIAN, INTERIOR, CONIC, INTERIOR + WORKING_SET, CONIC + WORKING_SET)

FROBENIUS_SWITCH = 150  # constraints from which on the augmented Lagrangian is faster than the active set
NUCLEAR_SWITCH = 400  # from which on the interior-point method works on some of them
CONIC_SWITCH = 800  # from which on a conic solver does
LARGEST_SYSTEM = 8000  # unknowns of a system of the augmented Lagrangian that a Cholesky factor solves: half a gigabyte
ACTIVE_SET_NUMBERS = 2e7  # of the constraints as a matrix that the active set takes over where the other one stalls

TARGET = 1e-11  # relative gap the interior-point method aims at
REFINE = 1e-9  # relative gap above which a nuclear solution is refined on its active constraints
DOUBTED = 1e-8  # error above which a conic solver is asked too
ROUNDING = 4 * np.finfo(float).eps  # of ⟨A_k, W⟩, relative to ‖A_k‖‖W‖
PROVED = 1e-10  # error of an augmented Lagrangian that needs no second opinion
REFUTED = 1e-11  # residual of the active set's refutation that needs none

CLOSE = 1e-6  # relative distance to its bound up to which a constraint of the Frobenius solution counts as tight
MET = 1e-9  # violation, relative to the bound, that the final scaling takes up
NEAR = 0.01  # relative distance up to which a constraint joins the working set before the answer is asked for in full
AT_LEAST = 100  # constraints added to a working set at a time
ROUNDS = 60
LACKING = 1e-11  # of ‖A_k‖‖W‖, up to which such a violation is left
CORRECTIONS = 5  # of such an answer at most: one can push another row over its bound
ROUGH = 1e-3  # relative gap asked for while many constraints are missing from the working set
FEW = 0.02  # share of missing constraints up to which the answer is asked for in full

Report = Callable[[str], None]


def named(measure: Norm, size: int, method: str | None) -> str:
    """The method for a problem of `size` constraints, or the one asked for.

    Raises:
        ValueError: it does not exist, or does not solve this norm.
    """
    if measure is fro.NORM:
        known, by_size = (ACTIVE_SET, LAGRANGIAN), ACTIVE_SET if size < FROBENIUS_SWITCH else LAGRANGIAN
    elif measure is nuc.NORM:
        known = (INTERIOR, INTERIOR + WORKING_SET, CONIC, CONIC + WORKING_SET)
        by_size = INTERIOR if size < NUCLEAR_SWITCH else INTERIOR + WORKING_SET
    else:
        known, by_size = (CONIC, CONIC + WORKING_SET), CONIC if size < CONIC_SWITCH else CONIC + WORKING_SET
    if method is not None and method not in known:
        fitting = f"{', '.join(known)} for the norm {measure.name}"
        raise ValueError(f"method: expected None or one of {fitting}, got {method!r}")
    return method or by_size


def least_frobenius(problem: Reduced, method: str, report: Report) -> tuple[np.ndarray, np.ndarray, bool, str]:
    """(W, multipliers, True) or (NaN, Farkas certificate, False), and the method that found it."""
    c = problem.constraints
    if method == LAGRANGIAN:
        W, dual, feasible, error = _lagrangian(problem, report)
        if error <= PROVED or len(c) * W.size > ACTIVE_SET_NUMBERS:
            return problem.lift(W), dual, feasible, LAGRANGIAN
        report(f"left with an error of {error:.1e}: the active set goes on")
    w, dual, feasible = frobenius.least_norm(outer(problem.left, problem.right), c.bound, c.equality)
    if not feasible and method == ACTIVE_SET and refutation(c, dual) > REFUTED:
        # Bounds of very different sizes: the refutation may rest on the small ones, lost among the large.
        report("the active set does not refute what it cannot solve: the augmented Lagrangian goes on")
        W, second, possible, error = _lagrangian(problem, report)
        if error <= PROVED:
            return problem.lift(W), second, possible, LAGRANGIAN
    return problem.lift(w.reshape(problem.shape)), dual, feasible, ACTIVE_SET


def _lagrangian(problem: Reduced, report: Report):
    from attnsvm.svm import lagrangian
    from attnsvm.svm.operator import Operator

    c = problem.constraints
    return lagrangian.least_norm(Operator(problem.factors, LARGEST_SYSTEM), c.bound, c.equality, report)


def refutation(c: Constraints, dual: np.ndarray) -> float:
    """How far the multipliers are from combining the constraints to zero, see `Solution.residual`."""
    largest = c.lengths().max()
    promised = float(c.bound @ dual) / np.abs(c.bound).max() * largest
    return float(np.linalg.norm(c.adjoint(dual)) / promised) if largest > 0 else 0.0


def least_other(
    problems: list[Reduced], starts: list[np.ndarray], measure: Norm, names: list[str], report: Report
) -> list[tuple[np.ndarray, np.ndarray]]:
    """(W, multipliers) of feasible problems in any other norm, by the method named for each."""
    answers, groups = [None] * len(problems), defaultdict(list)
    for k, (problem, name) in enumerate(zip(problems, names, strict=True)):
        if name == INTERIOR:
            groups[problem.shape_key].append(k)
        elif name == CONIC:
            answers[k] = conic(problem, starts[k], measure)
        else:
            answers[k] = _on_working_set(
                problem.constraints, starts[k], measure, name.removesuffix(WORKING_SET), report
            )
    for members in groups.values():
        found = interior([problems[k] for k in members], [starts[k] for k in members], TARGET)
        for k, answer in zip(members, found, strict=True):
            active = _on_active(problems[k].constraints, measure, *answer, _SOLVERS[INTERIOR])
            answers[k] = _second_opinion(problems[k], starts[k], measure, *active)
    return answers


def _second_opinion(problem: Reduced, start, measure: Norm, W, dual):
    """The better of the answer and that of a conic solver, if there is one, where bounds of zero leave no interior.

    Opposite rows of bound zero are an equality in disguise, at which the interior-point method ends early.
    """
    c = problem.constraints
    if (c.equality | c.asks).all():
        return W, dual
    W, dual, gap = rescaled(c, measure, W, dual)
    if _error(c, W, gap) <= DOUBTED:
        return W, dual
    try:
        again, y = conic(problem, start, measure)
    except ImportError:
        return W, dual
    again, y, new_gap = rescaled(c, measure, again, y)
    return (again, y) if _error(c, again, new_gap) < _error(c, W, gap) else (W, dual)


def interior(group: list[Reduced], starts: list[np.ndarray], target: float):
    """Nuclear norm: problems of one shape, each scaled so that its longest vectors and its start have size one."""
    size_left = np.array([lengths(r.left).max() for r in group])
    size_right = np.array([lengths(r.right).max() for r in group])
    start = np.stack([r.lower(W) for r, W in zip(group, starts, strict=True)])
    size = np.linalg.norm(start, axis=(1, 2))
    scale = size * size_left * size_right
    W, dual = least_nuclear_norm(
        np.stack([r.left[r.kept] for r in group]) / size_left[:, None, None],
        np.stack([r.right[r.kept] for r in group]) / size_right[:, None, None],
        np.stack([r.constraints.bound[r.kept] for r in group]) / scale[:, None],
        group[0].constraints.equality[group[0].kept],
        start / size[:, None, None],
        target,
    )
    return [(_mended(r, r.lift(w * z)), r.spread(y)) for r, w, z, y in zip(group, W, size, dual, strict=True)]


def _mended(problem: Reduced, W):
    """W, or the nearest that no longer violates bounds which do not measure their margin, where rounding left it so."""
    c = problem.constraints
    return W if (c.equality | c.asks).all() or _lack(c, W).max() <= LACKING else _onto_unscaled(c, W)


def _on_active(c: Constraints, measure: Norm, W, dual, solve):
    """Where rounding stopped the first pass early, solve again with the constraints near their bound alone.

    The others only blur the last digits; the better of the two answers is kept, judged on all constraints.
    """
    W, dual, gap = rescaled(c, measure, W, dual)
    error = _error(c, W, gap)
    loose = ~c.equality & ~c.asks
    near = (
        c.equality
        | (dual > 1e-6 * dual.max())
        | (c.apply(W) - c.bound < 1e-3 * np.where(loose, c.bound.max(), c.bound))
    )
    if error <= REFINE or near.all():
        return W, dual
    again, y = solve(c[near], W, measure, TARGET)
    again, y, new_gap = rescaled(c, measure, again, np.bincount(np.flatnonzero(near), y, minlength=len(c)))
    return (again, y) if _error(c, again, new_gap) < error else (W, dual)


def conic(problem: Reduced, start: np.ndarray, measure: Norm) -> tuple[np.ndarray, np.ndarray]:
    """By a conic solver, scaled alike; in the spans where the norm allows it."""
    from attnsvm.svm.conic import least_norm_conic

    c, kept, inside = problem.constraints, problem.kept, measure.unitarily_invariant
    left, right = (problem.left, problem.right) if inside else (c.left, c.right)
    scale, size = lengths(left).max() * lengths(right).max(), np.linalg.norm(start)
    rows, bound = outer(left, right)[kept] / scale, c.bound[kept] / (size * scale)
    shape = left.shape[1], right.shape[1]
    W, dual = least_norm_conic(rows, bound, c.equality[kept], shape, measure)
    W = _onto_unscaled(c, problem.lift(W * size) if inside else W * size)
    return W, problem.spread(dual)


def _onto_unscaled(c: Constraints, W):
    """The nearest W on the equalities, and on the violated rows whose bound no scaling of W reaches.

    A conic or an interior-point solver's answer meets them only nearly.
    """
    for _ in range(CORRECTIONS):
        rows = c[c.equality | (_lack(c, W) > LACKING)]
        if len(rows) == 0:
            break
        correction = np.linalg.lstsq(outer(rows.left, rows.right), rows.bound - rows.apply(W), rcond=1e-12)[0]
        W = W + correction.reshape(W.shape)
        if c.asks.sum() + c.equality.sum() == len(c):  # equalities alone
            break
    return W


def _lack(c: Constraints, W):
    """What W lacks, relative to ‖A_k‖‖W‖, where the bound does not measure the margin; −∞ on the other rows."""
    loose, size = ~c.equality & ~c.asks, c.lengths() * np.linalg.norm(W)
    return np.where(loose, (c.bound - c.apply(W)) / np.where(size > 0, size, np.inf), -np.inf)


def _error(c: Constraints, W, gap: float) -> float:
    """The gap, or what W lacks on those inequalities if that is more: scaling W mends the others."""
    return gap if (c.equality | c.asks).all() else max(gap, float(_lack(c, W).max()))


def _margins(c: Constraints, W):
    """What W reaches: 1 where a constraint is met exactly, in bounds; infinite on equalities.

    Where the bound does not measure the margin, the excess is in the largest bound, or in ‖A_k‖‖W‖ where that is less.
    """
    margins = np.where(c.asks, c.apply(W), np.inf) / np.where(c.asks, c.bound, 1.0)
    loose = ~c.equality & ~c.asks
    if loose.any():
        unit = np.minimum(c.bound[~c.equality].max(), c.lengths() * np.linalg.norm(W))
        excess = (c.apply(W) - c.bound) / np.where(unit > 0, unit, np.inf)
        margins = np.where(loose, 1.0 + excess, margins)
    return margins


def rescaled(c: Constraints, measure: Norm, W, dual) -> tuple[np.ndarray, np.ndarray, float]:
    """W with smallest margin one, multipliers of dual norm one, and the relative gap between the two values."""
    tight = c.asks
    margins = c.apply(W)
    if len(c) >= IMPLICIT:  # who forms the products in another order must find the margins met too
        margins = margins - ROUNDING * np.linalg.norm(W) * c.lengths()
    reached = (margins[tight] / c.bound[tight]).min(initial=np.inf)
    W = W / reached if 0 < reached < np.inf else W
    size = measure.dual(c.adjoint(dual))
    dual = dual / size if size > 0 else dual
    value = float(measure.value(W))
    return W, dual, (value - float(c.bound @ dual)) / value if value > 0 else 0.0


def _on_working_set(c: Constraints, start, measure: Norm, method: str, report: Report):
    """Solve on some constraints, add those that the answer violates, and so on until all are met.

    The multipliers of the others are zero: what is optimal on the working set and meets the rest is optimal.
    """
    solve, margin = _SOLVERS[method], _margins(c, start)
    inside = c.equality | (margin < 1 + CLOSE)
    inside[np.argsort(margin)[: min(len(c), 2 * sum(start.shape))]] = True
    target, best, answer = ROUGH if method == INTERIOR else TARGET, np.inf, (start, np.zeros(len(c)))
    for number in range(ROUNDS):
        rows = np.flatnonzero(inside)
        W, y = solve(c[rows], start, measure, target)
        dual = np.zeros(len(c))
        dual[rows] = y
        margin = _margins(c, W)
        W, dual, gap = rescaled(c, measure, W, dual)
        gap = _error(c, W, gap) if margin.min() > 0 else np.inf
        missing = np.flatnonzero((margin < 1 - MET) & ~inside)
        report(f"working set {number + 1}: {len(rows)} constraints, {len(missing)} violated, relative gap {gap:.1e}")
        if gap < best:
            best, answer = gap, (W, dual)
        if gap <= REFINE or (len(missing) == 0 and target == TARGET):
            break
        if len(missing) <= FEW * len(rows):
            target = TARGET
            inside |= margin < 1 + NEAR
        worst = missing[np.argsort(margin[missing])]
        inside[worst[: max(len(rows) // 2, AT_LEAST)]] = True
    return _on_active(c, measure, *answer, solve)


# (W, multipliers) of one problem from a start, up to a relative gap that a conic solver does not ask for
_SOLVERS = {
    INTERIOR: lambda c, start, measure, target: interior([Reduced(c)], [start], target)[0],
    CONIC: lambda c, start, measure, target: conic(Reduced(c), start, measure),
}
