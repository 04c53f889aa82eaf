"""Least Frobenius norm of a few hundred inequalities: block principal pivoting on their Gram matrix.

The dual is min ½yᵀGy − bᵀy over y ≥ 0. G = A Aᵀ costs two small products, and A is never formed. Rows change sides in
blocks (Kim and Park, SIAM J. Sci. Comput. 33, 2011): first with a ridge on G, where few pivots are needed from any
start, and then without it. W is refined apart from y, by residuals of the constraints themselves.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs

from attnsvm.svm.constraints import Constraints


@dataclass(frozen=True)
class Options:
    """The numbers that decide in this method; rows have length one.

    Attributes:
        ridges: on the diagonal of G, one after another.
        start: shares of the number of rows, and of the entries of W, that are active at first at most.
        few: share of the active rows whose change ends the search with a ridge.
        pivots: changes of the active set with one ridge at most.
        patience: block changes that need not improve on the best before one row changes alone.
        dependent: pivot of a Cholesky factor below which rows count as dependent; its square is the rounding that
            `refinements` steps remove.
        refinements: of W and y.
        slack: violation, relative to ‖W‖, that rounding alone can cause in a margin: eight ulps.
        doubted: such a violation, relative to the bounds, from which the method fails.
        attempts: how often rows are added that only the refined W shows to be violated.
    """

    ridges: tuple[float, ...] = (0.01, 0.0)
    start: tuple[float, float] = (0.5, 0.6)
    few: float = 0.1
    pivots: int = 30
    patience: int = 3
    dependent: float = 1e-5
    refinements: int = 2
    slack: float = 8 * float(np.finfo(float).eps)
    doubted: float = 2e-11
    attempts: int = 3


OPTIONS = Options()


def least_norm(c: Constraints, options: Options = OPTIONS) -> tuple[np.ndarray, np.ndarray] | None:
    """(W (d, e), multipliers (m,)) of inequalities; None where the method fails.

    It fails where no W exists, where W is so large that rounding can hide an active row, and where active rows are
    nearly dependent, or zero.
    """
    left, queries, query, lengths = c.left, c.factors.queries, c.factors.query, c.lengths()
    if not lengths.all():
        return None
    scale = 1.0 / lengths
    rows, bound = left * scale[:, None], c.bound * scale
    gram = rows @ rows.T
    gram *= (queries @ queries.T)[query][:, query]
    inside = np.zeros(len(c), dtype=bool)
    count = max(1, int(min(options.start[0] * len(c), options.start[1] * left.shape[1] * queries.shape[1])))
    inside[np.argpartition(gram.sum(1) - bound / bound.max(), count)[:count]] = True
    for ridge in options.ridges:
        found = _pivoted(gram, bound, inside, ridge, options)
        if found is None:
            return None
        inside, y, factor = found
    for _ in range(options.attempts):
        active = inside.nonzero()[0]
        if np.abs(factor.diagonal()).min(initial=1.0) < options.dependent:
            return None
        some, others = rows[active], queries[query[active]]
        W = (some * y[:, None]).T @ others
        for _ in range(options.refinements):
            step = dpotrs(factor, bound[active] - ((some @ W) * others).sum(1), lower=1)[0]
            W, y = W + (some * step[:, None]).T @ others, y + step
        slack = (rows * (queries @ W.T)[query]).sum(1) - bound
        slack[active] = np.inf
        rounding = options.slack * float(np.linalg.norm(W))
        if rounding > options.doubted * bound.min(where=bound > 0, initial=np.inf):
            return None
        violated = slack < -rounding
        if not violated.any() and (y >= 0).all():
            dual = np.zeros(len(c))
            dual[active] = y * scale[active]
            return W, dual
        inside[active[y < 0]] = False
        found = _pivoted(gram, bound, inside | violated, 0.0, options)
        if found is None:
            return None
        inside, y, factor = found
    return None


def _pivoted(gram, bound, inside, ridge: float, options: Options):
    """(rows inside (m,) bool, their y, a Cholesky factor of their Gram matrix), or None."""
    fewest, patience = len(bound) + 1, options.patience
    for _ in range(options.pivots):
        active = inside.nonzero()[0]
        across = gram[active]
        square = across[:, active]
        square.flat[:: len(active) + 1] += ridge
        factor, failed = dpotrf(square.T, lower=1, clean=0, overwrite_a=1)
        if failed:
            return None
        y = dpotrs(factor, bound[active], lower=1)[0]
        wrong = y @ across - bound < -options.slack * np.abs(y).sum()
        wrong[active] = y < 0
        count = int(np.count_nonzero(wrong))
        if count <= (options.few * len(active) if ridge else 0):
            return inside ^ wrong, y, factor
        if count < fewest:
            fewest, patience = count, options.patience
        elif patience > 0:
            patience -= 1
        else:  # one row alone, always the last: this ends (Murty 1974)
            wrong[: np.flatnonzero(wrong)[-1]] = False
        inside = inside ^ wrong
    return None
