"""Least ℓp norm of large matrices, 1 < p < ∞, by the dual, which is smooth and has one variable for each constraint.

For g = Σ λ_k A_k the dual is min ½‖g‖_q² − bᵀλ over λ ≥ 0 on the inequalities, and W = ‖g‖_q^(2−q) |g|^(q−1) sign g has
the margins that the gradient lacks. A quasi-Newton method ends at some nine digits; Newton steps on the rows that have
multipliers then, with the Hessian itself, find the rest.
"""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

from attnsvm.svm.methods.rescaling import measured
from attnsvm.svm.reductions import Reduced, lengths, outer


@dataclass(frozen=True)
class Options:
    """The numbers that decide in this method.

    Attributes:
        entries: of W, from which on it is asked before a conic solver: below, that takes milliseconds.
        numbers: of the matrix of the constraints, beyond which it is not formed: 160 MB.
        iterations: of the quasi-Newton method; for p near 1 or far above 2 it needs too many.
        steps: Newton steps at most, on rows whose multipliers, relative to the largest, are above `active`.
        enough: relative gap at which it ends.
    """

    entries: int = 401
    numbers: float = 2e7
    iterations: int = 1000
    steps: int = 6
    active: float = 1e-9
    enough: float = 1e-13


OPTIONS = Options()


def least_norm(problem: Reduced, norm, options: Options = OPTIONS) -> tuple[float, tuple[np.ndarray, np.ndarray]]:
    """The error, and (W, multipliers), of a feasible problem in a norm l<p>; the error is infinite where it fails."""
    c, q = problem.constraints, norm.q
    left, right = c.left[problem.kept], c.right[problem.kept]
    scale = lengths(left) * lengths(right)
    rows, bound, free = outer(left, right) / scale[:, None], c.bound[problem.kept] / scale, c.equality[problem.kept]
    unit = np.abs(bound).max()
    bound = bound / unit

    def primal(y):
        """‖g‖_q, |g|/‖g‖_q, and W of the multipliers y."""
        g = y @ rows
        size = max(float(norm.dual(g[None])), float(np.finfo(float).tiny))
        share = np.abs(g) / size
        return size, share, size * np.sign(g) * share ** (q - 1)

    def dual(y):
        size, _, W = primal(y)
        return size * size / 2 - bound @ y, rows @ W - bound

    limits, start = [(None if equal else 0.0, None) for equal in free], bound * (bound @ bound) / primal(bound)[0] ** 2
    settings = {"maxiter": options.iterations, "maxcor": 30, "ftol": 0.0, "gtol": 1e-14}
    y = minimize(dual, start, jac=True, method="L-BFGS-B", bounds=limits, options=settings).x
    best, answer = np.inf, (np.zeros(c.shape), np.zeros(len(c)))
    for _ in range(options.steps):
        _, share, W = primal(y)
        error, found = measured(c, norm, W.reshape(c.shape) * unit, problem.spread(y * unit / scale))
        if error < best:
            best, answer = error, found
        if best < error or best <= options.enough:
            break
        held = free | (y > options.active * y.max())
        A, slope = rows[held], np.sign(W) * share ** (q - 1)
        hessian = (A * ((q - 1) * np.maximum(share, np.finfo(float).eps) ** (q - 2))) @ A.T
        hessian += (2 - q) * np.outer(A @ slope, A @ slope)
        step = np.zeros(len(y))
        step[held] = np.linalg.lstsq(hessian, bound[held] - A @ W)[0]
        y = np.where(free, y + step, np.maximum(y + step, 0.0))
    return best, answer
