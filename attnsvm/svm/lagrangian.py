"""Least Frobenius norm at size: an augmented Lagrangian with semismooth Newton steps, the constraints never formed.

The proximal point method on the dual (Rockafellar 1976), as in SSNAL (Li, Sun and Toh, SIAM J. Optim. 28, 2018):

    W ← argmin ½‖W‖² + ½σ‖[β − A W + λ/σ]₊‖²,    λ ← [λ + σ (β − A W)]₊,    and σ grows

with no clipping on equalities. A Newton step on W treats the rows inside [·]₊ as equalities softened by 1/σ. Far from
the solution its systems are solved roughly, by conjugate gradients, and a line search follows. Once that has cost as
much as a few Cholesky factors, the rows of the last round are taken for those inside, the system is factored, the rows
are corrected, and so on: block principal pivoting (Júdice and Pires 1994; Kim and Park 2011). While the rows stay, a
round costs one solve with the factor at hand. If no W meets the constraints, λ grows along the residual of the W that
comes nearest to it: that is the Farkas certificate.
"""

from collections.abc import Callable

import numpy as np
from numba import njit

from attnsvm.svm.constraints import asking
from attnsvm.svm.operator import Operator, Rows

START, GROWTH, LARGEST = 10.0, 10.0, 1e12  # of σ; rows have length one, so it has no unit
DOUBT, FAST_GROWTH = 3, 1000.0  # rounds without a W of positive margins after which refuting goes first, and its growth
ROUNDS = 60
NEWTON_STEPS = 200  # at most, in a round
ACCURATE = 1e-12  # relative gap, violation of equalities, or Farkas residual at which there is nothing left to do
ENOUGH = 1e-10  # the same, once it no longer shrinks
SHRINKS = 0.3  # factor below which it does
GRADIENT = 0.1  # relative gradient at which a round by conjugate gradients ends, times 1/σ
FORCING = 0.1  # relative residual at which conjugate gradients end
PRODUCTS = 1000  # at most, for one Newton step
PATIENCE = 2.0  # factors whose cost conjugate gradients spend before factors are tried
PIVOTS, FEW = 30, 4  # factors in a round at most, and where it counts as easy
SETBACKS, WILD = 3, 4.0  # times that more rows change sides than before until pivoting is given up, and how many more
RETREATS, SLOWEST = 6, 1.2  # smaller σ tried then, and the smallest growth


def least_norm(
    op: Operator, bound: np.ndarray, equality: np.ndarray, report: Callable[[str], None] = lambda line: None
) -> tuple[np.ndarray, np.ndarray, bool, float]:
    """Solve min ‖W‖_F s.t. A(W) ≥ bound, with equality on the rows marked.

    Args:
        op: A.
        bound: (m,), of the matrices before scaling: A(W)_k · lengths_k ≥ bound_k.
        equality: (m,) bool.
        report: told one line a round.

    Returns:
        (W, dual (m,), True) or (NaN, Farkas certificate (m,), False), and the relative gap or the residual reached.
    """
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
    W, dual, feasible, error = _rounds(op, beta / size, equality & ~empty, asking(bound, equality), report)
    return W * size, dual * op.scale, feasible, error


def _rounds(op, beta, equality, asks, report):
    """For bounds of size one at most; `asks` marks those that measure their margin.

    Every separator has ‖W‖ ≥ 1/residual: a strict reading of the certificate.
    """
    newton, sigma, growth = _Newton(op, equality), START, GROWTH
    W, AW, dual = np.zeros(op.shape), np.zeros(len(op)), np.zeros(len(op))
    support = np.ones(len(op), dtype=bool)
    best, answer, before = np.inf, (W, dual, True), np.inf
    for number in range(ROUNDS):
        found = newton.pivoted(W, AW, beta + dual / sigma, sigma, support)
        for _ in range(RETREATS):
            if found is not None:
                break
            growth = max(growth**0.5, SLOWEST)
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
            best, answer = error, (W, dual, True) if gap <= residual else (np.full_like(W, np.nan), ray, False)
        if best <= ACCURATE or (best <= ENOUGH and error > SHRINKS * before):
            break
        if not (newton.settled and error <= SHRINKS * before):
            growth = min(growth**2, GROWTH) if newton.easy else growth
            sigma = min((FAST_GROWTH if number >= DOUBT and gap == np.inf else growth) * sigma, LARGEST)
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


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract", "reassoc"})
def _line_search(WP, PP, base, change, sigma, equality):
    """The step in (0, 1] at which the slope ⟨W + tP, P⟩ − Σ_k [base_k − t change_k]₊ change_k / σ turns positive.

    1 where it does not; by bisection.
    """
    low, high, step = 0.0, 1.0, 1.0
    for _ in range(40):
        slope = 0.0
        for k in range(len(base)):
            u = base[k] - step * change[k]
            if u > 0.0 or equality[k]:
                slope += u * change[k]
        if WP + step * PP - slope / sigma <= 0.0:
            if step == 1.0:
                return 1.0
            low = step
        else:
            high = step
        if high - low < 0.01 * high:
            break
        step = 0.5 * (low + high)
    return low if low > 0.0 else high


class _Newton:
    """Minimises the rounds' functions ½‖W‖² + ½σ‖[β − A W]₊‖²; remembers between rounds what was paid for.

    `settled`: the last round ended with the factor it holds, which then serves another round of the same σ. `easy`: it
    took few factors.
    """

    def __init__(self, op: Operator, equality: np.ndarray):
        self.op, self.equality, self.settled, self.easy = op, equality, False, True
        self._spent = 0.0  # on conjugate gradients, until it is worth factoring
        self._factored = (None, None, None)  # σ, the rows as a mask, and what solves with them

    def pivoted(self, W, AW, beta, sigma, inside):
        """By block principal pivoting from a guess of the rows inside: (W, A(W)), or None where it does not settle."""
        self.settled, self.easy, fewest, patience = False, False, np.inf, SETBACKS
        if not self._worth_factoring(inside):
            self.easy = True
            return self.searched(W, AW, beta, sigma)
        for count in range(1, PIVOTS):
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
                self.settled, self.easy = True, count <= FEW
                return W, AW
            patience -= changed >= fewest
            if patience == 0 or changed > WILD * fewest:
                return None
            fewest, inside = min(changed, fewest), now
        return None

    def searched(self, W, AW, beta, sigma):
        """By Newton steps of conjugate gradients with a line search: (W, A(W)) with a small gradient."""
        for _ in range(NEWTON_STEPS):
            base = sigma * (beta - AW)
            inside = (base > 0) | self.equality
            rows = self.op.rows(np.flatnonzero(inside))
            gradient = W - rows.adjoint(base[inside])
            if np.linalg.norm(gradient) <= GRADIENT / sigma * np.linalg.norm(W):
                break
            P = self._conjugate(rows, sigma, gradient)
            AP = self.op.apply(P)
            step = _line_search((W * P).sum(), (P * P).sum(), base, sigma * AP, sigma, self.equality)
            W, AW = W + step * P, AW + step * AP
        return W, AW

    def _worth_factoring(self, inside):
        return self._spent >= PATIENCE * self.op.rows(np.flatnonzero(inside)).factor_cost()

    def _conjugate(self, rows: Rows, sigma, gradient):
        """A Newton step by conjugate gradients."""
        step, residual = np.zeros_like(gradient), -gradient
        direction, size = residual, (residual * residual).sum()
        goal, cost = FORCING**2 * size, rows.cost()
        for _ in range(PRODUCTS):
            product = direction + sigma * rows.normal(direction)
            length = size / (direction * product).sum()
            step, residual = step + length * direction, residual - length * product
            size, last = (residual * residual).sum(), size
            self._spent += cost
            if size <= goal:
                break
            direction = residual + size / last * direction
        return step
