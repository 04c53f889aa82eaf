"""Least nuclear norm subject to separation constraints: a primal-dual interior-point method, ended by Newton's.

    minimise ½ tr X  s.t.  X = [[U, W], [Wᵀ, V]] ⪰ 0,  l_kᵀ W r_k − s_k = b_k,  s ≥ 0
    maximise bᵀλ     s.t.  Z = ½ [[I, −M], [−Mᵀ, I]] ⪰ 0,  M = Σ λ_k l_k r_kᵀ,  λ ≥ 0

Mehrotra's predictor-corrector along the HKM direction (Helmberg, Rendl, Vanderbei, Wolkowicz 1996; Kojima, Shindoh,
Hara 1997; Monteiro 1997). The constraint matrices have rank one, so the Schur complement costs a few products of
(m, p + q) matrices instead of m² traces. Once rank and tight rows can be told, `fixed_rank` takes two to four steps to
the last digit. Each problem is solved by itself: small ones call LAPACK without NumPy's detours.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs, dsyevd, dsygst, dtrtri

from attnsvm.svm.constraints import asking
from attnsvm.svm.methods import fixed_rank
from attnsvm.svm.methods.rescaling import binary, mended
from attnsvm.svm.reductions import Reduced, lengths


@dataclass(frozen=True)
class Options:
    """The numbers that decide in this method.

    Attributes:
        iterations: largest number of steps; Mehrotra's method takes 10 to 30.
        progress, patience: a step makes progress if it brings the gap below `progress` times the best one. After
            `patience` steps without progress only rounding is left.
        centred: least divisor ‖Σ A_k‖₂ of the first multipliers, for matrices that cancel in the sum.
        least_centring: least centring σ = (μ_affine/μ)³, which would be zero after a full step.
        back_off: share of the way to the boundary that a step goes at least, and the growth of this share with the step
            of the predictor; both together stay below one.
        regularisation: relative, on the Schur complement: repeated constraints make it singular in the end.
        heavier: growth of the regularisation where the factor fails nevertheless.
        block: rows of the Schur complement formed at a time, so that they stay in the cache.
        guessed: gap from which on rank and tight rows are guessed for Newton's method; where it fails, it is tried
            again after each decrease of the gap by `again`.
        newton, shrinking: largest number of its steps, and the factor by which each must bring the gap down.
        doubted: error above which a conic solver is asked too: a tenth of the tolerance of the norm.
    """

    iterations: int = 80
    progress: float = 0.9
    patience: int = 6
    centred: float = 1e-3
    least_centring: float = 1e-8
    back_off: tuple[float, float] = (0.9, 0.09)
    regularisation: float = 1e-14
    heavier: float = 100.0
    block: int = 256
    guessed: float = 1e-3
    again: float = 0.1
    newton: int = 5
    shrinking: float = 0.2
    doubted: float = 1e-8


OPTIONS = Options()


def least_norm(
    problem: Reduced, start: np.ndarray, target: float, options: Options = OPTIONS
) -> tuple[np.ndarray, np.ndarray]:
    """(W, multipliers) of a feasible problem, up to the relative gap `target`.

    It is scaled so that the vectors of its rows and its start have size about one.
    """
    c, kept = problem.constraints, problem.kept
    left, right, start = problem.left[kept], problem.right[kept], problem.lower(start)
    size, size_left, size_right = np.linalg.norm(start), binary(lengths(left)), binary(lengths(right))
    scale = size_left * size_right
    W, dual = least_nuclear_norm(
        left / size_left[:, None],
        right / size_right[:, None],
        c.bound[kept] / (size * scale),
        c.equality[kept],
        start / size,
        target,
        options,
        c.asks[kept],
    )
    return mended(c, problem.lift(W * size)), problem.spread(dual / scale)


def least_nuclear_norm(
    left: np.ndarray,
    right: np.ndarray,
    bound: np.ndarray,
    equality: np.ndarray,
    start: np.ndarray,
    tolerance: float,
    options: Options = OPTIONS,
    asks: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """W and multipliers of the smallest gap that was reached; zeros where no iterate has a gap.

    Args:
        left: (m, p), right: (m, q): the rank-one constraint matrices.
        bound: (m,), at least zero on inequalities.
        equality: (m,) bool.
        start: (p, q), a point that meets every constraint.
        tolerance: relative gap at which the problem is done.
        asks: (m,) bool, the inequalities whose bound measures their margin; None: see `asking`.

    Returns:
        W (p, q), with margins scaled to hold exactly where they can; multipliers (m,), ‖Σ λ_k l_k r_kᵀ‖₂ ≤ 1.
    """
    state = _State(left, right, bound, equality, start, asking(bound, equality) if asks is None else asks, options)
    best_gap, best = np.inf, (np.zeros(start.shape), np.zeros(len(bound)))
    stalled, guess = 0, options.guessed
    for _ in range(options.iterations):
        try:
            W, dual, gap = state.certificate(state.X[: state.p, state.p :], state.lam, state.M)
            stalled = 0 if gap < options.progress * best_gap else stalled + 1
            if gap < best_gap:
                best_gap, best = gap, (W, dual)
            if tolerance < gap <= guess:
                guess = options.again * gap
                W, dual, gap = state.newton(tolerance)
                if gap < best_gap:
                    best_gap, best = gap, (W, dual)
            done = best_gap <= tolerance or (stalled >= options.patience and best_gap < np.inf)
            if done or not state.factorise() or not state.advance():
                break
        except np.linalg.LinAlgError:  # numbers that overflow
            break
    return best


class _State:
    """The iterate, strictly inside its cones."""

    def __init__(self, left, right, bound, equality, start, asks, options: Options):
        self.left, self.right, self.bound, self.options = left, right, bound, options
        self.ineq, self.asks, self.loose = ~equality, asks, ~equality & ~asks
        self.equalities, self.unmeasured = bool(equality.any()), bool(self.loose.any())
        self.p, self.q = left.shape[1], right.shape[1]
        self.degree = self.p + self.q + int(self.ineq.sum())
        size = _largest(self.adjoint(self.ineq.astype(float)))
        self.lam = np.where(self.ineq, 0.5 / max(size, options.centred), 0.0)
        W = 2.0 * start
        self.s = np.where(self.ineq, self.apply(W) - bound, 1.0)
        # The start may lie on the boundary of a row; a step from outside ends on the right side of it.
        least = np.where(self.loose, np.abs(bound).max(), np.abs(bound) / 2)
        self.s = np.where(self.ineq, np.maximum(self.s, least), 1.0)
        self.X = np.diag(np.full(self.p + self.q, 2.0 * _largest(W)))
        self.X[: self.p, self.p :], self.X[self.p :, : self.p] = W, W.T
        self.M = self.adjoint(self.lam)
        self.Z = self._embed(self.M)
        self.Z.flat[:: self.p + self.q + 1] = 0.5

    def apply(self, W):
        return ((self.left @ W) * self.right).sum(1)

    def adjoint(self, lam):
        return (self.left * lam[:, None]).T @ self.right

    def _embed(self, M):
        out = np.zeros((self.p + self.q, self.p + self.q))
        out[: self.p, self.p :] = M / -2
        out[self.p :, : self.p] = out[: self.p, self.p :].T
        return out

    def certificate(self, W, lam, M):
        """W and multipliers rescaled to primal and dual feasibility, and the relative gap between the two values."""
        if self.equalities:
            W = self._onto_equalities(W)
        margins = self.apply(W)
        least = (margins[self.asks] / self.bound[self.asks]).min(initial=np.inf)
        if not least > 0:
            return W, lam, np.inf
        if least < np.inf:
            W, margins = W / least, margins / least
        self.sigma, self.sigma_dual = _singular(W), _singular(M)
        value, size = float(self.sigma.sum()), float(self.sigma_dual[0])
        if not (0 < value < np.inf and 0 < size < np.inf):
            return W, lam, np.inf
        dual = lam / size
        gap = (value - float(self.bound @ dual)) / value
        if self.unmeasured:
            length = np.linalg.norm(self.left, axis=1) * np.linalg.norm(self.right, axis=1)
            lack = (self.bound - margins) / (length * np.linalg.norm(W))
            gap = max(gap, float(lack[self.loose].max()))
        return W, dual, gap

    def _onto_equalities(self, W):
        """The nearest W on the equalities, which the iterates meet only in the limit."""
        left, right = self.left[~self.ineq], self.right[~self.ineq]
        missing = self.bound[~self.ineq] - ((left @ W) * right).sum(1)
        weight = np.linalg.lstsq((left @ left.T) * (right @ right.T), missing)[0]
        return W + (left * weight[:, None]).T @ right

    def newton(self, tolerance):
        """The best answer of Newton's steps from the iterate whose certificate came last, and its gap."""
        W = self.X[: self.p, self.p :]
        rank = int((self.sigma / self.sigma[0] > 1.0 - self.sigma_dual).sum())
        tight = ~self.ineq | (self.lam / self.lam.max() > self.s / self.bound.max(initial=0.0))
        best = W, self.lam, np.inf
        if rank == 0 or not tight.any():
            return best
        rows = self.left[tight], self.right[tight], self.bound[tight]
        dual = self.lam[tight]
        for _ in range(self.options.newton):
            try:
                found = fixed_rank.step(*rows, W, dual, rank)
            except np.linalg.LinAlgError:
                break
            if found is None:
                break
            W, dual = found
            lam = np.zeros(len(self.lam))
            lam[tight] = np.where(self.ineq[tight], np.maximum(dual, 0.0), dual)
            *answer, gap = self.certificate(W, lam, self.adjoint(lam))
            enough = gap < self.options.shrinking * best[2]
            if gap < best[2]:
                best = *answer, gap
            if gap <= tolerance or not enough:
                break
        return best

    def factorise(self) -> bool:
        """Cholesky factors of X and Z; False where rounding has pushed an iterate out of its cone."""
        self.chol_X, outside_X = dpotrf(self.X, lower=1)
        self.chol_Z, outside_Z = dpotrf(self.Z, lower=1)
        return not (outside_X or outside_Z)

    def advance(self) -> bool:
        """One predictor-corrector step; False where the numbers do not allow one."""
        X, Z, s, lam, ineq, p = self.X, self.Z, self.s, self.lam, self.ineq, self.p
        inverse = dtrtri(self.chol_Z, lower=1)[0]
        Z_inv = inverse.T @ inverse
        inverse_lam = 1.0 / lam if not self.equalities else np.where(ineq, 1.0 / np.where(ineq, lam, 1.0), 0.0)
        complementarity = float(np.vdot(X, Z)) + float((s * lam) @ ineq)
        solve, Z_inv_on_constraints = self._newton_system(X, Z_inv, np.where(ineq, s * inverse_lam, 0.0))
        if solve is None:
            return False

        def direction(target, corrector_X, corrector_s):
            rhs = self.bound - target * Z_inv_on_constraints
            rhs += target * inverse_lam - corrector_s
            if target:
                rhs += self.apply(corrector_X[:p, p:])
            d_lam = solve(rhs)
            d_Z = self._embed(self.adjoint(d_lam))
            product = X @ d_Z @ Z_inv
            d_X = (product + product.T) / -2
            d_X -= X
            if target:
                d_X += target * Z_inv
                d_X -= corrector_X
            d_s = (target - s * d_lam) * inverse_lam - corrector_s
            d_s -= s if not self.equalities else np.where(ineq, s, 0.0)
            return d_lam, d_Z, d_X, d_s

        def farthest(d_lam, d_Z, d_X, d_s):
            primal = min(_to_boundary(self.chol_X, d_X), _ratio(s, d_s, ineq))
            return primal, min(_to_boundary(self.chol_Z, d_Z), _ratio(lam, d_lam, ineq))

        d_lam, d_Z, d_X, d_s = direction(0.0, None, 0.0)
        primal, dual = (min(1.0, a) for a in farthest(d_lam, d_Z, d_X, d_s))
        ahead = float(np.vdot(X + primal * d_X, Z + dual * d_Z))
        ahead += float(((s + primal * d_s) * (lam + dual * d_lam)) @ ineq)
        least, more = self.options.back_off
        back_off = least + more * min(primal, dual)
        centring = min(max((ahead / complementarity) ** 3, self.options.least_centring), 1.0)
        product = d_X @ d_Z @ Z_inv
        corrector = (product + product.T) / 2, d_s * d_lam * inverse_lam
        d_lam, d_Z, d_X, d_s = direction(centring * complementarity / self.degree, *corrector)
        primal, dual = (min(1.0, back_off * a) for a in farthest(d_lam, d_Z, d_X, d_s))
        if not (primal > 0 and dual > 0):  # or not a number
            return False
        self.X = X + primal * d_X
        self.s = s + primal * d_s
        self.lam = lam + dual * d_lam
        self.M = self.adjoint(self.lam)
        self.Z = self._embed(self.M)
        self.Z.flat[:: self.p + self.q + 1] = 0.5
        return True

    def _newton_system(self, X, Z_inv, slack):
        """What solves with the Schur complement of the multipliers, whose diagonal `slack` (m,) adds to, and the
        constraints on Z⁻¹ (m,): by blocks of rows, the upper triangle alone. None where there is no factor.

        Its entries are those of u_kᵀ A u_l, u_kᵀ A v_l and v_kᵀ A v_l with u_k = (l_k, 0), v_k = (0, r_k), A = X, Z⁻¹.
        """
        p, m, u, v = self.p, len(slack), self.left, self.right
        uX, vX, uZ, vZ = u @ X[:p], v @ X[p:], u @ Z_inv[:p], v @ Z_inv[p:]
        (uXu, uXv), (vXu, vXv) = (uX[:, :p], uX[:, p:]), (vX[:, :p], vX[:, p:])
        (uZu, uZv), (vZu, vZv) = (uZ[:, :p], uZ[:, p:]), (vZ[:, :p], vZ[:, p:])
        on_constraints = (uZv * v).sum(1)
        regularisation, block = self.options.regularisation, self.options.block
        while regularisation < 1.0:
            schur = np.empty((m, m))
            for start in range(0, m, block):
                rows, u_after, v_after = slice(start, start + block), u[start:].T, v[start:].T
                part = uXu[rows] @ u_after
                part *= vZv[rows] @ v_after
                for first, second in (
                    (vXv[rows] @ v_after, uZu[rows] @ u_after),
                    (vXu[rows] @ u_after, uZv[rows] @ v_after),
                    (uXv[rows] @ v_after, vZu[rows] @ u_after),
                ):
                    first *= second
                    part += first
                part /= 4
                schur[rows, start:] = part
            schur.flat[:: m + 1] = (schur.diagonal() + slack) * (1 + regularisation)
            factor, failed = dpotrf(schur.T, lower=1, clean=0, overwrite_a=1)
            if not failed:
                return partial(_solve, factor), on_constraints
            regularisation *= self.options.heavier
        return None, on_constraints


def _solve(factor, b):
    return dpotrs(factor, b, lower=1)[0]


def _singular(A):
    return np.linalg.svd(A, compute_uv=False)


def _largest(A):
    return float(_singular(A)[0])


def _to_boundary(factor, step):
    """The largest a with C Cᵀ + a·step ⪰ 0, C the lower triangle of `factor`; not a number where there is none."""
    values, _, failed = dsyevd(dsygst(step, factor, lower=1)[0], compute_v=0, lower=1)
    if failed or not np.isfinite(values[0]):
        return np.nan
    return -1.0 / min(values[0], -1e-300) if values[0] < 0 else np.inf


def _ratio(x, step, mask):
    """The largest a with x + a·step ≥ 0 on `mask`."""
    most = float((-step[mask] / x[mask]).max(initial=0.0))
    return 1.0 / most if most > 0 else (np.inf if most == 0 else np.nan)
