"""Least norm for any norm with a cvxpy expression, by a general conic solver.

A conic solver reaches some nine digits of the size of its numbers. So rows have length one, the solution has size one,
and where a separator hardly exists, W is written in other coordinates: see `_in_narrow`.
"""

import warnings
from dataclasses import dataclass, replace
from functools import lru_cache
from threading import get_ident

import numpy as np
import scipy.sparse as sp
from scipy.linalg import qr

from attnsvm import geometry
from attnsvm.geometry import Norm
from attnsvm.svm.constraints import Constraints
from attnsvm.svm.methods.programs import Program
from attnsvm.svm.methods.rescaling import EXACT, binary, measured, onto_unscaled
from attnsvm.svm.reductions import Reduced, lengths, outer


@dataclass(frozen=True)
class Options:
    """The accuracies that the solver is asked for.

    Attributes:
        accuracy: more than it can reach; the certificate says what it reached.
        modest: the same of the last try: where rounding stops the solver, it goes astray after its best point.
        reduced: accuracy at which the solver still gives an answer when it can do no more.
        narrow: margin of the start, relative to ‖A_k‖‖W‖, below which `_in_narrow` is tried first.
        enough: relative gap up to which there is no second try: a tenth of the tolerance of the norms.
        tight, rounding: excess, relative to the bound and to ‖A_k‖‖W‖, up to which a row counts as tight at the start.
        repairs: corrections of the multipliers; the first takes nearly all, the next what it lost to rounding.
        rounded: relative gap that rounding may cost.
        numbers: of the rows, about those of the map to other coordinates, beyond which it is not formed.
        kept: numbers of the rows up to which compiled programs wait for the next problem of their shape.
    """

    accuracy: float = 1e-11
    modest: float = 1e-9
    reduced: float = 1e-5
    narrow: float = 1e-4
    enough: float = 1e-8
    tight: float = 1e-6
    rounding: float = 64 * float(np.finfo(float).eps)
    repairs: int = 3
    rounded: float = 1e-9
    numbers: float = 4e6
    kept: float = 1e5


OPTIONS = Options()
ANSWERS = ("Solved", "AlmostSolved", "MaxIterations", "MaxTime")  # of CLARABEL, with a W


def least_norm(
    c: Constraints, start: np.ndarray, norm: Norm, _: float = 0.0, options: Options = OPTIONS
) -> tuple[np.ndarray, np.ndarray]:
    """(W, multipliers) of a feasible problem, whatever gap is asked for; in the spans where the norm allows it.

    Zeros where the solver fails, which no checker takes for an answer.

    Args:
        start: W of the size of the solution, which meets the constraints; no solver starts there.
    """
    problem = Reduced(c, norm.unitarily_invariant, norm.right_invariant)
    rows, start = outer(problem.left, problem.right)[problem.kept], problem.lower(start)
    size = float(binary(np.asarray(np.linalg.norm(start))))
    scale = binary(lengths(c.left[problem.kept]) * lengths(c.right[problem.kept]))
    rows, bound = rows / scale[:, None], c.bound[problem.kept] / scale / size
    equality, reached = c.equality[problem.kept], rows @ start.ravel() / size

    best, answer = np.inf, (np.zeros(c.shape), np.zeros(len(c)))
    tries = [(_as_it_is, options.accuracy)]
    if rows.size <= options.numbers:
        more = [(_in_narrow, options.accuracy), (_in_narrow, options.modest)]
        tries = more + tries if reached[c.asks[problem.kept]].min(initial=1.0) < options.narrow else tries + more
    for solve, accuracy in tries:
        try:
            found = solve(rows, bound, equality, reached, start / size, norm, replace(options, accuracy=accuracy))
        except np.linalg.LinAlgError:
            found = None
        if found is None:
            continue
        W, dual = (part.astype(float) for part in found)
        other = onto_unscaled(c, problem.lift(W * size)), problem.spread(dual / scale)
        gap = measured(c, norm, *other)[0]
        if gap < best:
            best, answer = gap, other
        if best <= options.enough:
            break
    return answer


def largest_cone(c: Constraints, norm: Norm, rows: int) -> int:
    """Numbers in the semidefinite cone of a problem with so many of the rows; 0 where there is none."""
    if not (norm.unitarily_invariant or norm.name == "hybrid"):
        return 0
    (d, e), inputs = c.shape, min(rows, len(c.factors.queries))
    p, q = (d, e - 1) if norm.name == "hybrid" else (min(d, rows), min(e, inputs))
    return (p + q) * (p + q + 1) // 2


def _as_it_is(rows, bound, equality, reached, start, norm: Norm, options: Options):
    """Solve min ‖W‖ s.t. rows · vec(W) ≥ bound, with equality on the rows marked; rows are (m, d·e), row-major.

    Returns:
        (W, multipliers), or None where the solver fails.
    """
    made = _program if rows.size <= options.kept else _program.__wrapped__
    program = made(norm.name, start.shape, equality.tobytes(), get_ident())
    W, found = _solved(program, rows, bound, options)
    if found is None or W is None:
        return None
    W = W.ravel()
    bound = bound + _noise(rows, W, equality, found, options)
    return _met(rows, bound, equality, W, options).reshape(start.shape), found


@lru_cache(maxsize=16)
def _program(norm: str, shape: tuple[int, ...], equality: bytes, thread: int) -> Program:
    """A program holds its answer: each thread has its own."""
    import cvxpy

    W = cvxpy.Variable(shape)
    return Program(geometry.get(norm).expression(cvxpy, W), W, np.frombuffer(equality, dtype=bool), cvxpy.CLARABEL)


def _in_narrow(rows, bound, equality, reached, start, norm: Norm, options: Options):
    """The same where the margins that can be reached are tiny, so that W is large and nearly at right angles to rows.

    Σ λ_k ⟨A_k, W⟩ is at most some multiple of ‖W‖ for the multipliers λ of the start: rows with large multipliers have
    a tiny excess, whatever W. Times λ_k it has size one, but the rows B have singular values up to the largest λ_k. The
    solver sees vec(W) = T u, where T divides those directions by their singular values: B T and B T u have size one.
    What no row sees is written in its coordinates but some, which follow: few rows make a T of few numbers.
    What multipliers combine to, Bᵀλ, cancels by the same factor: afterwards they are corrected to combine to the matrix
    which the solver has for its dual.
    """
    import cvxpy

    tight = equality | (reached < bound * (1 + options.tight) + options.rounding)
    forced = np.zeros(len(rows))
    forced[tight] = np.abs(np.linalg.lstsq(rows[tight].T, start.ravel())[0])
    weight = np.where(equality, forced.max(), np.maximum(forced, 1.0))
    B = rows * weight[:, None]
    _, s, Vt = np.linalg.svd(B, full_matrices=False)
    order = qr(Vt, mode="r", pivoting=True)[1]
    some, others = Vt[:, order[: len(s)]], Vt[:, order[len(s) :]]
    unseen = sp.vstack([-np.linalg.solve(some, others), sp.eye_array(others.shape[1])], format="csr")
    T = sp.hstack([Vt.T / np.maximum(s, 1.0), unseen[np.argsort(order)]], format="csr")
    BT = (T.T.astype(EXACT) @ B.T.astype(EXACT)).T.astype(float)
    u, W = cvxpy.Variable(B.shape[1]), cvxpy.Variable(start.shape)
    held = cvxpy.vec(W, order="C") == T @ u
    program = Program(norm.expression(cvxpy, W), u, equality, cvxpy.CLARABEL, [held])
    found, dual = _solved(program, BT, bound * weight, options)
    if dual is None or found is None:
        return None
    target = held.dual_value
    if target @ (B.T @ dual) < 0:
        target = -target
    for _ in range(options.repairs):
        missing = (target - dual.astype(EXACT) @ B.astype(EXACT)).astype(float)
        share = np.linalg.lstsq((B * np.abs(dual).astype(float)[:, None]).T, missing)[0]
        dual = dual.astype(EXACT) * (1 + np.sign(dual) * np.maximum(share, -1.0))
    bound = bound + _noise(rows, T @ found, equality, (dual * weight).astype(float), options)
    met = _met(BT, bound * weight, equality, found, options)
    return (T.astype(EXACT) @ met).reshape(start.shape), dual * weight


def _noise(rows, W, equality, dual, options: Options) -> np.ndarray:
    """What rounding to float64 can take from the margins: asked for on top where it costs next to nothing."""
    noise = np.finfo(float).eps * (np.abs(rows) @ np.abs(W))
    return np.where(equality | (noise * np.abs(dual) > options.rounded), 0.0, noise)


def _met(rows, bound, equality, u, options: Options) -> np.ndarray:
    """The nearest vector to u, in extended precision, that meets the rows which u lacks.

    A bound of 1e-7 lacks 1e-3 of itself where a solver is right to ten digits: to scale u by that would cost all of it.
    """
    lacking, u, exact = equality.copy(), u.astype(EXACT), rows.astype(EXACT)
    for _ in range(options.repairs):
        excess = (exact @ u - bound).astype(float)
        lacking |= excess < 0
        if not lacking.any():
            break
        u = u + np.linalg.lstsq(rows[lacking], -excess[lacking])[0]
    return u


def _solved(program: Program, rows, bound, options: Options) -> tuple[np.ndarray | None, np.ndarray | None]:
    """What the rows act on, and the multipliers; None without."""
    import cvxpy

    names = ("gap_abs", "gap_rel", "feas")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an inaccurate answer shows in its gap
        try:
            found = program.solve(
                rows,
                bound,
                max_threads=1,  # more take twice the processor's time, for the same bytes
                **{f"tol_{name}": options.accuracy for name in names},
                **{f"reduced_tol_{name}": options.reduced for name in names},
            )
            if program.more:
                program.unpacked(found)
        except (cvxpy.error.SolverError, ValueError, ArithmeticError):
            return None, None
    if str(found.status) not in ANSWERS:
        return None, None
    dual = program.signs * np.array(found.z)[program.places]
    dual = np.where(program.equality, dual, np.maximum(dual, 0.0))
    return np.array(found.x)[program.columns], dual if np.isfinite(dual).all() else None
