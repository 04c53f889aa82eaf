"""The choice among the methods: which one takes a problem, by its norm and size, and which goes on where that fails.

Every method takes problems in coordinates; those of other norms than Frobenius start from a W that meets the
constraints. What is heavy to import (numba, cvxpy) is imported by the problem that needs it.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from attnsvm.geometry import Norm, fro, nuc
from attnsvm.svm.constraints import Constraints
from attnsvm.svm.methods import (
    active_set,
    block_pivoting,
    conic,
    interior_point,
    lagrangian,
    reduced_interior,
    working_sets,
)
from attnsvm.svm.methods.interior_point import Answer
from attnsvm.svm.methods.rescaling import measured
from attnsvm.svm.reductions import Reduced, outer
from attnsvm.system import machine

ACTIVE_SET, PIVOTING, LAGRANGIAN = "active set", "block pivoting", "augmented Lagrangian"
INTERIOR, REDUCED, CONIC = "interior point", "reduced interior point", "conic"
WORKING_SET = " on a working set"  # after the name of one of these three
WITHOUT = ("rowmax", "rowsum")  # the norms that no method but the conic one solves
METHODS = (ACTIVE_SET, PIVOTING, LAGRANGIAN, *(a + b for a in (INTERIOR, REDUCED, CONIC) for b in ("", WORKING_SET)))

Report = Callable[[str], None]
REFUTING = 2_000_000  # numbers in the support of a certificate up to which it is made minimal: some seconds at most
REDUCED_NUMBERS = 1e8  # of the matrix of the constraints, which is formed up to here: 0.8 GB, a few times
SMALL = 100  # entries of W up to which coordinates in the spans save nothing
NUMBER = 8  # bytes
PER_CONSTRAINT = 25 * NUMBER  # arrays with one number per constraint that live at the same time
PER_ENTRY = 600  # numbers of a cone program for each entry of W
PER_NUMBER = {True: 30, False: 8}  # numbers for each of the matrix of the constraints, in a cone program and elsewhere
NOTICED = 1e8  # bytes, below which nobody asks what is free
PER_HOUR, HOURS = 5e11, 2  # cubes of a semidefinite cone, by some thirty factors of its matrix in each of three tries
AGAIN = 3e5, 2000  # numbers of the rows, and of a cone, up to which a conic solver goes on where another ended early
GB = 1e9


@dataclass(frozen=True)
class Sizes:
    """Numbers of constraints from which on another method is the faster one, timed by benchmarks/svm.py.

    Attributes:
        pivoting: Frobenius norm: below, one call of compiled non-negative least squares is faster than NumPy.
        lagrangian: Frobenius norm: block pivoting factors parts of the Gram matrix, m² numbers.
        never_formed: Frobenius norm, where block pivoting fails, on equalities and where no W exists: the active set
            factors the matrix of the constraints, the augmented Lagrangian never forms it.
        nuclear_working_set: the Schur complement of the interior-point method takes m² numbers.
        reduced: other norms but ℓp: numbers of the matrix of the constraints, below which a conic solver is faster.
        working_set: other norms: systems have m² numbers, and a conic solver gets m·d·e.
    """

    pivoting: int = 40
    lagrangian: int = 350
    never_formed: int = 150
    nuclear_working_set: int = 400
    reduced: int = 4000
    working_set: int = 200


SIZES = Sizes()


def named(measure: Norm, size: int, method: str | None) -> str:
    """The method for a problem of `size` constraints, or the one asked for.

    Raises:
        ValueError: the method does not exist, or does not solve this norm.
    """
    known: tuple[str, ...]
    switches: tuple[int, ...]
    if measure is fro.NORM:
        known, switches = (ACTIVE_SET, PIVOTING, LAGRANGIAN), (SIZES.pivoting, SIZES.lagrangian)
    elif measure is nuc.NORM:
        known, switches = (INTERIOR, INTERIOR + WORKING_SET, CONIC, CONIC + WORKING_SET), (SIZES.nuclear_working_set,)
    else:
        reduced = () if measure.name in WITHOUT else (REDUCED, REDUCED + WORKING_SET)
        known, switches = (*reduced, CONIC, CONIC + WORKING_SET), (SIZES.working_set,)
    if method is not None and method not in known:
        fitting = f"{', '.join(known)} for the norm {measure.name}"
        raise ValueError(f"method: expected None or one of {fitting}, got {method!r}")
    return method or known[sum(size >= switch for switch in switches)]


def memory_needed(name: str, c: Constraints, measure: Norm) -> float:
    """About how many bytes the method called `name` takes at its peak."""
    size, (d, e) = len(c), c.shape
    entries = d * (min(e, len(c.factors.queries)) if measure.right_invariant else e)
    if name == ACTIVE_SET:
        return NUMBER * 4 * size * entries
    if name == LAGRANGIAN:
        return PER_CONSTRAINT * size + NUMBER * 2 * min(size, entries, lagrangian.OPTIONS.largest_system) ** 2
    working = min(size, entries) if name.endswith(WORKING_SET) else size
    if name.startswith(INTERIOR):
        return PER_CONSTRAINT * size + NUMBER * 2 * working**2
    cones = name.startswith(CONIC)
    program = PER_ENTRY * entries + 2 * conic.largest_cone(c, measure, working) ** 2 if cones else 0
    return PER_CONSTRAINT * size + NUMBER * (PER_NUMBER[cones] * working * entries + program)


def require_room(name: str, c: Constraints, measure: Norm) -> None:
    """Raise MemoryError with one sentence if the method needs more memory than there is, or more than `HOURS`."""
    need, (d, e) = memory_needed(name, c, measure), c.shape
    if need < NOTICED:
        return
    free, what = machine.memory(), f"{len(c)} constraints on a {d} x {e} matrix, method {name}, need about"
    hours = conic.largest_cone(c, measure, len(c)) ** 3 / PER_HOUR if name.startswith(CONIC) else 0.0
    less = "take fewer inputs, or project tokens and queries to fewer dimensions"
    if need > free:
        raise MemoryError(f"{what} {need / GB:.1f} GB, {free / GB:.1f} GB are free: {less}")
    if hours > HOURS:
        raise MemoryError(f"{what} {hours:.0f} hours, at most {HOURS} are begun: {less}")


def least_frobenius(problem: Reduced, method: str, report: Report) -> tuple[np.ndarray, np.ndarray, bool, str]:
    """(W, multipliers, True) or (NaN, Farkas certificate, False), and the method that found it."""
    c = problem.constraints
    W, dual, feasible, sure, method = _by_floats(problem, method, report)
    if not sure:
        report("float64 does not decide which constraints are active: 384 bits go on")
        from attnsvm.svm.methods import multiprecision  # late: most problems do not need it

        W, dual, feasible = multiprecision.least_norm(c, dual) or (W, dual, feasible)
    return W, dual, feasible, method


def _by_floats(problem: Reduced, method: str, report: Report) -> tuple[np.ndarray, np.ndarray, bool, bool, str]:
    """What `least_frobenius` returns, with whether it is sure before the method."""
    c = problem.constraints
    if method == PIVOTING:
        answer = None if c.equality.any() else block_pivoting.least_norm(c)
        if answer is not None:
            return *answer, True, True, PIVOTING
        method = ACTIVE_SET if len(c) < SIZES.never_formed else LAGRANGIAN
    if method == LAGRANGIAN:
        Y, dual, feasible, left = lagrangian.least_norm(problem, report)
        if left <= lagrangian.OPTIONS.proved or len(c) * Y.size > active_set.OPTIONS.numbers:
            if feasible:
                return problem.lift(Y), dual, True, _rounding(c, Y) <= active_set.OPTIONS.doubted, LAGRANGIAN
            return problem.lift(Y), *_on_fewer(problem, dual), LAGRANGIAN
        report(f"left with an error of {left:.1e}: the active set goes on")
    if c.shape[0] * c.shape[1] <= SMALL:
        w, dual, feasible, sure = active_set.least_norm(outer(c.left, c.right), c.bound, c.equality)
        return w.reshape(c.shape), dual, feasible, sure, ACTIVE_SET
    w, dual, feasible, sure = active_set.least_norm(outer(problem.left, problem.right), c.bound, c.equality)
    return problem.lift(w.reshape(problem.shape)), dual, feasible, sure, ACTIVE_SET


def _on_fewer(problem: Reduced, certificate: np.ndarray) -> tuple[np.ndarray, bool, bool]:
    """(Farkas certificate, False, whether it is sure) on an independent part of the support, by the active set.

    The augmented Lagrangian leaves multipliers of all rows that are violated, and some that rounding alone made.
    """
    support = np.flatnonzero(certificate)
    if len(support) * np.prod(problem.shape) > REFUTING:
        return certificate, False, True
    c = problem.constraints[support]
    again = active_set.least_norm(outer(problem.left[support], problem.right[support]), c.bound, c.equality)
    fewer = np.bincount(support, again.dual, minlength=len(certificate))
    return fewer, False, again.sure and not again.feasible


def _rounding(c: Constraints, W: np.ndarray) -> float:
    """What rounding can change in a margin, relative to the bound of the constraint."""
    positive = c.bound > 0
    longest = (c.lengths()[positive] / c.bound[positive]).max(initial=0.0)
    return active_set.OPTIONS.slack * float(np.linalg.norm(W) * longest)


def least_together(problems: list[tuple[Reduced, np.ndarray, str]]) -> list[Answer | None]:
    """What is found for feasible problems of one shape together; None of those that are to be solved alone.

    Args:
        problems: each with its start and its method.
    """
    some = [(problem, start) if method == INTERIOR else None for problem, start, method in problems]
    found = iter(interior_point.least_norms([one for one in some if one], working_sets.OPTIONS.target))
    return [next(found) if one else None for one in some]


def least_other(
    problem: Reduced, start: np.ndarray, measure: Norm, method: str, report: Report, found: Answer | None = None
) -> tuple[np.ndarray, np.ndarray, str]:
    """(W, multipliers) of a feasible problem in any other norm, and the method; `found`: of `least_together`."""
    c, part = problem.constraints, method.removesuffix(WORKING_SET)
    if part == REDUCED:
        other, error, answer = method.replace(REDUCED, CONIC), np.inf, (start, np.zeros(len(c)))
        if hasattr(measure, "q") or len(c) * start.size >= SIZES.reduced:
            found = _reduced(c, start, measure) if part == method else _on_some(c, start, measure, _reduced, report)
            error, answer = measured(c, measure, *found)
        enough = conic.OPTIONS.enough
        done = error <= enough and _rounding(c, answer[0]) <= working_sets.OPTIONS.enough
        if done or len(c) * start.size > AGAIN[0] or conic.largest_cone(c, measure, len(c)) > AGAIN[1]:
            return *answer, method
        with suppress(MemoryError):
            require_room(other, c, measure)
            again, found = measured(c, measure, *least_other(problem, start, measure, other, report)[:2])
            answer, method = (found, other) if again < max(error, enough) else (answer, method)
        return *answer, method
    if method == INTERIOR:
        return *_improved(problem, start, measure, working_sets.OPTIONS.target, found), method
    if method == CONIC:
        return *conic.least_norm(c, start, measure), method
    return *_on_some(c, start, measure, _interior if part == INTERIOR else conic.least_norm, report), method


def _on_some(c: Constraints, start: np.ndarray, measure: Norm, solve: working_sets.Solver, report: Report) -> Answer:
    return working_sets.on_working_set(c, start, measure, solve, solve is not conic.least_norm, report)


def _interior(c: Constraints, start: np.ndarray, measure: Norm, target: float) -> Answer:
    return _improved(Reduced(c), start, measure, target, None)


def _improved(problem: Reduced, start: np.ndarray, measure: Norm, target: float, found: Answer | None) -> Answer:
    """The better of the answers of the interior-point method and, where that ends early, of a conic solver.

    It ends early where a separator hardly exists, and where opposite rows of bound zero are an equality in disguise.
    """
    c, doubted = problem.constraints, interior_point.OPTIONS.doubted
    best, answer = measured(c, measure, *(found or interior_point.least_norm(problem, start, target)))
    if not best > max(doubted, target) or len(c) > SIZES.nuclear_working_set:
        return answer
    try:
        again, other = measured(c, measure, *conic.least_norm(c, start, measure))
    except ImportError:
        return answer
    return other if again < best else answer


def _reduced(c: Constraints, start: np.ndarray, measure: Norm, target: float = 0.0) -> Answer:
    if len(c) * start.size > REDUCED_NUMBERS:
        return start, np.zeros(len(c))
    return reduced_interior.least_norm(Reduced(c), start, measure, target)[1]
