"""The entry for every norm: solve, rescale to feasibility on both sides, and let the checker judge."""

from collections.abc import Callable, Iterable
from dataclasses import fields, replace
from typing import NamedTuple

import numpy as np

from attnsvm import geometry
from attnsvm.geometry import Norm, fro
from attnsvm.svm import audit_log
from attnsvm.svm.arguments import setting, tolerance
from attnsvm.svm.checker import check
from attnsvm.svm.constraints import Constraints
from attnsvm.svm.methods.choice import (
    CONIC,
    REDUCED,
    Answer,
    Report,
    least_frobenius,
    least_other,
    least_together,
    named,
    require_room,
)
from attnsvm.svm.methods.rescaling import raised, rescaled, well_rounded
from attnsvm.svm.reductions import Reduced, distinct, narrowed
from attnsvm.svm.solution import FactoredSolution, Solution, Status
from attnsvm.svm.verdict import LOOSEST
from attnsvm.system import extras


def solve(
    constraints: Constraints,
    norm: str = "fro",
    tol: float | None = None,
    method: str | None = None,
    report: Report = lambda line: None,
) -> Solution:
    """The W of least norm that meets the constraints, with its certificate.

    Args:
        constraints: the tokens to separate; see `separation`.
        norm: its name, as in `geometry.get`.
        tol: relative duality gap up to which the answer counts as solved; None: the `tolerance` of the norm.
        method: one of `methods.choice.METHODS` that solves this norm; None: by the number of constraints.
        report: told one line a step of a long solve.

    Raises:
        ValueError: the norm or the method does not exist, or `tol` is no gap that proves anything.
        MissingError: the norm needs cvxpy, which is not installed.
        MemoryError: the problem needs more memory than is free; the message says how much.
    """
    return solve_batch([constraints], norm, tol, method, report)[0]


def solve_batch(
    batch: list[Constraints],
    norm: str = "fro",
    tol: float | None = None,
    method: str | None = None,
    report: Report = lambda line: None,
) -> list[Solution]:
    """`solve` for many problems; what the checker proves of those of one shape is found together."""
    measure, tol = norm_and_tolerance(norm, tol)
    if audit_log.replays():
        return _judged(batch, measure, tol, (_recorded(c) for c in batch))
    copies = [c.named_copy() for c in batch]
    single = [distinct(c) for c in batch]
    fewer = [c if one is None else one.constraints for c, one in zip(batch, single, strict=True)]
    wide = [None if copy else narrowed(c, measure) for c, copy in zip(fewer, copies, strict=True)]
    inside = [c if one is None else one.constraints for c, one in zip(fewer, wide, strict=True)]
    claims = iter(_claims([c for c, copy in zip(inside, copies, strict=True) if not copy], measure, method, report))
    unlifted = (_refused(c, copy) if copy else next(claims) for c, copy in zip(fewer, copies, strict=True))
    lifted = (a if one is None else one.lift(a) for a, one in zip(unlifted, wide, strict=True))
    whole = (a if one is None else replace(a, dual=one.spread(a.dual)) for a, one in zip(lifted, single, strict=True))
    return _judged(batch, measure, tol, whole)


def _refused(c: Constraints, reason: str) -> Solution:
    """A problem that is not solved, for a reason that its tokens give."""
    nothing = claimed(Status.UNCERTIFIED, np.full(c.shape, np.nan), np.zeros(len(c)), "")
    return replace(nothing, rejected=reason)


def norm_and_tolerance(norm: str, tol: float | None) -> tuple[Norm, float]:
    """The norm and the tolerance of a solve; the errors of `solve` that need no constraints."""
    measure = geometry.get(setting(norm))
    tol = measure.tolerance if tol is None else tolerance(tol, LOOSEST)
    if named(measure, 0, None) in (REDUCED, CONIC):
        extras.needed("cvxpy", "clarabel")
    return measure, tol


def _claims(batch: list[Constraints], measure: Norm, method: str | None, report: Report) -> list[Solution]:
    """The answers of the methods, not yet judged."""
    names = [named(measure, len(c), method) for c in batch]
    for name, c in zip(names, batch, strict=True):
        require_room(name, c, measure)
    each = list(zip(batch, names, strict=True))
    begun = [_attempt(_begun, c, measure, name, report) for c, name in each]
    left = [k for k, one in enumerate(begun) if isinstance(one, _Begun)]
    with np.errstate(all="ignore"):
        found = least_together([(begun[k].problem, begun[k].W, names[k]) for k in left])
    ended = (
        _attempt(_ended, batch[k], begun[k], measure, names[k], report, one) for k, one in zip(left, found, strict=True)
    )
    return [next(ended) if isinstance(one, _Begun) else one for one in begun]


class _Begun(NamedTuple):
    """A feasible problem with its Frobenius solution, from which other methods start."""

    problem: Reduced
    W: np.ndarray


def _attempt(work: Callable, c: Constraints, *arguments):
    """What `work` makes; of a problem on which it fails, that nothing is known: the others of a batch go on."""
    try:
        with np.errstate(all="ignore"):  # what comes of overflow is judged
            return work(c, *arguments)
    except BaseException as error:  # of numbers at the ends of the range: overflow, no convergence, a panic of CLARABEL
        if isinstance(error, ArithmeticError | ValueError) or type(error).__name__ == "PanicException":
            return _refused(c, f"the solver ended without an answer: {error}")
        raise


def _begun(c: Constraints, measure: Norm, method: str, report: Report) -> Solution | _Begun:
    """The answer, or where to start for it: feasibility does not depend on the norm, the Frobenius norm decides it."""
    first = method if measure is fro.NORM else named(fro.NORM, len(c), None)
    problem = Reduced(c)
    W, dual, feasible, name = least_frobenius(problem, first, report)
    if not feasible:
        return _infeasible(c, W, dual, name)
    if not np.isfinite(W).all():
        return _refused(c, "the least norm is beyond what float64 holds")
    if measure is not fro.NORM and W.any():
        return _Begun(problem, W)
    return _optimal(c, measure, W, dual, name if measure is fro.NORM else method)


def _ended(c: Constraints, begun: _Begun, measure: Norm, method: str, report: Report, found: Answer | None) -> Solution:
    """The answer in another norm."""
    return _optimal(c, measure, *least_other(*begun, measure, method, report, found))


def judged_solution(
    c: Constraints, measure: Norm, tol: float, W: np.ndarray, dual: np.ndarray, method: str, infeasible: bool
) -> Solution:
    """The certified answer from W and multipliers found elsewhere: (W, multipliers), or a Farkas certificate."""
    claim = _infeasible(c, W, dual, method) if infeasible else _optimal(c, measure, W, dual, method)
    return judge(c, measure, tol, claim)


def judge(c: Constraints, measure: Norm, tol: float, claim: Solution) -> Solution:
    """The answer with what the independent checker proves of it. `audit_log` counts it, or has the claim to judge."""
    return _judged([c], measure, tol, [_recorded(c) if audit_log.replays() else claim])[0]


def _judged(batch: list[Constraints], measure: Norm, tol: float, claims: Iterable[Solution]) -> list[Solution]:
    """Every answer with what is proved of it, the claims being taken and the answers entered in their order."""
    answers = []
    for c, made in zip(batch, list(claims), strict=True):
        claim, answer = _proved(c, measure, tol, made)
        held = claim.factors or (() if np.isnan(claim.W).all() else (claim.W,))
        audit_log.enter((c, measure.name, tol), claim, answer, held)
        answers.append(answer)
    return answers


def _proved(c: Constraints, measure: Norm, tol: float, claim: Solution) -> tuple[Solution, Solution]:
    """The claim and what is proved of it; or of one with a W whose margins survive rounding, where that is more."""
    if claim.status is Status.UNCERTIFIED:
        return claim, claim
    with np.errstate(all="ignore"):
        first = _with(c, measure, tol, claim)
        wide = bool(claim.factors) and c.shape[0] * c.shape[1] > FORMED
        if first.status is not Status.UNCERTIFIED or claim.status is not Status.SOLVED or wide:
            return claim, first
        whole, moves = claim, [raised, well_rounded]
        if claim.factors:  # whose products are not judged exactly
            whole, moves = claimed(claim.status, claim.W, claim.dual, claim.method), [lambda c, W: W, *moves]
        for moved in moves:
            better = replace(whole, W=moved(c, whole.W))
            second = _with(c, measure, tol, better)
            if second.solved:
                return better, second
    return claim, first


def _with(c: Constraints, measure: Norm, tol: float, claim: Solution) -> Solution:
    """The claim as far as it is proved."""
    verdict = check(c.factors, c.bound, c.equality, measure.name, tol, claim)
    if claim.status is Status.SOLVED and verdict.status in (Status.INFEASIBLE, Status.REMOTE):
        claim = _infeasible(c, np.full(c.shape, np.nan), claim.dual, claim.method)
    proved = {name: getattr(verdict, name) for name in PROVED}
    return replace(claim, status=Status(verdict.status), gap=verdict.gap, rejected=verdict.reason, **proved)


FORMED = 2**22  # entries of W up to which it is formed from factors
PROVED = ("low", "high", "radius", "arithmetic", "counted")


def claimed(status: Status, W: np.ndarray, dual: np.ndarray, method: str) -> Solution:
    """An answer of which nothing is proved yet."""
    return Solution(status, W, dual, 0.0, np.inf, np.inf, np.nan, "", method)


def _recorded(c: Constraints) -> Solution:
    """The claim of the next record."""
    record = audit_log.next_record(len(c), c.shape)
    if record.claimed == Status.UNCERTIFIED:
        return _refused(c, c.named_copy())
    nothing = np.full(c.shape, np.nan) if len(record.matrices) != 1 else record.matrices[0]
    claim = claimed(Status(record.claimed), nothing, record.dual, record.method)
    if len(record.matrices) < 2:
        return claim
    others = {one.name: getattr(claim, one.name) for one in fields(Solution) if one.name != "W"}
    return FactoredSolution(**others, left=record.matrices[0], right=record.matrices[1])


def _optimal(c: Constraints, measure: Norm, W: np.ndarray, dual: np.ndarray, method: str) -> Solution:
    """Claim that W, scaled to margin one, is optimal by its multipliers, scaled to dual norm one."""
    W, dual, _ = rescaled(c, measure, W, dual)
    return claimed(Status.SOLVED, W, dual, method)


def _infeasible(c: Constraints, W: np.ndarray, dual: np.ndarray, method: str) -> Solution:
    """Claim that no W exists: the multipliers combine the constraints to zero."""
    return claimed(Status.INFEASIBLE, W, dual / np.abs(dual).sum(), method)
