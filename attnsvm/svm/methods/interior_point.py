"""Least nuclear norm subject to separation constraints: a primal-dual interior-point method over a batch.

    minimise ½ tr X  s.t.  X = [[U, W], [Wᵀ, V]] ⪰ 0,  l_kᵀ W r_k − s_k = b_k,  s ≥ 0
    maximise bᵀλ     s.t.  Z = ½ [[I, −M], [−Mᵀ, I]] ⪰ 0,  M = Σ λ_k l_k r_kᵀ,  λ ≥ 0

Mehrotra's predictor-corrector along the HKM direction (Helmberg, Rendl, Vanderbei, Wolkowicz 1996; Kojima, Shindoh,
Hara 1997; Monteiro 1997). The constraint matrices have rank one, so the Schur complement costs a few products of
(m, p + q) matrices instead of m² traces. Problems of one shape advance together. Each stops when it is done, and has
the bits that it has alone in a batch.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs

from attnsvm.svm.constraints import asking
from attnsvm.svm.methods.rescaling import mended
from attnsvm.svm.subspaces import Reduced, lengths


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
        factored: number of constraints from which on one Cholesky factor is cheaper than a batch of systems.
        block: rows of the Schur complement formed at a time, so that they stay in the cache.
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
    factored: int = 400
    block: int = 256
    doubted: float = 1e-8


OPTIONS = Options()


def least_norms(
    group: list[Reduced], starts: list[np.ndarray], target: float, options: Options = OPTIONS
) -> list[tuple[np.ndarray, np.ndarray]]:
    """(W, multipliers) of feasible problems with one `shape_key`, up to the relative gap `target`.

    Each is scaled so that its longest vectors and its start have size one.
    """
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
        options,
    )
    answers = zip(group, W, size, dual, strict=True)
    return [(mended(r.constraints, r.lift(w * z)), r.spread(y)) for r, w, z, y in answers]


def least_nuclear_norm(
    left: np.ndarray,
    right: np.ndarray,
    bound: np.ndarray,
    equality: np.ndarray,
    start: np.ndarray,
    tolerance: float,
    options: Options = OPTIONS,
) -> tuple[np.ndarray, np.ndarray]:
    """Solve S feasible problems of one shape; W and multipliers of the smallest certified gap each reached.

    Args:
        left: (S, m, p), right: (S, m, q): the rank-one constraint matrices.
        bound: (S, m), at least zero on inequalities.
        equality: (m,) bool, the same for the whole batch.
        start: (S, p, q), a point that meets every constraint.
        tolerance: relative gap at which a problem is done.

    Returns:
        W (S, p, q), with margins scaled to hold exactly where they can; multipliers (S, m), ‖Σ λ_k l_k r_kᵀ‖₂ ≤ 1.
    """
    S, m, p = left.shape
    if S > 1 and m >= options.factored:
        alone = (slice(i, i + 1) for i in range(S))
        parts = [least_nuclear_norm(left[i], right[i], bound[i], equality, start[i], tolerance, options) for i in alone]
        return np.concatenate([W for W, _ in parts]), np.concatenate([dual for _, dual in parts])
    state = _State(left, right, bound, ~equality, start, options)
    best_gap, best_W, best_dual = np.full(S, np.inf), np.zeros((S, p, right.shape[2])), np.zeros((S, m))
    stalled = np.zeros(S, dtype=int)
    alive = np.arange(S)
    for _ in range(options.iterations):
        W, dual, gap = state.certificate()
        stalled[alive] = np.where(gap < options.progress * best_gap[alive], 0, stalled[alive] + 1)
        better = gap < best_gap[alive]
        where = alive[better]
        best_gap[where], best_W[where], best_dual[where] = gap[better], W[better], dual[better]
        interior = state.factorise()
        go_on = (gap > tolerance) & interior & ((stalled[alive] < options.patience) | np.isinf(best_gap[alive]))
        if not go_on.any():
            break
        alive = alive[go_on]
        state.keep(go_on)
        state.advance()
    return best_W, best_dual


def _t(a: np.ndarray) -> np.ndarray:
    return np.swapaxes(a, -1, -2)


def _sym(a: np.ndarray) -> np.ndarray:
    return (a + _t(a)) / 2


def _column(a: np.ndarray) -> np.ndarray:
    return a[:, None, None]


class _State:
    """The iterates of the problems still running, all strictly inside their cones."""

    _batched = ("left", "right", "bound", "loose", "length", "X", "s", "lam", "M", "Z", "chol_X", "chol_Z")

    def __init__(self, left, right, bound, ineq, start, options: Options):
        self.left, self.right, self.bound, self.ineq, self.options = left, right, bound, ineq, options
        self.p, self.q = left.shape[2], right.shape[2]
        self.loose = ineq & ~asking(bound, ~ineq)  # measured by ‖A_k‖‖W‖, not by their bound
        self.length = np.linalg.norm(left, axis=2) * np.linalg.norm(right, axis=2)
        size = np.linalg.norm(self.adjoint(np.broadcast_to(ineq.astype(float), bound.shape)), 2, axis=(1, 2))
        self.lam = np.where(ineq, 0.5 / np.maximum(size, options.centred)[:, None], 0.0)
        W = 2.0 * start
        self.s = np.where(ineq, self.apply(W) - bound, 1.0)
        # The start may lie on the boundary of a loose row; a step from outside ends on the right side of it.
        self.s = np.where(self.loose, np.maximum(self.s, np.abs(bound).max(1, keepdims=True)), self.s)
        spectral = np.linalg.norm(W, 2, axis=(1, 2))
        self.X = 2 * _column(spectral) * np.eye(self.p + self.q)
        self.X[:, : self.p, self.p :], self.X[:, self.p :, : self.p] = W, _t(W)
        self._update_dual_slack()

    def apply(self, W):
        return ((self.left @ W) * self.right).sum(-1)

    def adjoint(self, lam):
        return _t(self.left * lam[..., None]) @ self.right

    def _embed(self, M):
        out = np.zeros((len(M), self.p + self.q, self.p + self.q))
        out[:, : self.p, self.p :], out[:, self.p :, : self.p] = -M / 2, -_t(M) / 2
        return out

    def _update_dual_slack(self):
        self.M = self.adjoint(self.lam)
        self.Z = self._embed(self.M) + np.eye(self.p + self.q) / 2

    def keep(self, mask):
        for name in self._batched:
            setattr(self, name, getattr(self, name)[mask])

    def certificate(self):
        """The iterate rescaled to primal and dual feasibility, and the relative gap between the two values."""
        W = self._onto_equalities(self.X[:, : self.p, self.p :])
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(self.ineq & ~self.loose, self.apply(W) / self.bound, np.inf).min(1)
            ratio = np.where(np.isfinite(ratio), ratio, 1.0)
            W = W / _column(ratio)
            value = np.linalg.svd(W, compute_uv=False).sum(-1)
            dual = self.lam / np.linalg.norm(self.M, 2, axis=(1, 2))[:, None]
            gap = (value - (self.bound * dual).sum(1)) / value
            if self.loose.any():
                lack = (self.bound - self.apply(W)) / (self.length * np.linalg.norm(W, axis=(1, 2))[:, None])
                lack = np.where(self.loose, lack, 0.0).max(1, initial=0.0)
                gap = np.where(self.loose.any(1), np.maximum(gap, lack), gap)
        return W, dual, np.where((ratio > 0) & np.isfinite(gap), gap, np.inf)

    def _onto_equalities(self, W):
        """The nearest W on the equalities, which the iterates meet only in the limit."""
        if self.ineq.all():
            return W
        left, right = self.left[:, ~self.ineq], self.right[:, ~self.ineq]
        missing = self.bound[:, ~self.ineq] - ((left @ W) * right).sum(-1)
        gram = (left @ _t(left)) * (right @ _t(right))
        weight = np.linalg.solve(gram, missing[..., None])
        return W + _t(left * weight) @ right

    def factorise(self):
        """Cholesky factors of X and Z; False where rounding has pushed an iterate out of its cone."""
        self.chol_X, ok_X = _cholesky(self.X)
        self.chol_Z, ok_Z = _cholesky(self.Z)
        return ok_X & ok_Z

    def advance(self):
        """One predictor-corrector step."""
        X, Z, s, lam, ineq = self.X, self.Z, self.s, self.lam, self.ineq
        degree = self.p + self.q + ineq.sum()
        inverse_chol_X, inverse_chol_Z = np.linalg.inv(self.chol_X), np.linalg.inv(self.chol_Z)
        Z_inv = _t(inverse_chol_Z) @ inverse_chol_Z
        safe_lam = np.where(ineq, lam, 1.0)
        mu = ((X * Z).sum((1, 2)) + (s * lam * ineq).sum(1)) / degree

        solve, Z_inv_on_constraints = self._newton_system(X, Z_inv, np.where(ineq, s / safe_lam, 0.0))

        def direction(target, corrector_X, corrector_s):
            rhs = self.bound - target[:, None] * Z_inv_on_constraints
            rhs += self.apply(corrector_X[:, : self.p, self.p :])
            rhs += np.where(ineq, target[:, None] / safe_lam - corrector_s, 0.0)
            d_lam = solve(rhs)
            d_Z = self._embed(self.adjoint(d_lam))
            d_X = _column(target) * Z_inv - X - _sym(X @ d_Z @ Z_inv) - corrector_X
            d_s = np.where(ineq, (target[:, None] - s * d_lam) / safe_lam - s - corrector_s, 0.0)
            return d_lam, d_Z, d_X, d_s

        def lengths(d_lam, d_Z, d_X, d_s):
            primal = np.minimum(_to_boundary(inverse_chol_X, d_X), _ratio(s, d_s, ineq))
            dual = np.minimum(_to_boundary(inverse_chol_Z, d_Z), _ratio(lam, d_lam, ineq))
            return primal, dual

        nothing = np.zeros(len(mu))
        d_lam, d_Z, d_X, d_s = direction(nothing, np.zeros_like(X), np.zeros_like(s))
        primal, dual = (np.minimum(1.0, a) for a in lengths(d_lam, d_Z, d_X, d_s))
        ahead = ((X + _column(primal) * d_X) * (Z + _column(dual) * d_Z)).sum((1, 2))
        ahead += ((s + primal[:, None] * d_s) * (lam + dual[:, None] * d_lam) * ineq).sum(1)
        centring = np.clip((ahead / degree / mu) ** 3, self.options.least_centring, 1.0)

        correctors = _sym(d_X @ d_Z @ Z_inv), np.where(ineq, d_s * d_lam / safe_lam, 0.0)
        d_lam, d_Z, d_X, d_s = direction(centring * mu, *correctors)
        least, more = self.options.back_off
        back_off = least + more * np.minimum(primal, dual)
        primal, dual = (np.minimum(1.0, back_off * a) for a in lengths(d_lam, d_Z, d_X, d_s))
        self.X = _sym(X + _column(primal) * d_X)
        self.s = s + primal[:, None] * d_s
        self.lam = lam + dual[:, None] * d_lam
        self._update_dual_slack()

    def _newton_system(self, X, Z_inv, slack):
        """What solves with the Schur complement of the multipliers, whose diagonal `slack` (S, m) adds to; and the
        constraints on Z⁻¹ (S, m)."""
        if slack.shape[1] >= self.options.factored:
            return self._factored_system(X[0], Z_inv[0], slack[0]), self.apply(Z_inv[:, : self.p, self.p :])
        Xuu, Xuv, Xvv = self._blocks(X)
        Zuu, Zuv, Zvv = self._blocks(Z_inv)
        schur = (_t(Xuv) * Zuv + Xuv * _t(Zuv) + Xvv * Zuu + Xuu * Zvv) / 4
        diagonal = np.arange(schur.shape[1])
        schur[:, diagonal, diagonal] += slack
        return lambda b: _solve(schur, b, self.options.regularisation), Zuv[:, diagonal, diagonal]

    def _factored_system(self, X, Z_inv, slack):
        """The same for one large problem: by blocks of rows, the upper triangle alone, and one Cholesky factor."""
        p, m = self.p, len(slack)
        u, v = self.left[0], self.right[0]
        uX, vX = np.split(u @ X[:p], [p], axis=1), np.split(v @ X[p:], [p], axis=1)
        uZ, vZ = np.split(u @ Z_inv[:p], [p], axis=1), np.split(v @ Z_inv[p:], [p], axis=1)
        regularisation, block = self.options.regularisation, self.options.block
        while True:
            schur = np.empty((m, m))
            for start in range(0, m, block):
                rows, u_after, v_after = slice(start, start + block), u[start:].T, v[start:].T
                part = (uX[0][rows] @ u_after) * (vZ[1][rows] @ v_after)
                part += (vX[1][rows] @ v_after) * (uZ[0][rows] @ u_after)
                part += (vX[0][rows] @ u_after) * (uZ[1][rows] @ v_after)
                part += (uX[1][rows] @ v_after) * (vZ[0][rows] @ u_after)
                schur[rows, start:] = part / 4
            schur.flat[:: m + 1] = (schur.diagonal() + slack) * (1 + regularisation)
            factor, failed = dpotrf(schur.T, lower=1, clean=0, overwrite_a=1)
            if not failed:
                return lambda b: dpotrs(factor, b[0], lower=1)[0][None]
            regularisation *= self.options.heavier

    def _blocks(self, A):
        """u_kᵀ A u_l, u_kᵀ A v_l and v_kᵀ A v_l with u_k = (l_k, 0) and v_k = (0, r_k)."""
        p = self.p
        uu = self.left @ A[:, :p, :p] @ _t(self.left)
        uv = self.left @ A[:, :p, p:] @ _t(self.right)
        return uu, uv, self.right @ A[:, p:, p:] @ _t(self.right)


def _cholesky(A):
    """Factors of a batch; the identity and False where a matrix is not positive definite."""
    try:
        return np.linalg.cholesky(A), np.ones(len(A), dtype=bool)
    except np.linalg.LinAlgError:
        pass
    factors, ok = np.broadcast_to(np.eye(A.shape[-1]), A.shape).copy(), np.zeros(len(A), dtype=bool)
    for i, a in enumerate(A):
        try:
            factors[i], ok[i] = np.linalg.cholesky(a), True
        except np.linalg.LinAlgError:
            continue
    return factors, ok


def _solve(A, b, regularisation):
    """x with A x = b, (S, m); repeated constraints make A singular in the end."""
    try:
        return np.linalg.solve(A, b[..., None])[..., 0]
    except np.linalg.LinAlgError:
        pass
    if len(A) > 1:  # the others are what they would be without the singular one
        return np.concatenate([_solve(A[i : i + 1], b[i : i + 1], regularisation) for i in range(len(A))])
    lifted = A * (1 + regularisation * np.eye(A.shape[-1]))
    return np.linalg.solve(lifted, b[..., None])[..., 0]


def _to_boundary(inverse_chol, step):
    """The largest a with C Cᵀ + a·step ⪰ 0."""
    lowest = np.linalg.eigvalsh(inverse_chol @ step @ _t(inverse_chol))[:, 0]
    return np.where(lowest < 0, -1.0 / np.minimum(lowest, -1e-300), np.inf)


def _ratio(x, step, mask):
    """The largest a with x + a·step ≥ 0 on `mask`."""
    shrinking = mask & (step < 0)
    return np.where(shrinking, -x / np.where(shrinking, step, -1.0), np.inf).min(1, initial=np.inf)
