"""What a claim proves, from the constraints alone, in NumPy and rationals, sharing no code with the solvers.

The float64 numbers of tokens, queries and bounds are taken as they are: exact rationals, and so is the difference of
two tokens. The matrices A_k = (tokens[winner_k] − tokens[loser_k]) queries[query_k]ᵀ are never formed.

Lower bound of the least norm: bᵀλ/‖Σ λ_k A_k‖_dual for any λ that is not negative on inequalities. Upper bound: W
divided by its least relative margin. Where rows are equalities, or their bounds do not measure margins (zero, or
nearly), W is moved onto these rows first: a matrix that meets them exactly lies within ‖missing‖/σ_min of W. Every
rounding is bounded (`enclosures`). Where these bounds do not decide, the products are formed exactly (`rational`).
"""

import math
import re
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import NamedTuple

import numpy as np

from attnsvm.svm import rational
from attnsvm.svm.enclosures import (
    NOTHING,
    TINY,
    UNIT,
    Matrix,
    every,
    finite,
    frobenius,
    of_product,
    positive,
    product,
    ratio,
    rounding,
    row_lengths,
    row_products,
    smallest_eigenvalue,
    terms,
    total,
)
from attnsvm.svm.verdict import Ranks, Verdict, relative_gap, rounded_down

SMALL = 1e-3  # share of the largest bound up to which a bound does not measure its margin
REMOTE = 1e6  # how many times the norm that some row asks for alone, for "no W of a smaller norm" to be an answer
LACKING = 2.0**-20  # share of its bound that W may lack of a row; and how far it may be from what meets all, relative
UNEQUAL = 1e-9  # what W may lack, relative to ‖A_k‖‖W‖, of a row whose bound is zero, or that is an equality
HUGE = 1e50  # beyond it, products of numbers that vanish count for more than NOTHING
COORDINATES, ENTRIES = 4096, 2**25  # of a combination that may be made exactly zero: a Cholesky factor, and its rows
CLEAR = 16.0  # times that a singular value must exceed what is missing to zero
HELD = 600  # rows that can be held at once: their Gram matrix is inverted
RANK, RANK_ELSEWHERE = 1e-9, 1e-6  # singular values above, relative to the largest, count: fro, and other norms
VANISHING = 1e-140  # length of a vector whose square would lose digits
MULTIPLE = 1e-5  # distance to the largest singular value of the dual matrix, relative, that still counts as equal
AT_ONCE = 2**20  # numbers of the token differences held at a time

# The norms, defined in `enclosures`, and their dual norms; l<p> has a rule.
DUAL = {
    "fro": "fro",
    "nuc": "spectral",
    "spectral": "nuc",
    "l1": "linf",
    "linf": "l1",
    "rowmax": "rowsum",
    "rowsum": "rowmax",
    "hybrid": "hybrid dual",  # which is a bound here, and no norm of an answer
}
UNITARILY_INVARIANT = ("fro", "nuc", "spectral")
EXPONENTS = (Fraction("1.01"), Fraction(100))  # of the norms l<p>
POWER = re.compile(r"l[0-9]{1,3}(\.[0-9]{1,30})?")
EXACT = 2**53  # integers up to it are float64 numbers


def known(norm: str) -> bool:
    """Whether there is a norm of this name."""
    return norm in DUAL or (bool(POWER.fullmatch(norm)) and EXPONENTS[0] <= Fraction(norm[1:]) <= EXPONENTS[1])


def dual_of(norm: str) -> str:
    """The name of the dual norm; the exponent of an l<q> is rounded down, which makes the norm larger."""
    if norm in DUAL:
        return DUAL[norm]
    p = Fraction(norm[1:])
    q = p / (p - 1)
    near = float(q)
    return f"l{near if near <= q else math.nextafter(near, 1.0)!r}"


class Problem:
    """The constraints ⟨A_k, W⟩ ≥ bound_k, or = bound_k where `equality`.

    Args:
        matrices: (tokens (N, d), queries (n, e), winner (m,), loser (m,), query (m,)), the last three row numbers.
        bound: (m,), equality: (m,) bool.
    """

    def __init__(self, matrices, bound: np.ndarray, equality: np.ndarray):
        self.matrices, self.bound, self.equality = matrices, bound, equality
        self.tokens, self.queries, self.winner, self.loser, self.query = matrices
        self.shape = self.tokens.shape[1], self.queries.shape[1]
        mixed = np.count_nonzero(equality) > 0
        largest = (bound[~equality] if mixed else bound).max(initial=0.0)
        self.asks = bound > SMALL * largest
        if mixed:
            self.asks &= ~equality
        self.scalable = every(self.asks)  # whether scaling W mends every row
        step = AT_ONCE // self.shape[0] + 1
        self.parts = [slice(start, start + step) for start in range(0, len(bound), step)]
        self.asking = row_lengths(self.queries)
        self._few = self._left(slice(None)) if len(self.parts) == 1 else None
        self.lengths = self._by_part(self._sizes)  # (m,) upper bounds of ‖A_k‖_F

    def __len__(self) -> int:
        return len(self.bound)

    def asks_nothing(self) -> bool:
        """Whether W = 0 meets the constraints."""
        if self.scalable and len(self):
            return False
        return bool((self.bound <= 0).all() and not self.bound[self.equality].any())

    def left(self, rows) -> np.ndarray:
        return self._left(rows) if self._few is None else self._few[rows]

    def _left(self, rows):
        return self.tokens[self.winner[rows]] - self.tokens[self.loser[rows]]

    def _by_part(self, compute) -> np.ndarray:
        if len(self.parts) == 1:
            return compute(slice(None))
        return np.concatenate([compute(part) for part in self.parts]) if self.parts else np.zeros(0)

    def _sizes(self, rows):
        return row_lengths(self.left(rows)) * self.asking[self.query[rows]] * (1 + rounding(0)) + NOTHING

    def products(self, on, size: float, count: int) -> tuple[np.ndarray, np.ndarray]:
        """⟨A_k, W⟩ (m,), and bounds of their errors.

        Args:
            on: (n, d), W z of every query, each entry the result of `count` roundings.
            size: a bound of ‖W‖_F; of a W in factors, of the product of their norms.
        """
        reached = self._by_part(lambda rows: row_products(self.left(rows), on[self.query[rows]]))
        return reached, rounding(terms(self.shape[0]) + count + 2) * size * self.lengths + NOTHING

    def combination(self, dual: np.ndarray) -> tuple[np.ndarray, float]:
        """Σ_k dual_k A_k (d, e), and a bound of its error in the Frobenius norm."""
        heavy, total = dual.nonzero()[0], np.zeros(self.shape)
        step = max(1, min(512, AT_ONCE // self.shape[0]))
        for start in range(0, len(heavy), step):
            rows = heavy[start : start + step]
            total += (self.left(rows).T * dual[rows]) @ self.queries[self.query[rows]]
        count = min(len(heavy), step) + len(heavy) // step
        return total, rounding(count + 3) * self.weight(dual) + NOTHING

    def weight(self, dual: np.ndarray) -> float:
        """A bound of Σ_k |dual_k| ‖A_k‖_F."""
        return total(np.abs(dual) * self.lengths) * (1 + rounding(0))

    def combined(self, dual: np.ndarray) -> Matrix:
        """Σ_k dual_k A_k as a product, of the weighted token differences of every query and of the queries."""
        heavy = np.flatnonzero(dual)
        used, place = np.unique(self.query[heavy], return_inverse=True)
        sums = np.zeros((max(len(used), 1), self.shape[0]))
        for start in range(0, len(heavy), 512):
            some = slice(start, start + 512)
            np.add.at(sums, place[some], dual[heavy[some], None] * self.left(heavy[some]))
        whole = of_product(sums.T, self.queries[used].T if len(used) else np.zeros((self.shape[1], 1)))
        most = int(np.bincount(place, minlength=1).max(initial=0))
        whole.error += rounding(most + 3) * self.weight(dual) + NOTHING
        return whole

    def scaled(self, dual: np.ndarray) -> np.ndarray:
        """The multipliers times a power of two, so that the largest of |dual_k| ‖A_k‖ is near one."""
        largest = float((np.abs(dual) * self.lengths).max(initial=0.0))
        return np.ldexp(dual, -math.frexp(largest)[1]) if 0 < largest < math.inf else dual

    def promised(self, dual: np.ndarray) -> float:
        """A lower bound of Σ_k bound_k dual_k."""
        each = self.bound * dual
        whole = total(each)
        if not self.scalable:  # elsewhere each is a product of two that are not negative
            each = np.abs(each)
            return whole - rounding(0) * total(each) - NOTHING
        return whole - rounding(0) * whole - NOTHING


def check(matrices, bound: np.ndarray, equality: np.ndarray, norm: str, tol: float, claim) -> Verdict:
    """What the claim proves of min ‖W‖ subject to ⟨A_k, W⟩ ≥ bound_k.

    Args:
        matrices, bound, equality: see `Problem`.
        norm: one of DUAL, or "l<p>".
        tol: the relative distance allowed between the bounds of a solved problem.
        claim: its status ("solved" or "infeasible") and dual, and W or, where these are not None, its factors
            (left (d, r), right (e, r)) with W = left @ right.T. Factors are taken in the norms UNITARILY_INVARIANT.
    """
    if claim.status not in ("solved", "infeasible", "remote"):
        return Verdict("uncertified", f"status {claim.status} claims nothing")
    if not known(norm):
        return Verdict("uncertified", f"there is no norm {norm}")
    arrays = _arrays(matrices, bound, equality, claim)
    if arrays is None:
        return Verdict("uncertified", "the arrays are not those of a problem and its answer, or no float64 numbers")
    matrices, bound, equality, dual, parts = arrays
    if not (finite(dual) and every((dual >= 0) | equality)):
        return Verdict("uncertified", "a multiplier is not finite, or negative on an inequality")
    if not (finite(bound) and 0 < tol < 1):
        return Verdict("uncertified", "a bound or the tolerance is not finite")
    wide = getattr(claim, "factors", None) is not None
    if wide and norm not in UNITARILY_INVARIANT:
        return Verdict("uncertified", f"the norm {norm} of a product is not known from its factors")
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        problem = Problem(matrices, bound, equality)
        if not (_ordinary(problem.tokens) and _ordinary(problem.queries)):
            return Verdict("uncertified", "a token or a query is not finite, or too large to judge")
        dual = problem.scaled(dual)
        if claim.status != "solved":
            return _refutation(problem, norm, dual, wide)
        return _solution(problem, norm, tol, None if wide else parts[0], tuple(parts) if wide else None, dual)


def _arrays(matrices, bound, equality, claim):
    """(matrices, bound, equality, dual, parts of W) in float64, in C order, as products depend on it in the last digit;
    None where one is of another shape, or would have to be rounded.

    The bounds of rounding are those of float64: narrower numbers become what they are, wider ones are not taken.
    """
    tokens, queries, *rows = matrices
    *rows, equality = (_array(array) for array in (*rows, equality))
    factors = getattr(claim, "factors", None)
    matrices_of_W = () if claim.status != "solved" else (claim.W,) if factors is None else factors
    tokens, queries, bound, dual, *parts = map(_float64, (tokens, queries, bound, claim.dual, *matrices_of_W))
    if not (tokens.ndim == queries.ndim == 2 and bound.ndim == 1 and dual.shape == equality.shape == bound.shape):
        return None
    counts = len(tokens), len(tokens), len(queries)
    if equality.dtype != bool or not all(map(_places, rows, bound.shape * 3, counts)):
        return None
    rows = [row.astype(np.int64, copy=False) for row in rows]  # of mixed kinds they would join to floats
    shape, width = (tokens.shape[1], queries.shape[1]), parts[-1].shape[-1:] if parts else ()
    expected = [shape] if factors is None else [(size, *width) for size in shape]
    if 0 in shape or (claim.status == "solved" and [part.shape for part in parts] != expected):
        return None
    return (tokens, queries, *rows), bound, equality, dual, parts


def _array(value) -> np.ndarray:
    """The same as an array; without axes where it is masked or none."""
    try:
        return np.array(math.nan) if np.ma.is_masked(value) else np.asarray(value, order="C")
    except ValueError:  # lists of different lengths
        return np.array(math.nan)


def _float64(value) -> np.ndarray:
    """The same numbers; without axes, and so of no shape that is asked for, where they are to be rounded."""
    array = value if type(value) is np.ndarray and value.flags.c_contiguous else _array(value)
    if array.dtype == np.float64:
        return array
    integers = array.dtype.kind in "biu" and (
        array.size == 0 or -EXACT <= int(array.min()) <= int(array.max()) <= EXACT
    )
    if integers or (array.dtype.kind == "f" and array.dtype.itemsize <= 8):
        return array.astype(np.float64, copy=False)
    return np.array(math.nan)


def _places(rows: np.ndarray, m: int, count: int) -> bool:
    """Whether these are m numbers of rows of an array with `count` rows."""
    if not (rows.shape == (m,) and rows.dtype.kind in "iu"):
        return False
    return every(rows.astype(np.uint64) < count)  # where a negative number is a huge one


def _ordinary(array: np.ndarray) -> bool:
    """Whether every number is finite and smaller than HUGE. False for NaN, wherever it is."""
    return float(np.vdot(array, array)) < HUGE**2 / 4 or every(np.abs(array) < HUGE)


# ---- a solution


def _solution(problem: Problem, norm: str, tol: float, W, factors, dual) -> Verdict:
    whole = Matrix(W.copy()) if factors is None else of_product(*factors)
    if not finite(whole.core):
        return Verdict("uncertified", "the solution is not finite")
    M = Matrix(*problem.combination(dual)) if factors is None else problem.combined(dual)
    if factors is None:
        on, size, count = product(problem.queries, W.T), whole.size, terms(W.shape[1])
    else:
        left, right = factors
        on = product(product(problem.queries, right), left.T)
        size, count = frobenius(left) * frobenius(right), terms(len(right)) + terms(right.shape[1])
    return _decided(problem, norm, tol, W, dual, whole, M, *problem.products(on, size, count))


def _decided(problem: Problem, norm: str, tol: float, W, dual, whole: Matrix, M: Matrix, reached, error) -> Verdict:
    """The verdict on a solution, by floating bounds, or by exact products where these do not decide.

    Args:
        W: (d, e), or None where it is held as factors. whole, M: enclosures of W and of Σ dual_k A_k.
        reached, error: ⟨A_k, W⟩ (m,) and bounds of their errors.
    """
    verdict = _by_bounds(problem, norm, tol, W, dual, whole, M, reached, error)
    hopeless = verdict.status == "uncertified" and verdict.high == math.inf
    if hopeless and verdict.low >= REMOTE * _alone(problem, norm) > 0:  # then the multipliers are worth more than W
        return _refutation(problem, norm, dual, W is None)
    return verdict


def _by_bounds(problem, norm, tol, W, dual, whole, M, reached, error) -> Verdict:
    """See `_decided`."""
    value, low = whole.norm(norm), _lower(problem, norm, M, dual)
    own = _own(problem, W, UNEQUAL * whole.norm("fro"), reached, error)
    moved = _moved(problem, norm, value, reached, error)
    verdict = _bracketed(problem, norm, tol, whole, own, M, low, moved, "floating")
    if verdict.status == "solved" or W is None or not rational.affordable(problem.matrices, W, dual, problem.equality):
        return verdict
    exact = rational.Products(problem.matrices)
    M = Matrix(*exact.combination(dual))
    low = _lower(problem, norm, M, dual)
    reached, error = exact.margins(W)
    moved = _moved(problem, norm, value, reached, error)
    second = _bracketed(problem, norm, tol, whole, own, M, low, moved, "rational")
    if second.status == "solved":
        return second
    projected = exact.projected(W, problem.bound, problem.equality, dual)
    if projected is None:
        return verdict
    there, away = projected  # a matrix that meets all constraints, and its distance to W
    moved = Moved(there.norm(norm) * (1 + rounding(0)), 1.0, away, 1.0)
    own &= value <= moved.high * (1 + LACKING)
    third = _bracketed(problem, norm, tol, whole, own, M, low, moved, "rational")
    return third if third.status == "solved" else verdict


def _lower(problem: Problem, norm: str, M: Matrix, dual) -> float:
    """A lower bound of the norm of every W that meets the constraints."""
    promised, size = problem.promised(dual), M.norm(dual_of(norm))
    return promised / size * (1 - rounding(0)) if promised > 0 and 0 < size < math.inf else 0.0


class Moved(NamedTuple):
    """A matrix that meets the constraints.

    Attributes:
        high: a bound of its norm; infinite where none was found.
        scale: it is `scale` times a matrix within `distance` of W, in the Frobenius norm.
        distance: see above.
        margin: the least relative margin of W, as far as bounds measure margins.
    """

    high: float
    scale: float
    distance: float
    margin: float


def _moved(problem: Problem, norm: str, value: float, reached, error) -> Moved:
    """W scaled, and before that moved onto the rows that scaling does not mend."""
    bound, equality, asks = problem.bound, problem.equality, problem.asks
    lower = reached - error
    relative = lower / bound if problem.scalable else lower[asks] / bound[asks]
    margin = float(relative.min(initial=math.inf))
    overflown = problem.scalable and margin == math.inf and len(problem) > 0
    if overflown or not margin > 0:
        return Moved(math.inf, 1.0, 0.0, margin)
    if problem.scalable:
        scale = 1 / margin * (1 + rounding(0)) if margin < math.inf else 0.0
        return Moved(value * scale, scale, 0.0, margin)
    held = equality.copy()
    for _ in range(4):
        distance = _distance(problem, held, np.abs(bound - reached) + error)
        if not distance < math.inf:
            break
        left = lower - problem.lengths * distance
        if distance > 0:
            left -= 4 * UNIT * np.abs(lower)  # of the subtraction; where nothing moves it is exact
        # Scaling moves rows that are held at another bound than zero: only upwards where they may exceed it.
        pinned = bool((held & ((bound < 0) | (equality & (bound != 0)))).any())
        free = asks & ~held
        least = float((left[free] / bound[free]).min(initial=math.inf))
        shorter = 1 < least < math.inf and not (~free & (bound != 0)).any()
        scale = 1.0 if pinned or not (0 < least < 1 or shorter) else 1 / least
        scale *= 1 + rounding(0) if scale != 1 else 1.0
        met = np.where(free & ~np.bool_(pinned), left > 0, left * np.where(left < 0, scale, 1.0) >= bound)
        lacking = ~held & ~met
        if not lacking.any():
            high = (value + ratio(norm, problem.shape) * distance) * scale * (1 + rounding(0))
            return Moved(high, scale, distance, margin)
        held |= lacking
    return Moved(math.inf, 1.0, 0.0, margin)


def _distance(problem: Problem, held, missing) -> float:
    """A bound of the Frobenius distance to a matrix that changes ⟨A_k, W⟩ by up to missing_k where `held`."""
    rows = np.flatnonzero(held)
    zero = ~(problem.left(rows).any(1) & problem.queries[problem.query[rows]].any(1))
    if problem.bound[rows[zero]].any():
        return math.inf
    rows = rows[~zero]
    if len(rows) == 0:
        return 0.0
    if len(rows) > HELD:
        return math.inf
    query = problem.query[rows]
    left, right = problem.left(rows), problem.queries[query]
    sizes = np.sqrt(row_products(left, left)), np.sqrt(row_products(right, right))
    if not min(sizes[0].min(), sizes[1].min()) > VANISHING:
        return math.inf
    size = sizes[0] * sizes[1]
    left, right = left / sizes[0][:, None], right / sizes[1][:, None]  # before products of four lengths can underflow
    gram = product(left, left.T) * product(right, right.T)
    error = len(rows) * rounding(terms(problem.shape[0]) + terms(problem.shape[1]) + 8)
    least = smallest_eigenvalue(gram, error)
    share = missing[rows] / size * (1 + rounding(sum(problem.shape)))
    return frobenius(share[:, None]) / math.sqrt(least) * (1 + rounding(0)) if least > 0 else math.inf


def _own(problem: Problem, W, unequal: float, reached, error) -> bool:
    """Whether W itself has every margin, each relative to its own bound: exactly, where floating bounds do not say.

    Args:
        unequal: what it may lack where the row asks for zero, relative to ‖A_k‖.
    """
    bound, equality = problem.bound, problem.equality
    allowed = np.where((bound > 0) & ~equality, LACKING * bound, unequal * problem.lengths + 10 * NOTHING)
    lacking = np.where(equality, np.abs(bound - reached), bound - reached)
    held = lacking + error <= allowed
    if not every(held) and W is not None and every(lacking - error <= allowed):
        rows = np.flatnonzero(~held)
        if (exact := rational.margins(problem.matrices, rows, W)) is not None:
            lacking = bound[rows] - exact[0]
            held[rows] = np.where(equality[rows], np.abs(lacking), lacking) + exact[1] <= allowed[rows]
    return every(held)


def _bracketed(problem, norm, tol, whole, own: bool, M, low, moved: Moved, arithmetic: str) -> Verdict:
    """The verdict from both bounds, and from what W itself is."""
    high = moved.high
    size = whole.norm("fro")
    if problem.asks_nothing():  # W = 0 meets everything
        high = low = 0.0
        if whole.core.any():
            return Verdict("uncertified", "W = 0 meets the constraints, and the solution is not zero")
    elif not moved.margin > 0:
        return Verdict("uncertified", "a constraint is violated", low=low)
    elif not high < math.inf:
        return Verdict("uncertified", "no matrix near the solution is proved to meet the constraints", low=low)
    refused = partial(Verdict, "uncertified", low=low, high=high)
    if not 0 <= relative_gap(low, high) <= tol:
        return refused(f"the duality gap is too large: the least norm is between {float(low)!r} and {float(high)!r}")
    off = abs(moved.scale - 1) if high > 0 else 0.0
    if not off <= LACKING:
        return refused(f"a constraint is violated, or none is tight: {moved.scale:.9g} times the solution is meant")
    if not moved.distance <= LACKING * size + TINY * 10:
        return refused(
            f"a constraint is violated: the solution is {moved.distance:.1e} away from what meets all of them"
        )
    if not own:
        return refused("W as it is in float64 lacks too much of a bound, or is longer than what meets all of them")
    radius = math.nan
    if norm == "fro":
        spread = math.sqrt(max(0.0, (high - low) * (high + low))) * (1 + rounding(0))
        radius = (spread + moved.distance * moved.scale + abs(moved.scale - 1) * size) * (1 + rounding(0))
        if high == 0 and whole.error > 0:  # the solution is zero, and factors may multiply to what no float shows
            radius = size
        if not radius <= 10 * math.sqrt(2 * tol) * size + TINY * 10:
            return refused(f"the solution is {radius:.1e} away from W")
        counted = partial(_ranks_by_distance, whole, low, radius)
    elif norm == "nuc":
        counted = partial(_ranks_by_dual, whole, M, low, high)
    else:
        counted = partial(_any_rank, whole, low)
    return Verdict("solved", "", low, high, radius, arithmetic, counted)


def _rank(whole: Matrix, share: float) -> int:
    """How many singular values count: those above a share of the largest."""
    singular = whole.singular_values
    return int((singular > share * singular.max(initial=0.0)).sum())


def _ranks_by_distance(whole: Matrix, low: float, radius: float) -> Ranks:
    """Frobenius norm: the singular values of the solution are within `radius` of those of W (Weyl)."""
    rank = _rank(whole, RANK)
    least = int((whole.at_least() > radius).sum())
    left = whole.at_most()[rank:]
    error = (radius + frobenius(left[:, None]) + whole.error) / low if low > 0 else 0.0
    return Ranks(rank, least, rank, error * (1 + rounding(0)))


def _ranks_by_dual(whole: Matrix, M: Matrix, low: float, high: float) -> Ranks:
    """Nuclear norm: all singular values of a solution but the largest r add up to the gap/(1 − σ_{r+1}(M)/‖M‖) at most.

    For ‖M‖ ≤ 1, ⟨M, W⟩ ≤ Σ σ_i(M) σ_i(W) (von Neumann), which is ≤ ‖W‖ − (1 − σ_{r+1}(M)) Σ_{i>r} σ_i(W).
    """
    rank, most, k = _rank(whole, RANK_ELSEWHERE), M.at_most(), min(M.shape)
    top = float(most.max(initial=0.0))
    if not (top > 0 and low > 0):
        return Ranks(rank, rank_error=0.0)
    bound = _rank(M, 1 - MULTIPLE)
    if bound >= k:
        return Ranks(rank, 1, k, 0.0)
    rest = 1 - float(most[bound]) / top if bound < len(most) else 1.0
    return Ranks(rank, 1, bound, (high - low) / rest / low * (1 + rounding(0)) if rest > 0 else math.nan)


def _any_rank(whole: Matrix, low: float) -> Ranks:
    return Ranks(_rank(whole, RANK_ELSEWHERE), int(low > 0), min(whole.shape), 0.0)


# ---- a refutation


def _refutation(problem: Problem, norm: str, dual, wide: bool) -> Verdict:
    """An exact Farkas vector exists near the multipliers; or they bound the norm of every W from below."""
    infeasible = Verdict("infeasible", "", math.inf, math.inf, arithmetic="floating")
    if not problem.promised(dual) > 0:
        return Verdict("uncertified", "the Farkas certificate promises no positive bound")
    if _nothing(problem, dual):
        return infeasible
    distance = math.inf if wide else _changed(problem, dual)
    each = total(np.abs(problem.bound * dual))
    if distance < 1 and problem.promised(dual) - distance * each * (1 + rounding(0)) > 0:
        return infeasible
    if rational.refutation(problem.matrices, dual, problem.bound, problem.equality) is not None:
        return replace(infeasible, arithmetic="rational")
    M = problem.combined(dual) if wide else Matrix(*problem.combination(dual))
    low = _lower(problem, norm, M, dual)
    if math.inf > low >= REMOTE * _alone(problem, norm) > 0:
        least = f"every W has a norm of {rounded_down(low)} at least"
        reason = f"no multipliers are proved to combine the constraints to zero: {least}"
        return Verdict("remote", reason, low, math.inf, arithmetic="floating")
    return Verdict("uncertified", "the Farkas combination of the constraints is not zero", low)


def _alone(problem: Problem, norm: str) -> float:
    """An upper bound of the norm that some row asks for alone; infinite where a row is too short to know."""
    rows = np.flatnonzero((problem.bound > 0) | (problem.equality & (problem.bound != 0)))
    left, right = problem.left(rows), problem.queries[problem.query[rows]]
    sizes = np.sqrt(row_products(left, left)), np.sqrt(row_products(right, right))
    if not min(size.min(initial=math.inf) for size in sizes) > VANISHING:
        return math.inf
    lengths = sizes[0] * sizes[1] * (1 - rounding(terms(problem.shape[0]) + terms(problem.shape[1])))
    return (
        float((np.abs(problem.bound[rows]) / lengths).max(initial=0.0)) * ratio(norm, problem.shape) * (1 + rounding(0))
    )


def _nothing(problem: Problem, dual) -> bool:
    """Whether each matrix with a multiplier is zero itself."""
    heavy = np.flatnonzero(dual)
    here = problem.queries[problem.query[heavy]].any(1)
    return not problem.left(heavy)[here].any()


def _changed(problem: Problem, dual) -> float:
    """A bound of the relative change of the multipliers that makes their combination exactly zero; infinite if unknown.

    Columns B_k = dual_k A_k with Σ B_k = R, coordinates scaled by powers of two: the u of least length with B u = −R
    has ‖u‖ ≤ ‖R‖/σ_min(Bᵀ), and dual_k (1 + u_k) combine the constraints to zero. It is asked whether σ_min is `CLEAR`
    times as long as R. Of many columns only the longest are changed.
    """
    heavy = np.flatnonzero(dual)
    d, e = problem.shape
    most = ENTRIES // (d * e)
    some = len(heavy) > most
    if most == 0:
        return math.inf
    if some:
        heavy = np.sort(heavy[np.argsort(-np.abs(dual * problem.lengths)[heavy], kind="stable")[:most]])
    left, right = problem.left(heavy), problem.queries[problem.query[heavy]]
    # No multipliers change what is exactly zero in every matrix.
    used = ((left != 0).T.astype(float) @ (right != 0) > 0).ravel()
    rows = ((left * dual[heavy, None])[:, :, None] * right[:, None, :]).reshape(len(heavy), d * e)
    if not 0 < np.count_nonzero(used) < min(len(heavy), COORDINATES + 1) or (some and not used.all()):
        return math.inf  # the others may have what these have not
    total, lost = problem.combination(dual)
    rows, total = rows[:, used], total.ravel()[used]
    sizes = np.sqrt(row_products(rows.T, rows.T))
    if not sizes.min() > VANISHING:
        return math.inf
    scale = np.ldexp(1.0, -np.frexp(sizes)[1])
    rows *= scale
    rest = (frobenius((total * scale)[:, None]) + lost * float(scale.max())) * (1 + rounding(0))
    error = rounding(terms(len(heavy)) + 8) * frobenius(rows) ** 2
    return 1 / CLEAR if positive(product(rows.T, rows), (CLEAR * rest) ** 2 * (1 + rounding(0)) + error) else math.inf
