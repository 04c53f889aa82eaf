"""A solver on some of the constraints: on a growing working set at size, and on the active ones for the last digits."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from attnsvm.geometry import Norm
from attnsvm.svm.constraints import Constraints
from attnsvm.svm.methods.rescaling import margins, measured

# (W, multipliers) of constraints from a start, up to a relative gap; a conic solver does not ask for the gap.
Solver = Callable[[Constraints, np.ndarray, Norm, float], tuple[np.ndarray, np.ndarray]]


@dataclass(frozen=True)
class Options:
    """The numbers that decide in this method. Distances are relative to the bound of a constraint.

    Attributes:
        close: distance up to which a constraint counts as tight at the Frobenius solution, and is in the first set: far
            above the rounding of that solution.
        met: violation up to which a constraint counts as met; the final scaling removes it at no visible cost.
        near: distance up to which constraints join the set before the full accuracy is asked for: they would be
            violated next.
        at_least: least number of constraints that a round may add, so that a small set grows in few rounds.
        rounds: largest number of rounds, for problems that rounding keeps from ending.
        rough: relative gap asked for while many constraints are missing: their multipliers will change anyway.
        few: share of missing constraints up to which the answer is asked for in full.
        target: relative gap of a full answer, far below the tolerance of the norms solved here, 1e-7.
        enough: relative gap at which nothing is refined: a hundredth of this tolerance.
        weight, active: a constraint counts as active if its multiplier, relative to the largest one, is above `weight`,
            or its distance below `active`.
    """

    close: float = 1e-6
    met: float = 1e-9
    near: float = 0.01
    at_least: int = 100
    rounds: int = 60
    rough: float = 1e-3
    few: float = 0.02
    target: float = 1e-11
    enough: float = 1e-9
    weight: float = 1e-6
    active: float = 1e-3


OPTIONS = Options()


def on_working_set(
    c: Constraints,
    start: np.ndarray,
    measure: Norm,
    solve: Solver,
    roughly: bool,
    report: Callable[[str], None],
    options: Options = OPTIONS,
) -> tuple[np.ndarray, np.ndarray]:
    """Solve on some constraints, add those that the answer violates, and so on until all are met.

    The multipliers of the others are zero: what is optimal on the working set and meets the rest is optimal.

    Args:
        roughly: the solver can stop at a gap, so that the first rounds ask for little.
    """
    margin = margins(c, start)
    inside = c.equality | (margin < 1 + options.close)
    inside[np.argsort(margin)[: min(len(c), 2 * sum(start.shape))]] = True
    target, best, answer = options.rough if roughly else options.target, np.inf, (start, np.zeros(len(c)))
    for number in range(options.rounds):
        rows = np.flatnonzero(inside)
        W, y = solve(c[rows], start, measure, target)
        dual = np.zeros(len(c))
        dual[rows] = y
        margin = margins(c, W)
        gap, (W, dual) = measured(c, measure, W, dual)
        missing = np.flatnonzero((margin < 1 - options.met) & ~inside)
        report(f"working set {number + 1}: {len(rows)} constraints, {len(missing)} violated, relative gap {gap:.1e}")
        if gap < best:
            best, answer = gap, (W, dual)
        if gap <= options.enough or (len(missing) == 0 and target == options.target):
            break
        if len(missing) <= options.few * len(rows):
            target = options.target
            inside |= margin < 1 + options.near
        worst = missing[np.argsort(margin[missing])]
        inside[worst[: max(len(rows) // 2, options.at_least)]] = True
    return on_active(c, measure, *answer, solve, options)


def on_active(
    c: Constraints, measure: Norm, W: np.ndarray, dual: np.ndarray, solve: Solver, options: Options = OPTIONS
) -> tuple[np.ndarray, np.ndarray]:
    """Where rounding stopped the first pass early, solve again with the constraints near their bound alone.

    The others only blur the last digits. The better of the two answers is kept, judged on all constraints.
    """
    before, (W, dual) = measured(c, measure, W, dual)
    loose = ~c.equality & ~c.asks
    near = (
        c.equality
        | (dual > options.weight * dual.max())
        | (c.apply(W) - c.bound < options.active * np.where(loose, c.bound.max(), c.bound))
    )
    if before <= options.enough or near.all():
        return W, dual
    again, y = solve(c[near], W, measure, options.target)
    after, answer = measured(c, measure, again, np.bincount(np.flatnonzero(near), y, minlength=len(c)))
    return answer if after < before else (W, dual)
