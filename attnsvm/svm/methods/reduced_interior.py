"""Least norms by an interior-point method with one unknown for each constraint.

A W ≥ b has slacks s and multipliers λ. A norm is a bound t of the spectral norm of a matrix (`_Matrix`), of the size of
entries (`_Entries`), or of both; in ℓ1 each entry has a bound of its own, and ℓp is smooth and needs none (`_Powers`).
W moves by H⁻¹ of what Σ λ_k A_k moves, and H has a closed inverse: a Newton step asks for a Cholesky factor of
A H⁻¹ Aᵀ + diag(s/λ) alone, where general solvers factor a system with all entries of W in it.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs

from attnsvm.geometry import Norm
from attnsvm.svm.constraints import TokenConstraints
from attnsvm.svm.methods.rescaling import measured
from attnsvm.svm.reductions import Reduced, basis, lengths, outer


@dataclass(frozen=True)
class Options:
    """The numbers that decide in this method.

    Attributes:
        iterations: at most; fifteen to twenty-five are common.
        larger: bound of the norm at the start, relative to that of W.
        slack: least slack at the start, relative to the largest bound.
        step: share of the way to the boundary.
        ridge: on the diagonal of the system, relative.
        near: size of the complementarity, relative to the norm, from which on answers are measured.
        enough: error at which it ends.
        far: distance of W and ψ⁻¹(g) in `_Powers`, relative to the larger, from which the slope is that of the secant.
        flat: least curvature there, relative to the largest.
        worse: answers in a row that need not improve on the best.
    """

    iterations: int = 60
    larger: float = 1.5
    slack: float = 0.1
    step: float = 0.98
    ridge: float = 1e-13
    near: float = 1e-6
    enough: float = 1e-11
    worse: int = 2
    far: float = 0.01
    flat: float = 1e-12


OPTIONS = Options()
Answer = tuple[np.ndarray, np.ndarray]


def least_norm(problem: Reduced, start: np.ndarray, norm: Norm, target: float = 0.0) -> tuple[float, Answer]:
    """The error, and (W, multipliers), of a feasible problem in any norm but nuc, rowmax and rowsum.

    Args:
        start: W of the size of the solution, which meets the constraints.
        target: error at which it may end.
    """
    c, kept, inside = problem.constraints, problem.kept, norm.unitarily_invariant
    if inside:
        c, start = TokenConstraints(problem.factors, c.bound, c.equality, c.index), problem.lower(start)
    if hasattr(norm, "q") and norm.q < 2:  # the start is that of p = 2; its multipliers make a better one
        there = _power(start, norm.q - 1)
        start = there * float(c.apply(start) @ c.apply(there) / (c.apply(there) @ c.apply(there)))
    left, right, queries = c.left[kept], c.right[kept], c.factors.queries[np.unique(c.factors.query[kept])]
    scale = lengths(left) * lengths(right)
    matrix = norm.name in ("spectral", "hybrid")
    unit = float(norm.value(start) if matrix or norm.name == "linf" else np.abs(start).max())
    bound, free, left, W = c.bound[kept] / scale / unit, c.equality[kept], left / scale[:, None], start / unit
    width, parts = W.shape[1] - (norm.name != "spectral") if matrix else 0, list[Any]()
    if matrix:
        parts.append(_Matrix(left, right[:, :width], queries[:, :width], W[:, :width], OPTIONS))
    if width < W.shape[1]:
        rows, shape = outer(left, right[:, width:]), (-1, W.shape[1] - width)
        kind = partial(_Powers, norm) if hasattr(norm, "q") else partial(_Entries, norm.name == "l1")
        parts.append(kind(rows, W[:, width:].ravel(), shape, OPTIONS))
    best, answer, worse = np.inf, (start, np.zeros(len(c))), 0
    for W, dual, size in _path(parts, bound, free, OPTIONS):
        if size > max(OPTIONS.near, target):
            continue
        error, found = measured(c, norm, W * unit, problem.spread(dual / scale))
        worse += 1
        if error < best:
            best, answer, worse = error, found, 0
        if worse == OPTIONS.worse or best <= max(OPTIONS.enough, target):
            break
    return best, (problem.lift(answer[0]), answer[1]) if inside else answer


def _path(parts, bound, free, options: Options):
    """(W, multipliers, the complementarity relative to the norm), step after step."""
    m, shared, joint = len(bound), parts[0].shared, parts[0].joint
    degree = m - np.count_nonzero(free) + sum(part.degree for part in parts)
    mean = sum(part.size() for part in parts) / len(parts) / degree
    s = np.where(free, 0.0, np.maximum(sum(part.reached() for part in parts) - bound, options.slack * bound.max()))
    dual = np.where(free, 0.0, mean / np.where(free, 1.0, s))
    for part in parts:
        dual = part.begin(mean, dual, bound)
    for _ in range(options.iterations):
        try:
            for part in parts:
                part.scale(dual)
        except np.linalg.LinAlgError:
            return
        missing = sum(part.reached() for part in parts) - s - bound
        mean = (s @ dual + sum(part.product() for part in parts)) / degree
        yield np.hstack([part.whole() for part in parts]), dual, mean * degree / parts[0].size()
        weight = np.where(free, 0.0, 1.0 / np.where(free, 1.0, dual))
        system = sum(part.half @ part.half.T for part in parts)  # of one array NumPy computes one triangle
        system.flat[:: m + 1] += s * weight
        ridged = system.copy()
        ridged.flat[:: m + 1] *= 1 + options.ridge
        factor, failed = dpotrf(ridged.T, lower=1, clean=0, overwrite_a=1)
        if failed or not np.isfinite(factor.diagonal()).all():
            return
        along = sum(part.rows @ part.pulled for part in parts)
        answered = _solved(factor, system, along)
        curved = along @ answered + sum(part.curved for part in parts)
        target, share, change, slack = 0.0, 1.0, np.zeros(m), np.zeros(m)
        for corrects in (False, True):  # predictor, corrector
            aims = [part.aim(target) for part in parts]
            off = np.where(free, 0.0, target - s * dual - change * slack)
            moved = sum(part.rows @ part.solved(aim) for part, (aim, _) in zip(parts, aims, strict=True))
            change, t = _solved(factor, system, off * weight - missing - moved), 0.0
            if shared:
                t = sum(trace - part.pulled @ aim for part, (aim, trace) in zip(parts, aims, strict=True)) - 1.0
                t = (t - along @ change) / curved
                change = change + answered * t
            for part, (aim, _) in zip(parts, aims, strict=True):
                part.turn(change @ part.rows + aim, t)
            slack = (off - s * change) * weight
            most = [part.most() for part in parts] + [(_most(s, slack), _most(np.where(free, 0.0, dual), change))]
            first, second = (min(1.0, share * min(one)) for one in zip(*most, strict=True))
            if joint:
                first = second = min(first, second)
            if not corrects:
                aimed = (s + first * slack) @ (dual + second * change)
                aimed += sum(part.product(first, second) for part in parts)
                target, share = (aimed / degree / mean) ** 3 * mean, options.step
        s, dual = s + first * slack, dual + second * change
        for part in parts:
            part.move(first, second)


def _solved(factor, system, goal):
    """system⁻¹ goal, refined: the ridge, and what the factor lost."""
    found = dpotrs(factor, goal, lower=1)[0]
    return found + dpotrs(factor, goal - system @ found, lower=1)[0]


def _most(values, change) -> float:
    down = (change < 0) & (values > 0)
    return float((-values[down] / change[down]).min(initial=np.inf))


class _Matrix:
    """‖W‖₂ ≤ t, as X = [[tI, W], [Wᵀ, tI]] ⪰ 0 with multiplier Z, in the scaling of Nesterov and Todd.

    R with RᵀZR = R⁻¹XR⁻ᵀ = diag(d) is carried on in factors, so that nothing is squared. With R⁻¹ = [Q_a T_a, Q_b T_b],
    H W = V₁₁ W V₂₂ + V₁₂ Wᵀ V₁₂ for V = (R Rᵀ)⁻¹; in coordinates T_aᵀ… T_b and the singular vectors of Q_aᵀ Q_b it
    couples the entries (i, j) and (j, i) alone.
    """

    shared, joint = True, False

    def __init__(self, left, right, queries, W, options: Options):
        each = (left, W.shape[0]), (queries, W.shape[1])
        self.P, self.Q = (basis(vectors) if len(vectors) < n else np.eye(n) for vectors, n in each)
        self.left, self.right, self.W = left @ self.P, right @ self.Q, self.P.T @ W @ self.Q
        self.p, self.degree, self.t = self.W.shape[0], sum(self.W.shape), options.larger

    def begin(self, mean: float, dual, bound):
        self.R = self.back = np.eye(self.degree)
        self.X, self.Z = self._bounded(self.t, self.W), np.eye(self.degree) * (mean / self.t)
        return dual

    def _bounded(self, t, W):
        return np.block([[t * np.eye(self.p), W], [W.T, t * np.eye(len(W.T))]])

    def reached(self):
        return ((self.left @ self.W) * self.right).sum(1)

    def whole(self):
        return self.P @ self.W @ self.Q.T

    def size(self):
        return self.t

    def scale(self, dual):
        p = self.p
        first, second = np.linalg.cholesky(self.X), np.linalg.cholesky(self.Z)
        U, self.d, Vt = np.linalg.svd(second.T @ first)
        root = np.sqrt(self.d)
        self.R, self.back = self.R @ first @ (Vt.T / root), (U / root).T @ second.T @ self.back
        (one, a), (other, b) = np.linalg.qr(self.back[:, :p]), np.linalg.qr(self.back[:, p:])
        U, cosine, Vt = np.linalg.svd(one.T @ other)
        n = len(cosine)
        sine = np.square(other @ Vt[:n].T - one @ (U[:, :n] * cosine)).sum(0)
        self.a, self.b = np.linalg.solve(a, U).T, np.linalg.solve(b, Vt.T).T
        self.cross = np.outer(cosine, cosine)
        less = (sine[:, None] + sine + np.square(cosine[:, None] - cosine)) / 2  # 1 − cross, without cancellation
        self.divisor = np.ones(self.W.shape)
        self.divisor[:n, :n] = less * (1 + self.cross)
        V = self.back.T @ self.back
        square = V @ V
        self.Z = (self.back.T * self.d) @ self.back
        self.off = self.Z[:p, p:] * 2 + (self.left.T * dual) @ self.right
        self.rows = outer(self.left @ self.a.T, self.right @ self.b.T)
        M, below, root = self.rows.reshape(-1, *self.W.shape), np.tri(n, k=-1), np.full(self.W.shape, np.sqrt(2))
        root[:n, :n] = np.sqrt(np.where(below > 0, less, 1 + self.cross) * (4 - 2 * np.eye(n)))
        half = M.copy()  # H⁻¹ couples pairs of entries: its roots are those of their sums and of their differences
        half[:, :n, :n] += (below.T - below) * np.swapaxes(M[:, :n, :n], 1, 2)
        self.half = (half / root).reshape(self.rows.shape)
        self.pull = self._into(2 * square[:p, p:]).ravel()
        self.pulled = self.solved(self.pull)
        self.curved = float(np.trace(square)) - self.pull @ self.pulled
        self.dX = self.dZ = np.zeros(self.Z.shape)

    def _into(self, M):
        return self.a @ M @ self.b.T

    def solved(self, v):
        """(2H)⁻¹ of a matrix as a vector."""
        n, found = len(self.cross), v.reshape(self.W.shape) / (2 * self.divisor)
        found[:n, :n] -= self.cross * found[:n, :n].T
        return found.ravel()

    def product(self, first=0.0, second=0.0):
        return float(((np.diag(self.d) + first * self.dX) * (np.diag(self.d) + second * self.dZ)).sum())

    def aim(self, target: float):
        """What is asked of 2H W beside Σ λ_k A_k, in coordinates, and of the trace of Z."""
        goal = target * np.eye(self.degree) - np.diag(self.d**2) - (self.dX @ self.dZ + self.dZ @ self.dX) / 2
        self.goal = 2 * goal / (self.d[:, None] + self.d)
        there = self.back.T @ self.goal @ self.back
        aim = self._into(2 * there[: self.p, self.p :] + self.off).ravel()
        return aim, float(np.trace(there) + np.trace(self.Z))

    def turn(self, toward, t: float):
        self.dt = t
        self.dW = self.a.T @ self.solved(toward - self.pull * t).reshape(self.W.shape) @ self.b
        self.dX = self.back @ self._bounded(t, self.dW) @ self.back.T
        self.dZ = self.goal - self.dX

    def most(self):
        root = np.sqrt(np.outer(self.d, self.d))
        least = [np.linalg.eigvalsh(change / root)[0] for change in (self.dX, self.dZ)]
        return tuple(-1 / one if one < 0 else np.inf for one in least)

    def move(self, first: float, second: float):
        self.W, self.t = self.W + first * self.dW, self.t + first * self.dt
        self.X, self.Z = np.diag(self.d) + first * self.dX, np.diag(self.d) + second * self.dZ
        self.X, self.Z = (self.X + self.X.T) / 2, (self.Z + self.Z.T) / 2


class _Entries:
    """|w_i| ≤ t, or ≤ t_i where `each`: two bounds x = t ∓ w an entry, with multipliers z; all arrays are (2, entries).

    Args:
        rows: (m, entries). shape: of their part of W.
    """

    joint = False

    def __init__(self, each: bool, rows, w, shape, options: Options):
        self.rows, self.w, self.shape, self.each, self.shared = rows, w, shape, each, not each
        self.degree, self.t = 2 * len(w), np.abs(w) + np.abs(w).mean() if each else options.larger

    def begin(self, mean: float, dual, bound):
        self.x = np.stack([self.t - self.w, self.t + self.w])
        self.z = mean / self.x if self.each else np.full(self.x.shape, mean / self.t)
        return dual

    def reached(self):
        return self.rows @ self.w

    def whole(self):
        return self.w.reshape(self.shape)

    def size(self):
        return float(np.sum(self.t))

    def scale(self, dual):
        slope = self.z / self.x
        self.sum, self.difference = slope.sum(0), slope[0] - slope[1]
        self.dx = self.dz = np.zeros(self.x.shape)
        self.slope = 4 * slope[0] * slope[1] / self.sum if self.each else self.sum
        self.half, self.combined = self.rows / np.sqrt(self.slope), dual @ self.rows
        self.pull = np.zeros(len(self.w)) if self.each else -self.difference
        self.pulled = self.solved(self.pull)
        self.curved = float(self.sum.sum() - self.pull @ self.pulled)

    def product(self, first=0.0, second=0.0):
        return float(((self.x + first * self.dx) * (self.z + second * self.dz)).sum())

    def solved(self, v):
        return v / self.slope

    def aim(self, target: float):
        self.goal = (target - self.dx * self.dz) / self.x
        aim = self.combined - self.goal[0] + self.goal[1]
        if self.each:
            aim += self.difference * (self.goal.sum(0) - 1.0) / self.sum
        return aim, float(self.goal.sum())

    def turn(self, toward, t: float):
        self.dw = self.solved(toward - self.pull * t)
        self.dt = (self.goal.sum(0) - 1.0 + self.difference * self.dw) / self.sum if self.each else t
        self.dx = np.stack([self.dt - self.dw, self.dt + self.dw])
        self.dz = self.goal - self.z - self.z / self.x * self.dx

    def most(self):
        return _most(self.x, self.dx), _most(self.z, self.dz)

    def move(self, first: float, second: float):
        self.w, self.t = self.w + first * self.dw, self.t + first * self.dt
        self.x, self.z = self.x + first * self.dx, self.z + second * self.dz


class _Powers(_Entries):
    """Σ |w_i|^p/p: an optimum has ψ(w) = |w|^(p−1) sign w = g, the entries of Σ λ_k A_k.

    For p < 2 the inverse of ψ is the smoother one, and w follows from λ. For p > 2 ψ is, w is an unknown of its own,
    and far from ψ⁻¹(g) the slope is that of the secant, which leads there.
    """

    shared, joint, degree, curved = False, True, 0, 0.0

    def __init__(self, norm, rows, w, shape, options: Options):
        self.p, self.q, self.rows, self.w, self.shape, self.options = norm.p, norm.q, rows, w, shape, options

    def begin(self, mean: float, dual, bound):
        best = float(bound @ dual / (np.abs(dual @ self.rows) ** self.q).sum())  # multiple of the multipliers
        return dual * best ** (self.p - 1) if self.p <= 2 and best > 0 else dual

    def size(self):
        return float((np.abs(self.w) ** self.p).sum())

    def scale(self, dual):
        g, p, q = dual @ self.rows, self.p, self.q
        there = _power(g, q - 1)
        if p <= 2:
            self.w, self.off, slope = there, np.zeros(len(g)), (q - 1) * np.abs(g) ** (q - 2)
        else:
            self.off, apart = _power(self.w, p - 1) - g, np.abs(self.w - there)
            far = apart > self.options.far * np.maximum(np.abs(self.w), np.abs(there))
            near = (p - 1) * np.abs(self.w) ** (p - 2)
            curved = np.where(far, np.abs(self.off) / np.where(far, apart, 1.0), near)
            slope = 1.0 / (curved + self.options.flat * curved.max())
        self.slope, self.half, self.pulled = slope, self.rows * np.sqrt(slope), np.zeros(len(g))

    def product(self, first=0.0, second=0.0):
        return 0.0

    def solved(self, v):
        return v * self.slope

    def aim(self, target: float):
        return -self.off, 0.0

    def turn(self, toward, t: float):
        self.dw = self.solved(toward)

    def most(self):
        return np.inf, np.inf

    def move(self, first: float, second: float):
        self.w = self.w + first * self.dw


def _power(values, exponent: float):
    return np.sign(values) * np.abs(values) ** exponent
