"""Least Frobenius norm at size: an augmented Lagrangian with semismooth Newton steps, the constraints never formed.

The proximal point method on the dual (Rockafellar 1976), as in SSNAL (Li, Sun and Toh, SIAM J. Optim. 28, 2018):

    W ← argmin ½‖W‖² + ½σ‖[β − A W + λ/σ]₊‖²,    λ ← [λ + σ (β − A W)]₊,    and σ grows

with no clipping on equalities. A Newton step on W treats the rows inside [·]₊ as equalities softened by 1/σ. Far from
the solution the systems are solved roughly, by conjugate gradients, and a line search follows. Once that has cost as
much as a few Cholesky factors, the rows inside are guessed to be those of the last round, the system is factored, the
rows are corrected, and so on: block principal pivoting (Júdice and Pires 1994; Kim and Park 2011). While the rows stay,
a round costs one solve with the factor at hand. If no W meets the constraints, λ grows along the residual of the W that
comes nearest to meeting them: that residual is the Farkas certificate.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from attnsvm.svm.constraints import asking
from attnsvm.svm.reductions import Reduced

if TYPE_CHECKING:
    from attnsvm.svm.operator import Operator, Rows, Solve


@dataclass(frozen=True)
class Options:
    """The numbers that decide in this method. Rows have length one and bounds are at most one, so no number has a unit.

    Attributes:
        proved: error at which an answer needs no second opinion of the active set: the tolerance of the norm.
        largest_system: largest number of unknowns that a Cholesky factor solves for: half a gigabyte.
        start, growth, largest: σ of the first round, its growth from round to round, and its largest value; beyond it,
            σ A_Jᵀ A_J leaves no digit of the identity.
        doubt, fast_growth: after `doubt` rounds without a W of positive margins, the problem probably has no separator:
            σ grows by `fast_growth`, which refutes it sooner.
        rounds: largest number of rounds, for problems that rounding keeps from ending.
        wasted: operations of conjugate gradients, and multiple of those so far, that may bring no smaller error.
        newton_steps: largest number of Newton steps in a round by conjugate gradients.
        accurate: relative gap, violation of equalities, or Farkas residual at which the method ends.
        enough, shrinks: the method also ends at an error of `enough` if a round no longer shrinks it by `shrinks`.
        gradient: relative gradient, times 1/σ, at which a round by conjugate gradients ends: the next round moves W
            more.
        forcing, products: relative residual, and number of products, at which conjugate gradients end: a rough Newton
            step costs less than an exact one, and another follows.
        patience: conjugate gradients may cost as much as this number of factors before factors are tried.
        pivots, few: largest number of factors in a round, and the number up to which the round counts as easy, so that
            σ may grow faster.
        setbacks, wild: pivoting is given up when more rows than ever before change sides `setbacks` times, or `wild`
            times as many once: it cycles.
        retreats, slowest: number of smaller values of σ that are tried then, and the smallest growth that is left.
    """

    proved: float = 1e-10
    largest_system: int = 8000
    start: float = 10.0
    growth: float = 10.0
    largest: float = 1e12
    doubt: int = 3
    fast_growth: float = 1000.0
    rounds: int = 60
    wasted: tuple[float, float] = (3e12, 20.0)
    newton_steps: int = 200
    accurate: float = 1e-12
    enough: float = 1e-10
    shrinks: float = 0.3
    gradient: float = 0.1
    forcing: float = 0.1
    products: int = 1000
    patience: float = 2.0
    pivots: int = 30
    few: int = 4
    setbacks: int = 3
    wild: float = 4.0
    retreats: int = 6
    slowest: float = 1.2


OPTIONS = Options()


def least_norm(
    problem: Reduced, report: Callable[[str], None] = lambda line: None, options: Options = OPTIONS
) -> tuple[np.ndarray, np.ndarray, bool, float]:
    """The W of least Frobenius norm in the coordinates of the problem; `report` is told one line a round.

    Returns:
        (W, dual (m,), True) or (NaN, Farkas certificate (m,), False), and the relative gap or the residual reached.
    """
    from attnsvm.svm.operator import Operator  # late: it brings the compiler

    op = Operator(problem.factors, options.largest_system)
    bound, equality = problem.constraints.bound, problem.constraints.equality
    empty = op.lengths == 0
    broken = empty & np.where(equality, bound != 0, bound > 0)
    if broken.any():  # a row that asks 0 ≥ b > 0
        certificate = np.zeros(len(op))
        certificate[broken.argmax()] = np.sign(bound[broken.argmax()])
        return np.full(op.shape, np.nan), certificate, False, 0.0
    beta = bound * op.scale
    size = np.abs(np.where(equality, beta, np.maximum(beta, 0.0))).max(initial=0.0)
    if size == 0.0:
        return np.zeros(op.shape), np.zeros(len(op)), True, 0.0
    W, dual, feasible, error = _rounds(op, beta / size, equality & ~empty, asking(bound, equality), report, options)
    return W * size, dual * op.scale, feasible, error


def _rounds(op: Operator, beta, equality, asks, report, options: Options):
    """For bounds of size one at most; `asks` marks those that measure their margin.

    Every separator has ‖W‖ ≥ 1/residual: a strict reading of the certificate.
    """
    newton, sigma, growth = _Newton(op, equality, options), options.start, options.growth
    W, AW, dual = np.zeros(op.shape), np.zeros(len(op)), np.zeros(len(op))
    support = np.ones(len(op), dtype=bool)
    best, answer, before, last = np.inf, (W, dual, True), np.inf, 0.0
    for number in range(options.rounds):
        found = newton.pivoted(W, AW, beta + dual / sigma, sigma, support)
        for _ in range(options.retreats):
            if found is not None:
                break
            growth = max(growth**0.5, options.slowest)
            sigma /= growth
            found = newton.pivoted(W, AW, beta + dual / sigma, sigma, support)
        W, AW = found or newton.searched(W, AW, beta + dual / sigma, sigma)
        new = _clipped(dual + sigma * (beta - AW), equality)
        gap = _gap(op, beta, equality, asks, W, AW, new)
        ray = _clipped(new - dual, equality)
        promised = beta @ ray
        residual = np.linalg.norm(op.adjoint(ray)) / promised if promised > 0 else np.inf
        dual, support, error = new, (new > 0) | equality, min(gap, residual)
        report(f"round {number + 1}: {support.sum()} rows inside, relative gap {gap:.1e}, refutation {residual:.1e}")
        if error < best:
            last = newton.spent
            best, answer = error, (W, dual, True) if gap <= residual else (np.full_like(W, np.nan), ray, False)
        lost = newton.spent > max(last + options.wasted[0], last * options.wasted[1])
        if lost or best <= options.accurate or (best <= options.enough and error > options.shrinks * before):
            break
        if not (newton.settled and error <= options.shrinks * before):
            growth = min(growth**2, options.growth) if newton.easy else growth
            refuting = number >= options.doubt and gap == np.inf
            sigma = min((options.fast_growth if refuting else growth) * sigma, options.largest)
        before = error
    return *answer, best


def _clipped(dual, equality):
    return np.where(equality, dual, np.maximum(dual, 0.0))


def _gap(op, beta, equality, asks, W, AW, dual):
    """The relative gap once W has margins one and the multipliers dual norm one, or what other rows lack if more."""
    reach = (AW[asks] / beta[asks]).min(initial=np.inf)
    value, size = np.linalg.norm(W), np.linalg.norm(op.adjoint(dual))
    if not (reach > 0 and value > 0 and size > 0):
        return np.inf
    gap = 1 - beta @ dual / size * (1.0 if np.isinf(reach) else reach) / value
    lack = np.where(equality, np.abs(AW - beta), beta - AW)[~asks]
    return max(gap, lack.max(initial=0.0) / value)


class _Newton:
    """Minimises the functions ½‖W‖² + ½σ‖[β − A W]₊‖² of the rounds, and keeps factors from one round to the next.

    `settled`: the last round ended with the factor that is kept, which then serves another round of the same σ.
    `easy`: the last round took few factors.
    """

    def __init__(self, op: Operator, equality: np.ndarray, options: Options):
        self.op, self.equality, self.options = op, equality, options
        self.settled, self.easy = False, True
        self.spent = 0.0  # on conjugate gradients, until it is worth factoring
        # σ, the rows as a mask, and what solves with them
        self._factored: tuple[float, np.ndarray, Solve | None] = (np.nan, np.zeros(0, dtype=bool), None)

    def pivoted(self, W, AW, beta, sigma, inside):
        """By block principal pivoting from a guess of the rows inside: (W, A(W)), or None where it does not settle."""
        self.settled, self.easy, patience = False, False, self.options.setbacks
        fewest: float = np.inf
        if self.spent < self.options.patience * self.op.rows(np.flatnonzero(inside)).factor_cost():
            self.easy = True
            return self.searched(W, AW, beta, sigma)
        for count in range(1, self.options.pivots):
            rows = self.op.rows(np.flatnonzero(inside))
            if self._factored[0] != sigma or not np.array_equal(self._factored[1], inside):
                self._factored = (sigma, inside, rows.factor(sigma))
            solve = self._factored[2]
            if solve is None:
                return None
            P = solve(W - rows.adjoint(sigma * (beta - AW)[inside]))
            W, AW = W - P, AW - self.op.apply(P)
            now = (beta - AW > 0) | self.equality
            changed = np.count_nonzero(now != inside)
            if changed == 0:
                self.settled, self.easy = True, count <= self.options.few
                return W, AW
            patience -= bool(changed >= fewest)
            if patience == 0 or changed > self.options.wild * fewest:
                return None
            fewest, inside = min(float(changed), fewest), now
        return None

    def searched(self, W, AW, beta, sigma):
        """By Newton steps of conjugate gradients with a line search: (W, A(W)) with a small gradient."""
        for _ in range(self.options.newton_steps):
            base = sigma * (beta - AW)
            inside = (base > 0) | self.equality
            rows = self.op.rows(np.flatnonzero(inside))
            gradient = W - rows.adjoint(base[inside])
            if np.linalg.norm(gradient) <= self.options.gradient / sigma * np.linalg.norm(W):
                break
            P = self._conjugate(rows, sigma, gradient)
            AP = self.op.apply(P)
            step = self.op.line_search((W * P).sum(), (P * P).sum(), base, sigma * AP, sigma, self.equality)
            W, AW = W + step * P, AW + step * AP
        return W, AW

    def _conjugate(self, rows: Rows, sigma, gradient):
        """A Newton step by conjugate gradients."""
        step, residual = np.zeros_like(gradient), -gradient
        direction, size = residual, (residual * residual).sum()
        goal, cost = self.options.forcing**2 * size, rows.cost()
        for _ in range(self.options.products):
            product = direction + sigma * rows.normal(direction)
            length = size / (direction * product).sum()
            step, residual = step + length * direction, residual - length * product
            size, last = (residual * residual).sum(), size
            self.spent += cost
            if size <= goal:
                break
            direction = residual + size / last * direction
        return step
