"""Least ℓp norm, 1 < p < ∞, by a primal-dual interior-point method: its conditions are smooth, and need no cones.

With ψ(w) = |w|^(p−1) sign w an optimum has ψ(W) = Σ λ_k A_k =: g, and slacks s = A(W) − b with s_k λ_k = 0. A Newton
step has a system with one unknown for each constraint, A E Aᵀ + diag(s/λ), where E is the slope of W in g, entry by
entry. For p < 2 the inverse of ψ is the smoother one, and W follows from λ. For p > 2 ψ is, W is an unknown of its own,
and far from ψ⁻¹(g) the slope is that of the secant, which leads there.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs

from attnsvm.svm.methods.rescaling import measured
from attnsvm.svm.reductions import Reduced, lengths, outer


@dataclass(frozen=True)
class Options:
    """The numbers that decide in this method.

    Attributes:
        numbers: of the matrix of the constraints, beyond which it is not formed: 160 MB.
        iterations: at most; ten to twenty are common.
        enough: gap, and what W lacks of a bound, both relative, at which it ends.
        slack: least slack at the start, relative to the largest bound.
        step: share of the way to where a slack or a multiplier ends.
        far: distance of W and ψ⁻¹(g), relative to the larger, from which the slope is that of the secant.
        flat: least curvature, relative to the largest.
    """

    numbers: float = 2e7
    iterations: int = 50
    enough: float = 1e-13
    slack: float = 0.1
    step: float = 0.995
    far: float = 0.01
    flat: float = 1e-12


OPTIONS = Options()


def least_norm(
    problem: Reduced, start: np.ndarray, norm, options: Options = OPTIONS
) -> tuple[float, tuple[np.ndarray, np.ndarray]]:
    """The error, and (W, multipliers), of a feasible problem in a norm l<p>; no number below `enough` if it fails.

    Args:
        start: W of the size of the solution, which meets the constraints.
    """
    c = problem.constraints
    left, right = c.left[problem.kept], c.right[problem.kept]
    scale, unit = lengths(left) * lengths(right), np.abs(start).max()
    rows, bound, free = outer(left, right) / scale[:, None], c.bound[problem.kept] / scale / unit, c.equality
    W, dual = _solved(rows, bound, free[problem.kept], start.ravel() / unit, norm.p, norm.q, options)
    return measured(c, norm, W.reshape(c.shape) * unit, problem.spread(dual / scale))


def _solved(A, b, free, w, p: float, q: float, options: Options):
    """(w, λ) of min Σ |w|^p/p s.t. A w ≥ b, = b where free."""
    m, largest = len(b), np.abs(b).max()
    dual = np.where(free, 0.0, 1.0)
    if p > 2:
        dual *= (np.abs(w) ** p).sum() / (m * largest)
    else:  # the best multiple
        dual *= (b @ dual / (np.abs(dual @ A) ** q).sum()) ** (p - 1) if b @ dual > 0 else 1.0
    g = dual @ A
    w = w if p > 2 else _power(g, q - 1)
    s = np.where(free, 0.0, np.maximum(A @ w - b, options.slack * largest))
    for _ in range(options.iterations):
        slope, off = _slope(w, g, p, q, options)
        missing, mean = A @ w - s - b, s @ dual / m
        if max(mean * m / abs(b @ dual), np.abs(missing).max() / largest) <= options.enough:
            break
        weight = np.where(free, 0.0, 1.0 / np.where(free, 1.0, dual))
        system = (A * slope) @ A.T
        system.flat[:: m + 1] += s * weight
        factor, failed = dpotrf(system.T, lower=1, clean=0, overwrite_a=1)
        if failed:
            break
        goal = A @ (slope * off) - missing
        change = dpotrs(factor, goal - s, lower=1)[0]
        slack = np.where(free, 0.0, -s - s * weight * change)
        length = min(_most(s, slack, free), _most(dual, change, free))
        aimed = (s + length * slack) @ (dual + length * change) / m
        product = np.where(free, 0.0, (aimed / mean) ** 3 * mean - s * dual - slack * change)
        change = dpotrs(factor, goal + product * weight, lower=1)[0]
        slack = (product - s * change) * weight
        length = min(1.0, options.step * min(_most(s, slack, free), _most(dual, change, free)))
        if p > 2:
            w = w + length * slope * (change @ A - off)
        dual, s = dual + length * change, s + length * slack
        g = dual @ A
        w = w if p > 2 else _power(g, q - 1)
    return w, dual


def _slope(w, g, p: float, q: float, options: Options):
    """The slope of W in g, and what ψ(W) is off g."""
    if p <= 2:
        return (q - 1) * np.abs(g) ** (q - 2), np.zeros(len(w))
    there, off = _power(g, q - 1), _power(w, p - 1) - g
    apart = np.abs(w - there)
    far = apart > options.far * np.maximum(np.abs(w), np.abs(there))
    curved = np.where(far, np.abs(off) / np.where(far, apart, 1.0), (p - 1) * np.abs(w) ** (p - 2))
    return 1.0 / (curved + options.flat * curved.max()), off


def _power(values, exponent: float):
    return np.sign(values) * np.abs(values) ** exponent


def _most(values, change, free) -> float:
    """The largest step at which no number that is not free is negative."""
    down = (change < 0) & ~free
    return float((-values[down] / change[down]).min(initial=np.inf))
