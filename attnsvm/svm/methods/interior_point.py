"""Least nuclear norm subject to separation constraints: a primal-dual interior-point method, ended by Newton's.

    minimise ½ tr X  s.t.  X = [[U, W], [Wᵀ, V]] ⪰ 0,  l_kᵀ W r_k − s_k = b_k,  s ≥ 0
    maximise bᵀλ     s.t.  Z = ½ [[I, −M], [−Mᵀ, I]] ⪰ 0,  M = Σ λ_k l_k r_kᵀ,  λ ≥ 0

Mehrotra's predictor-corrector along the HKM direction (Helmberg, Rendl, Vanderbei, Wolkowicz 1996; Kojima, Shindoh,
Hara 1997; Monteiro 1997). The constraint matrices have rank one, so the Schur complement costs a few products of
(m, p + q) matrices instead of m² traces. Once rank and tight rows can be told, `fixed_rank` takes two to four steps to
the last digit. Problems of one shape take their steps together: for small ones NumPy takes longer to be called than to
compute. Each has its own number of steps, and gets the numbers that it gets alone.
"""

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs, dsyevd, dsygst, dtrtri

from attnsvm.svm.methods import fixed_rank
from attnsvm.svm.methods.rescaling import binary, mended
from attnsvm.svm.reductions import Reduced, lengths, transposed


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
        together: entries of the Schur complements that are formed together, so that they stay in the cache.
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
    together: int = 2**17


OPTIONS = Options()

Answer = tuple[np.ndarray, np.ndarray]


def least_norms(problems: Sequence[tuple[Reduced, np.ndarray]], target: float) -> list[Answer | None]:
    """`least_norm` of problems with their starts; None of one without another of its shape, or whose numbers, or those
    of another in its group, overflow: it is to be solved alone."""
    alike: dict[tuple, list[int]] = {}
    for k, (problem, _) in enumerate(problems):
        alike.setdefault((len(problem.kept), *problem.shape), []).append(k)
    found: list[Answer | None] = [None] * len(problems)
    for (m, *_), places in alike.items():
        step = max(1, OPTIONS.together // max(m, 1) ** 2)
        for some in (places[first : first + step] for first in range(0, len(places), step)):
            if len(some) > 1:
                with suppress(ArithmeticError, ValueError):
                    for k, answer in zip(some, _scaled([problems[k] for k in some], target), strict=True):
                        found[k] = answer
    return found


def least_norm(problem: Reduced, start: np.ndarray, target: float) -> Answer:
    """(W, multipliers) of a feasible problem, up to the relative gap `target`."""
    return _scaled([(problem, start)], target)[0]


def _scaled(problems: Sequence[tuple[Reduced, np.ndarray]], target: float) -> list[Answer]:
    """The answers to problems of one shape, scaled so that the vectors of rows and the starts have size about one."""
    scales, arrays = [], []
    for problem, start in problems:
        c, kept = problem.constraints, problem.kept
        left, right, start = problem.left[kept], problem.right[kept], problem.lower(start)
        size, size_left, size_right = np.linalg.norm(start), binary(lengths(left)), binary(lengths(right))
        scale = size_left * size_right
        rows = left / size_left[:, None], right / size_right[:, None], c.bound[kept] / (size * scale)
        arrays.append((*rows, c.equality[kept], c.asks[kept], start / size))
        scales.append((size, scale))
    left, right, bound, equality, asks, start = map(np.stack, zip(*arrays, strict=True))
    answers = least_nuclear_norms(left, right, bound, equality, asks, start, target)
    return [
        (mended(problem.constraints, problem.lift(W * size)), problem.spread(dual / scale))
        for (problem, _), (size, scale), W, dual in zip(problems, scales, *answers, strict=True)
    ]


def least_nuclear_norms(
    left: np.ndarray,
    right: np.ndarray,
    bound: np.ndarray,
    equality: np.ndarray,
    asks: np.ndarray,
    start: np.ndarray,
    tolerance: float,
    options: Options = OPTIONS,
) -> Answer:
    """W and multipliers of the smallest gap that was reached, of each of S problems; zeros where no iterate has a gap.

    Args:
        left: (S, m, p), right: (S, m, q): the rank-one constraint matrices.
        bound: (S, m), at least zero on inequalities.
        equality: (S, m) bool.
        asks: (S, m) bool, the inequalities whose bound measures their margin, see `constraints.asking`.
        start: (S, p, q), points that meet every constraint.
        tolerance: relative gap at which a problem is done.

    Returns:
        W (S, p, q), with margins scaled to hold exactly where they can; multipliers (S, m), ‖Σ λ_k l_k r_kᵀ‖₂ ≤ 1.

    Raises:
        LinAlgError: the numbers of one of several problems overflow.
    """
    best = _Best(np.full(len(start), np.inf), np.zeros(start.shape), np.zeros(bound.shape))
    try:
        state = _States.first(left, right, bound, ~equality, asks, start, options)
        for _ in range(options.iterations):
            W, dual, gap, sigma, sigma_dual = state.certificate(state.W, state.lam, state.M)
            state.stalled = np.where(gap < options.progress * best.gap[state.place], 0, state.stalled + 1)
            best.enter(state.place, W, dual, gap)
            near = np.flatnonzero((tolerance < gap) & (gap <= state.guess))
            if len(near):
                state.guess[near] = options.again * gap[near]
                best.enter(state.place[near], *state.take(near).newton(tolerance, sigma[near], sigma_dual[near]))
            gap = best.gap[state.place]
            done = (gap <= tolerance) | ((state.stalled >= options.patience) & (gap < np.inf))
            state = state.take(np.flatnonzero(~done)).advanced()
            if len(state.place) == 0:
                break
    except np.linalg.LinAlgError:  # numbers that overflow
        if len(start) > 1:
            raise
    return best.W, best.dual


class _Best(NamedTuple):
    """The best answer to each problem so far."""

    gap: np.ndarray
    W: np.ndarray
    dual: np.ndarray

    def enter(self, places: np.ndarray, W: np.ndarray, dual: np.ndarray, gap: np.ndarray) -> None:
        """Keep the answers to the problems at `places` whose gap is smaller."""
        better = np.flatnonzero(gap < self.gap[places])
        if len(better):
            at = places[better]
            self.gap[at], self.W[at], self.dual[at] = gap[better], W[better], dual[better]


@dataclass
class _States:
    """The iterates of problems of one shape, strictly inside their cones; all arrays have an axis (S,) in front.

    Attributes:
        left, right, bound, asks: see `least_nuclear_norms`. ineq: (S, m) bool, the inequalities.
        lam: (S, m), M: (S, p, q), X: (S, p + q, p + q). s: (S, m), one on equalities.
        place: (S,) which of the problems each is. stalled, guess: (S,), see `Options.patience` and `Options.guessed`.
        equalities, unmeasured: whether any problem has an equality, or an inequality that `asks` does not name.
    """

    options: Options
    equalities: bool
    unmeasured: bool
    left: np.ndarray
    right: np.ndarray
    bound: np.ndarray
    ineq: np.ndarray
    asks: np.ndarray
    lam: np.ndarray
    s: np.ndarray
    X: np.ndarray
    M: np.ndarray
    place: np.ndarray
    stalled: np.ndarray
    guess: np.ndarray

    @classmethod
    def first(cls, left, right, bound, ineq, asks, start, options: Options) -> "_States":
        (S, p, q), W = start.shape, 2.0 * start
        size = _singular(_adjoint(left, right, ineq.astype(float)))[:, 0]
        lam = np.where(ineq, (0.5 / np.maximum(size, options.centred))[:, None], 0.0)
        # The start may lie on the boundary of a row; a step from outside ends on the right side of it.
        largest = np.abs(bound).max(1, keepdims=True)
        least = np.where(ineq & ~asks, largest, np.abs(bound) / 2)
        s = np.where(ineq, np.maximum(_apply(left, right, W) - bound, least), 1.0)
        X = np.zeros((S, p + q, p + q))
        _diagonal(X)[:] = 2.0 * _singular(W)[:, :1]
        X[:, :p, p:], X[:, p:, :p] = W, transposed(W)
        counts = np.arange(S), np.zeros(S, dtype=int), np.full(S, options.guessed)
        kinds = not ineq.all(), bool((ineq & ~asks).any())
        return cls(options, *kinds, left, right, bound, ineq, asks, lam, s, X, _adjoint(left, right, lam), *counts)

    def take(self, rows: np.ndarray) -> "_States":
        """Those with some numbers, in order."""
        if len(rows) == len(self.place):
            return self
        arrays = {name: value[rows] for name, value in vars(self).items() if isinstance(value, np.ndarray)}
        return replace(self, **arrays)

    @property
    def W(self) -> np.ndarray:
        p = self.left.shape[2]
        return self.X[:, :p, p:]

    def apply(self, W):
        return _apply(self.left, self.right, W)

    def adjoint(self, lam):
        return _adjoint(self.left, self.right, lam)

    def certificate(self, W, lam, M):
        """W and multipliers rescaled to primal and dual feasibility, the relative gap between the two values, and the
        singular values of both; an infinite gap where one is not feasible."""
        if self.equalities:
            W = self._onto_equalities(W)
        margins = self.apply(W)
        least = np.where(self.asks, margins / self.bound, np.inf).min(1)
        met = least > 0  # false for NaN
        scale = np.where(met & (least < np.inf), least, 1.0)
        W, margins = W / scale[:, None, None], margins / scale[:, None]
        if not met.all():
            W, M = np.where(met[:, None, None], W, 0.0), np.where(met[:, None, None], M, 0.0)
        sigma, sigma_dual = _singular(W), _singular(M)
        value, size = sigma.sum(1), sigma_dual[:, 0]
        dual = lam / size[:, None]
        gap = (value - _dots(self.bound, dual)) / value
        if self.unmeasured:
            length = np.linalg.norm(self.left, axis=2) * np.linalg.norm(self.right, axis=2)
            size_of_W = np.sqrt(_products(W, W))
            lack = (self.bound - margins) / (length * size_of_W[:, None])
            lack = np.where(self.ineq & ~self.asks, lack, -np.inf).max(1)
            gap = np.where(lack > gap, lack, gap)
        known = (value > 0) & (value < np.inf) & (size > 0) & (size < np.inf)
        return W, dual, np.where(met & known, gap, np.inf), sigma, sigma_dual

    def _onto_equalities(self, W):
        """The nearest W on the equalities, which the iterates meet only in the limit."""
        moved = np.array(W)
        each = zip(moved, W, self.left, self.right, self.bound, self.ineq, strict=True)
        for there, one, left, right, bound, ineq in each:
            if not ineq.all():
                left, right, bound = left[~ineq], right[~ineq], bound[~ineq]
                missing = bound - ((left @ one) * right).sum(1)
                weight = np.linalg.lstsq((left @ left.T) * (right @ right.T), missing)[0]
                there += (left * weight[:, None]).T @ right
        return moved

    def newton(self, tolerance, sigma, sigma_dual):
        """The best answers of Newton's steps from the iterates, whose singular values these are, and their gaps."""
        W, dual = np.array(self.W), np.array(self.lam)
        best = _Best(np.full(len(W), np.inf), np.array(W), np.array(dual))
        rank = (sigma / sigma[:, :1] > 1.0 - sigma_dual).sum(1)
        share = self.s / self.bound.max(1, initial=0.0, keepdims=True)
        tight = ~self.ineq | (self.lam / self.lam.max(1, keepdims=True) > share)
        count = tight.sum(1)
        going = np.flatnonzero((rank > 0) & (count > 0))
        for _ in range(self.options.newton):
            for r, t in {*zip(rank[going].tolist(), count[going].tolist(), strict=True)}:
                some = going[(rank[going] == r) & (count[going] == t)]
                rows = np.nonzero(tight[some])[1].reshape(len(some), t)
                at = some[:, None], rows
                held = self.left[at], self.right[at], self.bound[at]
                W[some], dual[at] = fixed_rank.steps(*held, W[some], dual[at], r)
            going = going[np.isfinite(W[going]).all((1, 2))]
            if len(going) == 0:
                break
            lam = np.where(tight, np.where(self.ineq, np.maximum(dual, 0.0), dual), 0.0)[going]
            state = self.take(going)
            answer, lam, gap, *_ = state.certificate(W[going], lam, state.adjoint(lam))
            enough = gap < self.options.shrinking * best.gap[going]
            best.enter(going, answer, lam, gap)
            going = going[~(gap <= tolerance) & enough]
        return best.W, best.dual, best.gap

    def advanced(self) -> "_States":
        """The iterates after one predictor-corrector step, of those whose numbers allow one."""
        if len(self.place) == 0:
            return self
        X, s, lam, ineq, p = self.X, self.s, self.lam, self.ineq, self.left.shape[2]
        Z = _embed(self.M)
        _diagonal(Z)[:] = 0.5
        (chol_X, outside_X), (chol_Z, outside_Z) = _cholesky(X), _cholesky(Z)
        inside = ~(outside_X | outside_Z)
        if not inside.all():  # rounding has pushed some out of their cones
            return self.take(np.flatnonzero(inside)).advanced()
        inverse = np.array([dtrtri(factor, lower=1)[0].T for factor in chol_Z])
        Z_inv = inverse @ transposed(inverse)
        inverse_lam = np.where(ineq, 1.0 / np.where(ineq, lam, 1.0), 0.0)
        counted, held = ineq.astype(float), np.where(ineq, s, 0.0)
        complementarity = _products(X, Z) + _dots(s * lam, counted)
        schur, Z_inv_on_constraints, failed = self._schur(Z_inv, held * inverse_lam, self.options.regularisation)
        if failed.any():
            return self.take(np.flatnonzero(~failed)).advanced()

        def direction(target, corrector_X, corrector_s):
            rhs = self.bound - target[:, None] * Z_inv_on_constraints
            rhs += target[:, None] * inverse_lam - corrector_s
            if corrector_X is not None:
                rhs += self.apply(corrector_X[:, :p, p:])
            d_lam = np.array([dpotrs(factor, one, lower=1)[0] for factor, one in zip(schur, rhs, strict=True)])
            d_Z = _embed(self.adjoint(d_lam))
            product = X @ d_Z @ Z_inv
            d_X = (product + transposed(product)) / -2
            d_X -= X
            if corrector_X is not None:
                d_X += target[:, None, None] * Z_inv
                d_X -= corrector_X
            d_s = (target[:, None] - s * d_lam) * inverse_lam - corrector_s
            d_s -= held
            return d_lam, d_Z, d_X, d_s

        def farthest(d_lam, d_Z, d_X, d_s):
            primal = _smaller(_to_boundary(chol_X, d_X), _ratio(s, d_s, ineq))
            return primal, _smaller(_to_boundary(chol_Z, d_Z), _ratio(lam, d_lam, ineq))

        d_lam, d_Z, d_X, d_s = direction(np.zeros(len(X)), None, 0.0)
        primal, dual = (_smaller(1.0, a) for a in farthest(d_lam, d_Z, d_X, d_s))
        ahead = _products(X + primal[:, None, None] * d_X, Z + dual[:, None, None] * d_Z)
        ahead += _dots((s + primal[:, None] * d_s) * (lam + dual[:, None] * d_lam), counted)
        least, more = self.options.back_off
        back_off = least + more * _smaller(primal, dual)
        centring = np.array([share**3 for share in (ahead / complementarity).tolist()])
        centring = np.minimum(np.maximum(centring, self.options.least_centring), 1.0)
        product = d_X @ d_Z @ Z_inv
        corrector = (product + transposed(product)) / 2, d_s * d_lam * inverse_lam
        degree = X.shape[1] + ineq.sum(1)
        d_lam, d_Z, d_X, d_s = direction(centring * complementarity / degree, *corrector)
        primal, dual = (_smaller(1.0, back_off * a) for a in farthest(d_lam, d_Z, d_X, d_s))
        X, s, lam = X + primal[:, None, None] * d_X, s + primal[:, None] * d_s, lam + dual[:, None] * d_lam
        moved = replace(self, X=X, s=s, lam=lam, M=self.adjoint(lam))
        return moved.take(np.flatnonzero((primal > 0) & (dual > 0)))  # false for NaN

    def _schur(self, Z_inv, slack, regularisation):
        """Cholesky factors of the Schur complements of the multipliers, to whose diagonal `slack` (S, m) is added; the
        constraints on Z⁻¹ (S, m); and of which problems there is no factor.
        """
        matrices, on_constraints = self._complements(Z_inv)
        diagonal = _diagonal(matrices)
        diagonal[:] = (diagonal + slack) * (1 + regularisation)
        factors, failed = _cholesky(matrices, clean=0, overwrite_a=1)
        heavier = regularisation * self.options.heavier
        if failed.any() and heavier < 1.0:
            some = np.flatnonzero(failed)
            again, _, failed[some] = self.take(some)._schur(Z_inv[some], slack[some], heavier)
            for k, factor in zip(some, again, strict=True):
                factors[k] = factor
        return factors, on_constraints, failed

    def _complements(self, Z_inv):
        """The Schur complements (S, m, m) by blocks of rows, the upper triangle alone; the constraints on Z⁻¹ (S, m).

        Entries are made of u_kᵀ A u_l, u_kᵀ A v_l and v_kᵀ A v_l, with u_k = (l_k, 0), v_k = (0, r_k), A = X, Z⁻¹.
        """
        X, u, v, block = self.X, self.left, self.right, self.options.block
        (_, m, p), found = u.shape, np.empty((*u.shape[:2], u.shape[1]))
        uX, vX, uZ, vZ = u @ X[:, :p], v @ X[:, p:], u @ Z_inv[:, :p], v @ Z_inv[:, p:]
        uXu, uXv, vXu, vXv = uX[..., :p], uX[..., p:], vX[..., :p], vX[..., p:]
        uZu, uZv, vZu, vZv = uZ[..., :p], uZ[..., p:], vZ[..., :p], vZ[..., p:]
        for start in range(0, m, block):
            rows, u_after, v_after = slice(start, start + block), transposed(u[:, start:]), transposed(v[:, start:])
            part = uXu[:, rows] @ u_after
            part *= vZv[:, rows] @ v_after
            for first, second in (
                (vXv[:, rows] @ v_after, uZu[:, rows] @ u_after),
                (vXu[:, rows] @ u_after, uZv[:, rows] @ v_after),
                (uXv[:, rows] @ v_after, vZu[:, rows] @ u_after),
            ):
                first *= second
                part += first
            part /= 4
            found[:, rows, start:] = part
        return found, (uZv * v).sum(2)


def _apply(left, right, W):
    return ((left @ W) * right).sum(2)


def _adjoint(left, right, lam):
    return transposed(left * lam[..., None]) @ right


def _embed(M):
    """Z (S, p + q, p + q) but for its diagonal."""
    S, p, q = M.shape
    out = np.zeros((S, p + q, p + q))
    out[:, :p, p:] = M / -2
    out[:, p:, :p] = transposed(out[:, :p, p:])
    return out


def _diagonal(matrices):
    """A view of the diagonals (S, n) of matrices in C order."""
    return matrices.reshape(len(matrices), -1)[:, :: matrices.shape[1] + 1]


def _dots(a, b):
    """The products of the rows (S,)."""
    return (a[:, None, :] @ b[:, :, None])[:, 0, 0]


def _products(A, B):
    """⟨A, B⟩ (S,)."""
    return _dots(A.reshape(len(A), -1), B.reshape(len(B), -1))


def _cholesky(matrices, **how):
    """Factors L of the lower triangles of the transposed matrices, and of which there is none (S,)."""
    found = [dpotrf(one.T, lower=1, **how) for one in matrices]
    return [factor for factor, _ in found], np.array([failed != 0 for _, failed in found], dtype=bool)


def _singular(A):
    return np.linalg.svd(A, compute_uv=False)


def _smaller(a, b):
    """The smaller one; the first where one is not a number."""
    return np.where(b < a, b, a)


def _to_boundary(factors, steps):
    """The largest a with C Cᵀ + a·step ⪰ 0, C the lower triangle of a factor; not a number where there is none."""
    found = []
    for factor, step in zip(factors, steps, strict=True):
        values, _, failed = dsyevd(dsygst(step, factor, lower=1)[0], compute_v=0, lower=1)
        least = float(values[0])
        if failed or not math.isfinite(least):
            found.append(math.nan)
        else:
            found.append(-1.0 / min(least, -1e-300) if least < 0 else math.inf)
    return np.array(found)


def _ratio(x, step, mask):
    """The largest a with x + a·step ≥ 0 on `mask`."""
    most = np.where(mask, -step / x, 0.0).max(1, initial=0.0)
    return 1.0 / (most + 0.0)  # zero has one sign: infinite where nothing is in the way
