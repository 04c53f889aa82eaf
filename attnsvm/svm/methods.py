"""How each norm is solved: answers (W, multipliers) of feasible problems, not yet rescaled or judged."""

from collections import defaultdict

import numpy as np

from attnsvm.norms import Norm
from attnsvm.svm.conic import least_norm_conic
from attnsvm.svm.constraints import Constraints
from attnsvm.svm.frobenius import least_norm
from attnsvm.svm.nuclear import least_nuclear_norm
from attnsvm.svm.subspaces import Reduced, lengths, outer

TARGET = 1e-11  # relative gap the interior-point method aims at
REFINE = 1e-9  # relative gap above which a nuclear solution is refined on its active constraints


def frobenius(problem: Reduced) -> tuple[np.ndarray, np.ndarray, bool]:
    """(W, multipliers, True), or (NaN, Farkas certificate, False)."""
    c = problem.constraints
    w, dual, feasible = least_norm(outer(problem.left, problem.right), c.bound, c.equality)
    return problem.lift(w.reshape(problem.left.shape[1], problem.right.shape[1])), dual, feasible


def nuclear(problems: list[Reduced], starts: list[np.ndarray], measure: Norm):
    """By the interior-point method, problems of one shape together, from points that meet the constraints."""
    groups = defaultdict(list)
    for k, problem in enumerate(problems):
        groups[problem.shape_key].append(k)
    answers = [None] * len(problems)
    for members in groups.values():
        found = _nuclear_group([problems[k] for k in members], [starts[k] for k in members])
        for k, answer in zip(members, found, strict=True):
            answers[k] = _on_active(problems[k].constraints, measure, *answer)
    return answers


def _nuclear_group(group, starts):
    """Problems of one shape, each scaled so that its longest vectors and its starting point have size one."""
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
        TARGET,
    )
    return [(r.lift(w * z), r.spread(y)) for r, w, z, y in zip(group, W, size, dual, strict=True)]


def _on_active(c: Constraints, measure: Norm, W, dual):
    """Where rounding stopped the first pass early, solve again with the constraints near their bound alone.

    The others only blur the last digits; the better of the two answers is kept, judged on all constraints.
    """
    W, dual, gap = rescaled(c, measure, W, dual)
    near = c.equality | (dual > 1e-6 * dual.max()) | (c.apply(W) - c.bound < 1e-3 * c.bound)
    if gap <= REFINE or near.all():
        return W, dual
    ((again, y),) = _nuclear_group([Reduced(c[near])], [W])
    again, y, new_gap = rescaled(c, measure, again, np.bincount(np.flatnonzero(near), y, minlength=len(c)))
    return (again, y) if new_gap < gap else (W, dual)


def conic(problems: list[Reduced], starts: list[np.ndarray], measure: Norm):
    """By a conic solver, one problem at a time, scaled alike; in the spans where the norm allows it."""
    answers = []
    for problem, start in zip(problems, starts, strict=True):
        c, kept, inside = problem.constraints, problem.kept, measure.unitarily_invariant
        left, right = (problem.left, problem.right) if inside else (c.left, c.right)
        scale, size = lengths(left).max() * lengths(right).max(), np.linalg.norm(start)
        rows, bound = outer(left, right)[kept] / scale, c.bound[kept] / (size * scale)
        shape = left.shape[1], right.shape[1]
        W, dual = least_norm_conic(rows, bound, c.equality[kept], shape, measure)
        W = _onto_equalities(c, problem.lift(W * size) if inside else W * size)
        answers.append((W, problem.spread(dual)))
    return answers


def _onto_equalities(c: Constraints, W):
    """The nearest W that meets the equalities: a conic solver's answer meets them only nearly."""
    eq = c[c.equality]
    if len(eq) == 0:
        return W
    correction = np.linalg.lstsq(outer(eq.left, eq.right), eq.bound - eq.apply(W), rcond=1e-12)[0]
    return W + correction.reshape(W.shape)


def rescaled(c: Constraints, measure: Norm, W, dual) -> tuple[np.ndarray, np.ndarray, float]:
    """W with smallest margin one, multipliers of dual norm one, and the relative gap between the two values."""
    tight = ~c.equality & (c.bound > 0)
    reached = (c.apply(W)[tight] / c.bound[tight]).min(initial=np.inf)
    W = W / reached if 0 < reached < np.inf else W
    size = measure.dual(c.adjoint(dual))
    dual = dual / size if size > 0 else dual
    value = float(measure.value(W))
    return W, dual, (value - float(c.bound @ dual)) / value if value > 0 else 0.0
