"""What an answer (W, multipliers) reaches on constraints, and the same answer scaled to where it can be judged.

A bound that measures its margin ("asks", see `constraints.asking`) is met by scaling W. On other rows, equalities and
inequalities of bound zero or nearly so, no scaling helps: what W lacks there counts relative to ‖A_k‖‖W‖.
"""

from dataclasses import dataclass

import numpy as np

from attnsvm.geometry import Norm
from attnsvm.svm.constraints import Constraints
from attnsvm.svm.reductions import outer


@dataclass(frozen=True)
class Options:
    """What rounding may leave.

    Attributes:
        lacking: violation relative to ‖A_k‖‖W‖ that is left as it is; a hundredth of what the checker allows.
        corrections: projections onto violated rows at most; one projection can push another row over its bound.
        rounding: error of ⟨A_k, W⟩ relative to ‖A_k‖‖W‖: sixteen ulps.
        met: distance of the least margin from one from which it is asked whether that is rounding.
        near: distance from one below which it is asked whether the size of the multipliers is one, but for rounding.
        dependent: relative singular value below which the rows of a projection count as dependent: some thousand ulps.
        raised: what `raised` asks for on top of a bound, relative to ‖A_k‖‖W‖: more than rounding W takes.
        numbers: of the rows of a projection, beyond which it is not made.
        lost: share of its bound that W may lack of a row.
        moves: pairs of ulps, times rows, among which `well_rounded` looks for the best.
        pairs: that it moves at most: what takes more is no rounding.
    """

    lacking: float = 1e-11
    corrections: int = 5
    rounding: float = 16 * float(np.finfo(float).eps)
    met: float = 1e-9
    near: float = 0.1
    dependent: float = 1e-12
    raised: float = 8 * float(np.finfo(float).eps)
    numbers: float = 2e7
    lost: float = 9e-7
    moves: float = 1e6
    pairs: int = 64


EXACT = np.longdouble  # 64 bits of mantissa on x86; where it is float64, answers at the edge lose digits
OPTIONS = Options()


def rescaled(c: Constraints, measure: Norm, W: np.ndarray, dual: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """W with smallest margin one, multipliers of dual norm one, and the relative gap between the two values."""
    tight = c.asks
    reached = (c.apply(W)[tight] / c.bound[tight]).min(initial=np.inf)
    if abs(reached - 1) > OPTIONS.met and _noise(c, W, tight) >= abs(reached - 1):
        reached = 1.0  # nothing but rounding
    W = W / reached if 0 < reached < np.inf else W
    size = measure.dual(c.adjoint(dual))
    rounding = OPTIONS.rounding * float(np.abs(dual) @ c.lengths()) if abs(size - 1) < OPTIONS.near else 0.0
    dual = dual / size if size > 0 and abs(size - 1) > rounding else dual
    value = float(measure.value(W))
    return W, dual, (value - float(c.bound @ dual)) / value if value > 0 else 0.0


def _noise(c: Constraints, W: np.ndarray, tight: np.ndarray) -> float:
    """Rounding of the margins that are measured in bounds, relative to them."""
    return OPTIONS.rounding * float(np.linalg.norm(W) * (c.lengths()[tight] / c.bound[tight]).max(initial=0.0))


def binary(size: np.ndarray) -> np.ndarray:
    """Powers of two, by which numbers are divided without rounding, near the sizes given; 1 for a size of zero."""
    return np.exp2(np.round(np.log2(np.where(size > 0, size, 1.0))))


def scalable(c: Constraints) -> bool:
    """Whether scaling W mends every inequality."""
    return bool((c.equality | c.asks).all())


def measured(
    c: Constraints, measure: Norm, W: np.ndarray, dual: np.ndarray
) -> tuple[float, tuple[np.ndarray, np.ndarray]]:
    """The error of an answer, and the answer, `rescaled`.

    That is the gap, or what W lacks on rows that scaling does not mend, whichever is more; infinite where another row
    is violated by more than rounding.
    """
    W, dual, gap = rescaled(c, measure, W, dual)
    least = (c.apply(W)[c.asks] / c.bound[c.asks]).min(initial=np.inf)
    if not least + _noise(c, W, c.asks) > 0:
        gap = np.inf
    return gap if scalable(c) else max(gap, float(_lack(c, W).max())), (W, dual)


def margins(c: Constraints, W: np.ndarray) -> np.ndarray:
    """What W reaches: 1 where a constraint is met exactly, in bounds; infinite on equalities.

    Where the bound does not measure the margin, the excess is in the largest bound, or in ‖A_k‖‖W‖ where that is less.
    """
    reached = np.where(c.asks, c.apply(W), np.inf) / np.where(c.asks, c.bound, 1.0)
    loose = ~c.equality & ~c.asks
    if loose.any():
        unit = np.minimum(c.bound[~c.equality].max(), c.lengths() * np.linalg.norm(W))
        excess = (c.apply(W) - c.bound) / np.where(unit > 0, unit, np.inf)
        reached = np.where(loose, 1.0 + excess, reached)
    return reached


def mended(c: Constraints, W: np.ndarray) -> np.ndarray:
    """W, or `onto_unscaled` of it where rounding left a row violated that no scaling mends."""
    return W if scalable(c) or _lack(c, W).max() <= OPTIONS.lacking else onto_unscaled(c, W)


def onto_unscaled(c: Constraints, W: np.ndarray) -> np.ndarray:
    """The nearest W on the equalities, and on the violated rows whose bound no scaling of W reaches.

    The answer of a conic or an interior-point solver meets these rows only nearly.
    """
    for _ in range(OPTIONS.corrections):
        rows = c[c.equality | (_lack(c, W) > OPTIONS.lacking)]
        if len(rows) == 0:
            break
        missing = rows.bound - rows.apply(W)
        correction = np.linalg.lstsq(outer(rows.left, rows.right), missing, rcond=OPTIONS.dependent)[0]
        W = W + correction.reshape(W.shape)
        if c.asks.sum() + c.equality.sum() == len(c):  # equalities alone
            break
    return W


def raised(c: Constraints, W: np.ndarray) -> np.ndarray:
    """W moved as little as lets each margin exceed its own bound in float64, where rounding of W hides that.

    A row that is a billion times as long as those that make W large has a margin of rounding: to ask for more of it
    costs next to nothing.
    """
    strict, lengths = ~c.equality & (c.bound > 0), c.lengths()
    more = OPTIONS.raised * lengths * np.linalg.norm(W)
    goal = c.bound + np.where(strict & (more > OPTIONS.met * c.bound), more, 0.0)
    for _ in range(OPTIONS.corrections if np.isfinite(goal).all() else 0):
        lacking = strict & (c.apply(W) < (c.bound * (1 - OPTIONS.met) + goal) / 2)
        rows = lacking | c.equality
        if not lacking.any() or np.count_nonzero(rows) * W.size > OPTIONS.numbers:
            break
        held, size = c[rows], np.where(lengths[rows] > 0, lengths[rows], 1.0)
        unit = outer(held.left, held.right) / size[:, None]
        W = W + np.linalg.lstsq(unit, (goal[rows] - held.apply(W)) / size)[0].reshape(W.shape)
    return W


def well_rounded(c: Constraints, W: np.ndarray) -> np.ndarray:
    """W with some entries moved by an ulp until rounding costs no row more than it may lack.

    Where margins cancel, each entry's rounding is larger than that. Two entries move at a time, those that leave the
    least missing.
    """
    rows = ~c.equality & (c.bound > 0)
    rows &= c.apply(W) < c.bound + OPTIONS.raised * c.lengths() * np.linalg.norm(W)
    if np.count_nonzero(rows) * (2 * W.size) ** 2 > OPTIONS.moves:
        return W
    factors, least = c.factors.take(np.flatnonzero(rows)), c.bound[rows] * (1 - OPTIONS.lost)
    tokens, right = factors.tokens.astype(EXACT), factors.queries.astype(EXACT)[factors.query]
    left = tokens[factors.winner] - tokens[factors.loser]
    before = np.inf
    for _ in range(OPTIONS.pairs):
        short = least - ((left @ W) * right).sum(1)
        missing = np.maximum(short / least, 0.0).astype(float)
        if not 0 < missing @ missing < before:
            break
        before = missing @ missing
        one = (outer(left, right) * np.spacing(W).ravel() / least[:, None]).astype(float)
        moves = np.concatenate([one, -one], axis=1)
        after = (short / least).astype(float)[:, None, None] - moves[:, :, None] - moves[:, None, :]
        best = np.unravel_index(np.square(np.maximum(after, 0.0)).sum(0).argmin(), after.shape[1:])
        ulps = np.zeros(2 * W.size)
        np.add.at(ulps, list(best), 1.0)
        W = W + (ulps[: W.size] - ulps[W.size :]).reshape(W.shape) * np.spacing(W)
    return W


def _lack(c: Constraints, W: np.ndarray) -> np.ndarray:
    """What W lacks, relative to ‖A_k‖‖W‖, where the bound does not measure the margin; −∞ on the other rows."""
    loose, size = ~c.equality & ~c.asks, c.lengths() * np.linalg.norm(W)
    return np.where(loose, (c.bound - c.apply(W)) / np.where(size > 0, size, np.inf), -np.inf)
