"""Judge an answer for lifted tokens from their features alone, sharing no code with the solver.

The problem is the rational one that the float64 features are: token t is exactly place_t ⊗ content_t, so its products
with others are products of exact ones. W = Σ_it ν_it (place_t ⊗ content_t) z_iᵀ, exactly, is not formed. Bounds hold
whatever rounding did: a sum of n products, in any order and with any fused operation, is wrong by at most n·u/(1 − n·u)
times the sum of their absolute values (Higham, Accuracy and Stability of Numerical Algorithms, sec. 3.1). Long sums
are made in chunks and added as a tree, which has the depth of a short sum. Every comparison fails for NaN. Where the
bounds settle nothing and the problem is small, `lifted_exact` decides in whole numbers.

For N tokens of n inputs, with lengths L ≥ ‖token_t‖ ‖z‖, about 130 roundings (of 1.1e-16) remain of each logit,
relative to L Σ |ν_t| L_t. For 4,000 tokens of random directions in 64 to 2,048 dimensions that leaves a gap of 5e-11
where a common part is as long as what differs, of 1.5e-9 where it is ten times longer, and of 6e-8 at a hundred times.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from attnsvm.svm import lifted_exact
from attnsvm.svm.enclosures import UNIT, rounding, total
from attnsvm.svm.verdict import Ranks, Verdict

SPARE = 8  # roundings added to every count, beside those of `rounding`, for operations on the bounds themselves
NOTHING = 2.0**-500  # more than underflow alone does to a logit, features being of ordinary size
ORDINARY = 64  # an array of features is scaled by a power of two where its largest number is not within 2^±64
WEIGHTS = 32  # tokens whose products are known may be multiplied by weights within 2^±32
CHUNKS = {"content": 64, "places": 16, "queries": 8}  # numbers that are summed at a time
AT_ONCE = 2**20  # numbers of features held at a time
TILE = 256  # rows and columns of products made at a time: what is added up stays in the cache
WHOLE = 2**14  # tokens up to which all products are made at once, which takes half the time
MARGIN = 1e-9  # how far the least margin of W, and ‖Σ λ_k A_k‖, may be from one: which W is meant, no proof
CANCELLING = 1e10  # how much larger (Σ |ν_t| L_t)² may be than ‖W‖², else logits have lost their digits
REMOTE = 1e-6  # ‖Σ λ_k A_k‖ relative to Σ λ_k ‖A_k‖ up to which a bound of the norm is worth a status of its own
SMALL = 1e-3  # ‖Σ λ_k A_k‖ relative to Σ |ν_t| L_t up to which it is formed, to see how small it is
FORMED = 2**24  # numbers that are held for that at most
RANK = 1e-6  # of the numerical rank, relative to the largest singular value: products know half of the digits
ROUNDED = "rounding leaves the answer open, and the problem is too large for exact arithmetic"


@dataclass(frozen=True)
class Bounds:
    """Lower and upper bounds, of features and multipliers that are scaled by powers of two.

    Attributes:
        least: of the least margin of W. square: of ‖W‖².
        promise: of Σ λ_k. combined: of ‖Σ λ_k A_k‖².
    """

    least: tuple[float, float]
    square: tuple[float, float]
    promise: tuple[float, float]
    combined: tuple[float, float]

    @property
    def high(self) -> tuple[float, float]:
        """‖W‖ over its least margin, which is an upper bound of the least norm."""
        worst, best = self.least
        return (
            _down(math.sqrt(self.square[0]) / best) if best > 0 else math.inf,
            _up(math.sqrt(self.square[1]) / worst) if worst > 0 else math.inf,
        )

    @property
    def low(self) -> tuple[float, float]:
        """Σ λ_k/‖Σ λ_k A_k‖, which is a lower bound of the least norm."""
        small, large = self.combined
        return (
            _down(self.promise[0] / math.sqrt(large)) if large > 0 else 0.0,
            _up(self.promise[1] / math.sqrt(small)) if small > 0 else math.inf,
        )

    def reason(self, tol: float) -> str:
        """Why these are not the bounds of a solution; "" where they are."""
        (high, highest), (lowest, low) = self.high, self.low
        if self.least[1] <= 0:
            return "a constraint is violated"
        if 0 < high < math.inf and 1 - low / high > tol:
            return "the duality gap is too large"
        if not lowest <= highest:
            return "the bounds exclude one another"
        return "" if highest < math.inf and 1 - lowest / highest + 4 * UNIT <= tol else ROUNDED


class Checker:
    """The tokens and queries of a layer.

    Args:
        content: (N, d), places: (N, p), queries: (n, e).
        owner: (N,) int, the input of every token, growing; every input has tokens.

    Raises:
        ValueError: owner is not that of so many tokens and queries.
    """

    def __init__(self, content, places, queries, owner):
        N = len(owner)
        content, places, queries = (_float64(array) for array in (content, places, queries))
        parts = [_Part.of(array) for array in (content, places, queries)]
        self._hold((content, places, queries, owner), parts, None, N <= WHOLE)
        self.kernel = np.empty((N, N))  # memory is taken by the pages that are written, from the first row on
        if self.whole:
            for some in _slices(TILE, N):
                upto = slice(some.stop)
                self.kernel[some, upto] = self._products(some, upto)
                self.kernel[: some.start, some] = self.kernel[some, : some.start].T

    def _hold(self, features, parts, kernel, whole):
        self.features = self.content, self.places, self.queries, self.owner = features
        _require_growing(self.owner, len(self.content), len(self.places), len(self.queries))
        self.parts, self.kernel, self.whole = parts, kernel, whole
        content, places, queries = parts
        N, owner = len(self.owner), self.owner
        self.made = N if whole else 0  # rows of the kernel
        self._row = np.arange(N) if whole else np.full(N, -1)  # of the kernel, for every token
        self.first = np.searchsorted(owner, np.arange(len(self.queries)))
        self.power = content.power + places.power + queries.power
        self.query_products = _product(queries.array, queries.array, CHUNKS["queries"])
        self.asks = queries.lengths
        self.lengths = content.lengths * places.lengths * queries.lengths[owner] * (1 + 4 * UNIT)
        # how many roundings a product of tokens has, and one of queries
        self.rounded = 1 + _terms(self.content.shape[1], "content") + _terms(self.places.shape[1], "places")
        self.turns = _terms(self.queries.shape[1], "queries")

    def weighted(self, scale) -> "Checker":
        """The same for tokens multiplied by scale (N,), and rounded."""
        places = self.places * scale[:, None]
        content, before, queries = self.parts
        size = np.abs(scale)
        if not (self.whole and before.power == 0 and (size >= 2.0**-WEIGHTS).all() and (size <= 2.0**WEIGHTS).all()):
            return Checker(self.content, places, self.queries, self.owner)
        made = object.__new__(Checker)
        kernel = self.kernel * scale
        kernel *= scale[:, None]
        parts = [content, _Part(places, 0, _lengths(places)), queries]
        made._hold((self.content, places, self.queries, self.owner), parts, kernel, True)
        made.rounded = self.rounded + 6  # the places of both tokens, and the kernel twice
        return made

    def check(self, winner, loser, tol: float, claim) -> Verdict:
        """What is proved of a claim.

        Args:
            winner, loser: (m,) rows of tokens: the logit of the first is to exceed that of the second by 1.
            tol: the relative distance allowed between the bounds of the least norm.
            claim: its status, "solved" or "infeasible"; dual (m,), on which only multiples of about 1e-13 of the
                largest count; and nu (N,) where it is solved: W has least margin one and Σ dual_k A_k norm one.
        """
        if claim.status not in ("solved", "infeasible"):
            return _refused(f"status {claim.status} claims nothing")
        if (self.owner[winner] != self.owner[loser]).any():
            return _refused("a constraint compares tokens of two inputs")
        dual = np.asarray(claim.dual, dtype=float)
        if dual.shape != np.shape(winner):
            return _refused("there is not one multiplier for every constraint")
        if not (np.isfinite(dual) & (dual >= 0)).all():
            return _refused("a multiplier is not finite, or negative on an inequality")
        if not dual.any():
            return _refused("the multipliers promise no positive bound")
        if not all(np.isfinite(part.lengths).all() for part in self.parts):
            return _refused("the features are not finite")
        N = len(self.owner)
        counted, power = _counted(dual, np.bincount(np.concatenate([winner, loser])).max())
        combined = np.bincount(winner, counted, N) - np.bincount(loser, counted, N)  # nothing is rounded
        if claim.status == "infeasible":
            return self._refutation(winner, loser, counted, combined)
        nu = np.asarray(claim.nu, dtype=float)
        if nu.shape != (N,) or not np.isfinite(nu).all():
            return _refused("the solution is not finite")
        if not nu.any():
            return _refused("a constraint is violated")
        return self._solution(winner, loser, tol, nu, counted, combined, power)

    def _solution(self, winner, loser, tol, nu, counted, combined, power):
        scale = math.frexp(np.abs(nu).max())[1]
        scaled = np.ldexp(nu, -scale)
        logits, sums, rounded = self._logits(scaled)
        size, error = self._size(scaled), self._error(scaled, rounded)
        above = logits[winner] - logits[loser]
        room = error[winner] + error[loser]
        least = float((above - room).min()), float((above + room).min())
        bounds = Bounds(least, self._square(scaled, logits, rounded), _promise(counted), self._combined(combined))
        reason, arithmetic = bounds.reason(tol), "floating"
        if reason == ROUNDED and lifted_exact.affordable(self.features, int(((nu != 0) | (combined != 0)).sum())):
            bounds = self._exactly(winner, loser, nu, combined, bounds.promise, scale)
            reason, arithmetic = bounds.reason(tol), "rational"
        if not reason and not size**2 <= CANCELLING * bounds.square[1]:
            reason = "the multipliers of the solution are far larger than it is, and it has lost its digits"
        shift = 2 * self.power + scale
        reached = _scaled(bounds.least[0], shift, False), _scaled(bounds.least[1], shift, True)
        reason = reason or self._misscaled(reached, bounds, power)
        low, high = _scaled(bounds.low[0], -self.power, False), _scaled(bounds.high[1], -self.power, True)
        if reason:
            return _refused(reason, low, high)
        apart = _up(math.sqrt(max(bounds.high[1] - bounds.low[0], 0.0) * (bounds.high[1] + bounds.low[0])))
        off = max(abs(1 - one) for one in reached)  # W is its least margin times a W of least margin one
        radius = _up(_scaled(apart, -self.power, True) + off * high)
        ranks = self._ranks(scaled, sums, rounded, bounds, apart)
        return Verdict("solved", "", low, high, radius, arithmetic, lambda: ranks)

    def _exactly(self, winner, loser, nu, combined, promise, scale):
        exact = lifted_exact.sizes(self.features, winner, loser, nu, combined)
        return Bounds(
            lifted_exact.enclosed(exact.least, -2 * self.power - scale),
            lifted_exact.enclosed(exact.square, -2 * (self.power + scale)),
            promise,
            lifted_exact.enclosed(exact.combined, -2 * self.power),
        )

    def _misscaled(self, reached, bounds, power):
        """Why W or the multipliers are not of the size that is agreed on."""
        if not reached[1] >= 1 - MARGIN:
            return "a constraint is violated"
        if not reached[0] <= 1 + MARGIN:
            return "the least margin of the solution is not one"
        small, large = (_scaled(math.sqrt(one), self.power + power, True) for one in bounds.combined)
        if not small <= 1 + MARGIN:
            return "the multipliers are not dual feasible"
        return "" if large >= 1 - MARGIN else "the combination of the constraints is not of norm one"

    def _refutation(self, winner, loser, counted, combined):
        if self._vanishes(combined):
            return Verdict("infeasible", low=math.inf, arithmetic="rational")
        size = math.sqrt(self._combined(combined)[1])
        if size <= SMALL * self._size(combined):
            size = min(size, self._formed(combined))
        low = _scaled(_down(_promise(counted)[0] / size) if size > 0 else 0.0, -self.power, False)
        lengths = np.sqrt(self._squares(winner, loser))
        if not size <= REMOTE * (counted @ lengths):
            return _refused("the Farkas combination of the constraints is not zero", low)
        if self._surjective(winner, loser, counted, size):
            return Verdict("infeasible", low=math.inf, arithmetic="floating")
        if lifted_exact.farkas(self.features, winner, loser, counted):
            return Verdict("infeasible", low=math.inf, arithmetic="rational")
        return Verdict("remote", "no exact Farkas vector was found", low, arithmetic="floating")

    def _surjective(self, winner, loser, counted, size):
        """Whether multipliers near `counted`, none of them negative, send the sum of the constraints to zero exactly.

        Let the constraints, scaled by powers of two, be the columns of B. If B R is near one for some R, a sum of norm
        `size` is undone by multipliers of norm size/σ, where σ ≥ (1 − ‖1 − B R‖)/‖R‖ is the least singular value of B.
        """
        content, places, queries = (part.array for part in self.parts)
        used = np.flatnonzero(counted)
        a, b, count = winner[used], loser[used], len(used)
        asks = queries[self.owner[a]][:, self.queries[self.owner[a]].any(axis=0)]
        # differences that are zero, as of a constant or of zeros: nothing has to be reached there
        there = [(part[a] != 0).any(axis=0) | (part[b] != 0).any(axis=0) for part in (self.content, self.places)]
        content, places = content[:, there[0]], places[:, there[1]]
        same = [(part[a] == part[b])[:, some] for part, some in zip((self.content, self.places), there, strict=True)]
        alike = same[1].T.astype(float) @ same[0].astype(float)
        rows = (alike < count).sum() * asks.shape[1]
        if rows > count or max(rows, alike.size) * count > FORMED:
            return False
        left = places[a][:, :, None] * content[a][:, None] - places[b][:, :, None] * content[b][:, None]
        B = (left[:, alike < count][:, :, None] * asks[:, None]).reshape(count, -1)
        power = np.frexp(np.linalg.norm(B, axis=1))[1]
        if not np.abs(power).max() < 200:
            return False
        B = np.ldexp(B, -power[:, None]).T
        wrong = np.ldexp(self.lengths[a] + self.lengths[b], -power) * 4 * UNIT  # the entries of B are rounded
        try:
            R = B.T @ np.linalg.inv(B @ B.T)
        except np.linalg.LinAlgError:
            return False
        rest = B @ R
        rest.flat[:: len(rest) + 1] -= 1
        off = _frobenius(rest) + _frobenius(R) * (rounding(SPARE + count) * _frobenius(B) + _frobenius(wrong) + NOTHING)
        least = np.ldexp(counted[used], power).min()
        return bool(off < 1 and size < 0.99 * (1 - off) / _frobenius(R) * least)

    def _vanishes(self, weights):
        """Whether the weighted sum of tokens times queries is zero since equal ones cancel: exact."""
        used = np.flatnonzero(weights)
        their_queries = _numbers(self.queries)[self.owner[used]]
        parts = np.column_stack([_numbers(self.content[used]), _numbers(self.places[used]), their_queries])
        groups = np.unique(parts, axis=0, return_inverse=True)[1].ravel()
        order = np.argsort(groups, kind="stable")
        begin = np.flatnonzero(np.diff(groups[order], prepend=-1))
        zero = parts.min(axis=1) < 0  # an array of zeros is a factor
        return all(zero[rows[0]] or math.fsum(weights[used[rows]]) == 0 for rows in np.split(order, begin[1:]))

    def _products(self, rows, columns):
        """Of tokens, (rows, columns)."""
        content, places, _ = self.parts
        one, other = content.array[rows], places.array[rows]
        contents, others = content.array[columns], places.array[columns]
        found = np.empty((len(one), len(contents)))
        for some in _slices(TILE, len(contents)):
            found[:, some] = _product(one, contents[some], CHUNKS["content"])
            found[:, some] *= _product(other, others[some], CHUNKS["places"])
        return found

    def _logits(self, weights):
        """(N,) of Σ weights token zᵀ; the products (n, N) of the sum of every input with every token; roundings."""
        sums, used = np.zeros((len(self.queries), len(self.owner))), np.flatnonzero(weights)
        new = used[self._row[used] < 0]
        for some in _slices(TILE, len(new)):
            rows = new[some]
            place = slice(self.made, self.made + len(rows))
            self.kernel[place] = self._products(rows, slice(None))
            self._row[rows], self.made = np.arange(place.start, place.stop), place.stop
        most = 0
        for mine in np.split(used, np.searchsorted(self.owner[used], np.arange(1, len(self.queries)))):
            if len(mine):
                sums[self.owner[mine[0]]] = weights[mine] @ self.kernel[self._row[mine]]
                most = max(most, len(mine))
        terms = np.take(self.query_products, self.owner, axis=1)
        terms *= sums
        logits, depth = _added(terms)
        return logits, sums, self.rounded + most + self.turns + 1 + depth

    def _size(self, weights):
        """An upper bound of Σ |weight_t| L_t."""
        return total(np.abs(weights) * self.lengths) * (1 + 8 * UNIT)

    def _error(self, weights, rounded):
        """(N,) by how much a logit is wrong at most."""
        return rounding(SPARE + rounded) * self._size(weights) * self.lengths + NOTHING

    def _square(self, weights, logits, rounded):
        """Bounds of ‖Σ weights token zᵀ‖²."""
        value = total(weights * logits)
        error = rounding(SPARE + rounded) * self._size(weights) ** 2 + len(weights) * NOTHING
        return max(value - error, 0.0), max(value + error, 0.0)

    def _combined(self, weights):
        logits, _, rounded = self._logits(weights)
        return self._square(weights, logits, rounded)

    def _formed(self, weights):
        """An upper bound of ‖Σ weights token zᵀ‖_F from its numbers, infinite where they are too many."""
        content, places, queries = self.parts
        used = np.flatnonzero(weights)
        inputs, begin = np.unique(self.owner[used], return_index=True)
        width = places.array.shape[1] * content.array.shape[1]
        if width * max(len(inputs), queries.array.shape[1]) > FORMED:
            return math.inf
        left, most = np.empty((len(inputs), width)), 0
        for number, mine in enumerate(np.split(used, begin[1:])):
            left[number] = ((places.array[mine] * weights[mine, None]).T @ content.array[mine]).ravel()
            most = max(most, len(mine))
        sums = left.T @ queries.array[inputs]
        error = 2 * rounding(SPARE + most + 2 + len(inputs)) * self._size(weights) + NOTHING
        return _frobenius(sums) + error

    def _squares(self, winner, loser):
        """(m,) of the lengths of constraints, rounded."""
        content, places, queries = (part.array for part in self.parts)
        found = np.empty(len(winner))
        for some in _slices(AT_ONCE // content.shape[1] + 1, len(winner)):
            a, b = winner[some], loser[some]
            one, other, both = (
                np.einsum("td,td->t", content[s], content[t]) * np.einsum("tp,tp->t", places[s], places[t])
                for s, t in ((a, a), (b, b), (a, b))
            )
            found[some] = np.maximum(one + other - 2 * both, 0.0)
        return found * np.einsum("ie,ie->i", queries, queries)[self.owner[winner]]

    @cached_property
    def _frame(self):
        """Columns (e, k) that are nearly orthonormal and span the queries, which they make triangular (k, n)."""
        return np.linalg.qr(self.parts[2].array.T)

    def _ranks(self, weights, sums, rounded, bounds, apart):
        """Statements about the rank of W* from the singular values of W, the solution being within `apart` of it.

        For vectors V, nearly orthonormal, the smallest eigenvalue of (WV)ᵀ(WV) bounds as many singular values from
        below (Courant and Fischer), and W less its part on V is at least as long as its distance to that rank.
        """
        frame, triangle = self._frame
        gram = np.add.reduceat(weights * sums, self.first, axis=1)  # of the sums of tokens of every input
        gram = (gram + gram.T) / 2
        value, vector = np.linalg.eigh(triangle @ gram @ triangle.T)
        sigma = np.sqrt(np.maximum(value[::-1], 0.0))
        rank = max(1, int((sigma > RANK * sigma[0]).sum()))
        V = frame @ vector[:, ::-1][:, :rank]
        queries = self.parts[2].array
        chunk, n = CHUNKS["places"], len(queries)
        on = _product(queries, np.ascontiguousarray(V.T), chunk)
        inner = _product(np.ascontiguousarray(V.T), np.ascontiguousarray(V.T), chunk)
        squares = _product(np.ascontiguousarray(on.T), _product(np.ascontiguousarray(on.T), gram, chunk), chunk)
        length = math.sqrt(max(np.diag(inner).max(), 0.0)) * 1.01
        tokens = int(np.diff(self.first, append=len(weights)).max())  # of one input, which `gram` sums
        terms = 2 * _terms(len(V), "places") + 2 * _terms(n, "places") + tokens
        error = rank * rounding(SPARE + rounded + terms) * (length * self._size(weights)) ** 2 + rank * NOTHING
        inexact = rank * rounding(SPARE + _terms(len(V), "places")) * length**2
        skew = _up(float(np.linalg.norm(inner - np.eye(rank))) + inexact)
        diagonal = np.diag(squares)
        off = float(np.linalg.norm(squares - np.diag(diagonal)))
        least = np.minimum.accumulate(diagonal) - off - error
        least = np.sqrt(np.maximum(least, 0.0) / (1 + skew)) / bounds.least[1] * (1 - 8 * UNIT)
        rest = bounds.square[1] - _down(_down(max(total(diagonal) - error, 0.0)) / (1 + skew))
        tail = _up(math.sqrt(max(rest, 0.0)) / bounds.least[0])
        full = rank == min(n, queries.shape[1], self.content.shape[1] * self.places.shape[1])
        least_rank = int((least > apart).sum())
        return Ranks(rank, least_rank, rank, 0.0 if full else _up((apart + tail) / bounds.low[0]))


@dataclass(frozen=True)
class _Part:
    """Features of one kind: array · 2^power, and upper bounds of the lengths of the rows of the array."""

    array: np.ndarray
    power: int
    lengths: np.ndarray

    @staticmethod
    def of(array):
        largest = max(float(array.max(initial=0.0)), -float(array.min(initial=0.0)))
        power = math.frexp(largest)[1] if 0 < largest < math.inf else 0
        if abs(power) <= ORDINARY:
            return _Part(array, 0, _lengths(array))
        scaled = np.ldexp(array, -power)
        return _Part(scaled, power, _lengths(scaled))


def _require_growing(owner, tokens: int, places: int, queries: int) -> None:
    """Sums over an input are made from its first token to the next one's."""
    steps = np.diff(owner, prepend=-1, append=queries)
    if not (owner.dtype.kind in "iu" and len(owner) == tokens == places and ((steps == 0) | (steps == 1)).all()):
        raise ValueError("owner: the inputs of the tokens must grow, and every input must have tokens")


def _float64(array):
    """The same numbers: the bounds of rounding are those of float64, and NaN where a wider type would be rounded."""
    array = np.asarray(array)
    narrow = array.dtype.kind == "f" and array.dtype.itemsize <= 8
    return array.astype(np.float64, copy=False) if narrow else np.full(array.shape, math.nan)


def _refused(reason, low=0.0, high=math.inf):
    return Verdict("uncertified", reason, low, high)


def _counted(dual, most):
    """Multipliers rounded down to multiples of a power of two, of which sums of `most` are exact, and a power.

    The multipliers are about the first times two to the second. Any that are not negative prove a bound, and near the
    best ones it changes by the square of their change.
    """
    power, bits = math.frexp(dual.max())[1], 52 - int(most).bit_length()
    return np.ldexp(np.floor(np.ldexp(dual, bits - power)), -bits), power


def _promise(counted):
    whole = total(counted)
    return whole * (1 - 2 * UNIT), whole * (1 + 2 * UNIT)


def _product(a, b, chunk):
    """a @ b.T with the error of a sum of `chunk` products and of the depth of a tree; see `_terms`."""
    width = a.shape[1]
    if width <= chunk:
        return a @ b.T
    half = -(-width // chunk) // 2 * chunk
    found = _product(a[:, :half], b[:, :half], chunk)
    found += _product(a[:, half:], b[:, half:], chunk)
    return found


def _terms(width, name):
    """How many roundings a product has that `_product` makes."""
    chunk = CHUNKS[name]
    return width if width <= chunk else chunk + (-(-width // chunk) - 1).bit_length()


def _added(terms):
    """The sum of the rows (which are overwritten) as a tree, and its depth."""
    count, depth = len(terms), 0
    while count > 1:
        half = count // 2
        terms[:half] += terms[count - half : count]
        count, depth = count - half, depth + 1
    return terms[0], depth


def _lengths(rows):
    """Upper bounds of their lengths; their squares may vanish."""
    return np.sqrt(np.einsum("ij,ij->i", rows, rows)) * (1 + rounding(SPARE + rows.shape[1])) + NOTHING


def _frobenius(array):
    """An upper bound of its norm."""
    return float(np.linalg.norm(array)) * (1 + rounding(SPARE + array.size)) + NOTHING


def _up(value):
    return math.nextafter(value * (1 + 8 * UNIT), math.inf)


def _down(value):
    down = math.nextafter(value * (1 - 8 * UNIT), -math.inf)
    return down if down > 0 else 0.0


def _scaled(value, power, up):
    """value · 2^power, rounded up or down."""
    try:
        return math.nextafter(math.ldexp(value, power), math.inf if up else -math.inf)
    except OverflowError:
        return math.inf if up else float(np.finfo(float).max)


def _numbers(rows):
    """(N,) int: equal for equal rows, and for no others; −1 for rows of zeros."""
    known: dict[bytes, int] = {}
    every = (known.setdefault((row + 0.0).tobytes(), len(known)) if row.any() else -1 for row in rows)
    return np.fromiter(every, dtype=int, count=len(rows))


def _slices(step, count):
    """Of that many rows each, but for the last."""
    return [slice(start, min(start + step, count)) for start in range(0, count, step)]
