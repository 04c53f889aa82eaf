"""Max-margin separation of lifted tokens in the Frobenius norm, by multipliers of tokens: W is never formed.

Token t of input i is place_t ⊗ content_t, its query z_i. W = Σ_it ν_it (place_t ⊗ content_t) z_iᵀ is held as ν, and all
that is asked of it follows from the kernel (content·content')(place·place')(z·z'). One kernel serves every selection.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from scipy.sparse import csr_array

from attnsvm.svm.audit_log import judged
from attnsvm.svm.lifted_checker import Checker
from attnsvm.svm.methods.pivoting import MET, Growing
from attnsvm.svm.solution import Status
from attnsvm.system import machine
from attnsvm.system.errors import require

# Relative gap up to which an answer counts as solved. Bounds of rounding leave a gap of 5e-11 for thousands of tokens,
# and of 1.5e-9 where a common part makes tokens ten times longer than their differences; see `lifted_checker`.
TOLERANCE = 1e-8
RIDGES = (1e-9, 1e-7, 1e-5)  # the first that suffices where equal tokens or rounding make a Gram matrix singular
ROUGH = 1e-4  # relative violation down to which a working set may hold a ridge
GROWTH = 0.5  # how many constraints come in at a time, relative to the support
RISE = 1e-6  # relative growth of the least norm below which a working set drops nothing
START = 2  # constraints of each input that a working set starts with
AT_ONCE = 1024  # rows of the kernel made at a time
INVERSE = 5  # steps of inverse iteration
CLOSE = 1e-13  # squared distance of tokens, relative to their length, that products of tokens do not see
NEAR = "a token is so near to the selected one that rounding hides their difference"
WHOLE = 2**14  # tokens up to which the kernel is made at once; above, the rows that a working set asks for


class Features(NamedTuple):
    """N tokens of n inputs, one input after another.

    Attributes:
        content: (N, d), places: (N, p).
        queries: (n, e).
        owner: (N,) int, the input of every token, growing.
    """

    content: np.ndarray
    places: np.ndarray
    queries: np.ndarray
    owner: np.ndarray


@dataclass(frozen=True)
class Answer:
    """One solved, or refuted, problem; `verdict` says what is proved.

    Attributes:
        nu: (N,) W in multipliers of tokens; NaN unless solved.
        dual: (N − n,) one multiplier for every token that is not selected, in their order.
        value: ‖W‖_F, rounded; infinite unless solved.
        low, high: rigorous bounds of the least norm; both infinite where infeasible.
        radius: ‖W − W*‖_F is at most this, W* being the solution; NaN unless solved.
        arithmetic: "floating" or "rational"; "" where uncertified.
        rank: numerical rank of W; 0 unless solved.
        rank_low: rank that the solution has at least.
        rank_bound, rank_error: the solution is within rank_error, relative to the least norm, of that rank.
        rejected: why no more is proved.
    """

    status: Status
    nu: np.ndarray
    dual: np.ndarray
    value: float
    low: float = 0.0
    high: float = np.inf
    radius: float = np.nan
    arithmetic: str = ""
    rank: int = 0
    rank_low: int = 0
    rank_bound: int = 0
    rank_error: float = np.nan
    rejected: str = ""

    @property
    def solved(self) -> bool:
        return self.status is Status.SOLVED

    @property
    def gap(self) -> float:
        """(high − low)/high, at most; infinite where no upper bound is known."""
        return 1 - self.low / self.high if self.high < np.inf else np.inf


class Kernel:
    """The kernel of the tokens of a layer, whatever they select.

    Attributes:
        tokens: (N, N) products of the lifted tokens; with more than `WHOLE` tokens, the rows that were asked for, one
            after another as they were: memory is taken by the pages that are written, which may be large.
        products: (n, n) of the queries.
        whole: whether all products were made at once. made: how many rows of `tokens` are.
        first: (n,) where the tokens of an input begin.
    """

    def __init__(self, features: Features):
        N = len(features.content)
        _require_memory(N, min(N, WHOLE))
        if N <= WHOLE:
            tokens = features.content @ features.content.T
            tokens *= features.places @ features.places.T
        else:
            tokens = np.empty((N, N))
        self._hold(features, tokens, features.queries @ features.queries.T, None, N <= WHOLE)

    def _hold(self, features, tokens, products, derived, whole):
        self.features, self.tokens, self.products, self.whole = features, tokens, products, whole
        self._derived: Callable[[], Checker] | None = derived
        self._row = np.arange(len(tokens)) if whole else np.full(len(tokens), -1)  # of `tokens`, for every token
        self.made = len(tokens) if whole else 0
        owner = features.owner
        self.first = np.searchsorted(owner, np.arange(owner[-1] + 1))
        content, places = features.content, features.places
        self._squares = np.diag(tokens) if whole else _squares(content) * _squares(places)

    @cached_property
    def checker(self) -> Checker:
        """It makes a kernel of its own, once: a part or a weighted kernel has that of the whole to cut or to weigh."""
        return Checker(*self.features) if self._derived is None else self._derived()

    def across(self, other: Features) -> tuple[np.ndarray, np.ndarray]:
        """(N, N') of these tokens and (n, n') of these queries with those of other inputs."""
        mine = self.features
        tokens = mine.content @ other.content.T
        tokens *= mine.places @ other.places.T
        return tokens, mine.queries @ other.queries.T

    def logits(self, nu: np.ndarray) -> np.ndarray:
        """(N,) of the W with these multipliers."""
        self._ask(np.flatnonzero(nu))
        return expanded(self.tokens, self.products, self.features.owner, self.features.owner, nu, self._row)

    def gram(self, a: tuple[np.ndarray, np.ndarray], b: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
        """Products of constraints, each given by the rows of winners and of losers; one winner for each input."""
        (winner, loser), (others, lost), owner = a, b, self.features.owner
        wins = self.first.copy()
        wins[owner[winner]], wins[owner[others]] = winner, others
        self._ask(np.concatenate([wins, loser]))
        best, below = self._row[wins], self._row[loser]
        mine, whose, among = owner[loser], owner[lost], self.tokens[np.ix_(best, wins)]
        above = self.tokens[np.ix_(best, lost)] - np.take(among, whose, axis=1)  # winners with differences
        found = self.tokens[np.ix_(below, lost)]
        found -= np.take(above, mine, axis=0)
        found -= np.take(self.tokens[np.ix_(below, wins)], whose, axis=1)
        found *= np.take(self.products[mine], whose, axis=1)
        return found

    def squares(self, winner: np.ndarray, loser: np.ndarray) -> np.ndarray:
        """The squared lengths of constraints."""
        self._ask(winner)
        own, owner = self._squares, self.features.owner[winner]
        lengths = own[winner] - 2 * self.tokens[self._row[winner], loser] + own[loser]
        return np.maximum(lengths, 0.0) * self.products[owner, owner]

    def sizes(self, rows: np.ndarray) -> np.ndarray:
        """The squared lengths of tokens, times those of their queries."""
        owner = self.features.owner[rows]
        return self._squares[rows] * self.products[owner, owner]

    def weighted(self, scale: np.ndarray) -> "Kernel":
        """The same for tokens multiplied by scale (N,)."""
        features = self.features._replace(places=self.features.places * scale[:, None])
        if not self.whole:
            return Kernel(features)
        tokens = self.tokens * scale
        tokens *= scale[:, None]
        return self._with(features, tokens, self.products, lambda: self.checker.weighted(scale))

    @staticmethod
    def _with(features, tokens, products, checker) -> "Kernel":
        made = object.__new__(Kernel)
        made._hold(features, tokens, products, checker, True)
        return made

    def _ask(self, rows):
        """Make the products of these tokens with all tokens, where they are not known."""
        new = np.unique(rows[self._row[rows] < 0])
        if len(new):
            _require_memory(len(self._row), len(new))
            content, places = self.features.content, self.features.places
            for some in np.array_split(new, len(new) // AT_ONCE + 1):
                made = self.tokens[self.made : self.made + len(some)]
                np.matmul(content[some], content.T, out=made)
                made *= places[some] @ places.T
                self._row[some] = self.made + np.arange(len(some))
                self.made += len(some)

    def constraints(self, selected: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The rows of winner and loser of every constraint, for the selected token (n,) of every input."""
        wins = self.first + selected
        lose = np.delete(np.arange(len(self.features.owner)), wins)
        return wins[self.features.owner[lose]], lose


def _squares(rows):
    return np.einsum("ij,ij->i", rows, rows)


def _require_memory(N, rows):
    """UserError unless products of so many of N tokens with all of them fit, here and in the checker."""
    need, free = 3 * 8.0 * N * rows, machine.memory()
    sentence = f"{N} tokens need {need / 1e9:.1f} GB more to be compared, {free / 1e9:.1f} GB are free: "
    require(need < free, sentence + "inspect fewer inputs or shorter texts")


def expanded(tokens, products, owner, asks, nu, row=None) -> np.ndarray:
    """Logits (N',) of tokens from multipliers (N,) of others.

    Args:
        tokens: (N, N'), products: (n, n'), see `Kernel.across`; owner: (N,), asks: (N',), the inputs of both.
        row: (N,) int, where `tokens` has the products of each token; None: in order.
    """
    sums = _by_input(owner, nu, row) @ tokens
    sums *= np.take(products, asks, axis=1)
    return sums.sum(0)


def _by_input(owner, nu, row=None) -> csr_array:
    """(n, N): a row of multipliers for every input, at the places `row` of their tokens, in the order of the tokens."""
    used = np.flatnonzero(nu)
    begin = np.searchsorted(owner[used], np.arange(owner[-1] + 2))
    return csr_array((nu[used], used if row is None else row[used], begin), shape=(owner[-1] + 1, len(owner)))


def solve(kernel: Kernel, selected: np.ndarray, near: np.ndarray | None = None) -> Answer:
    """The W of least Frobenius norm that separates the selected tokens, judged by the checker.

    Args:
        selected: (n,) token numbers within each input.
        near: (N,) logits of a W that is known to separate them; the working set starts with its least margins.
    """
    winner, loser = kernel.constraints(selected)
    squares = kernel.squares(winner, loser)
    apart = squares > CLOSE * kernel.sizes(loser)
    if not apart.all():  # a token equal to the one selected, or a query that is zero
        answer = _judged(kernel, winner, loser, _refutation(kernel, np.where(apart, 0.0, 1.0)))
        return replace(answer, rejected=answer.rejected and NEAR)
    length = np.sqrt(squares)
    dual = _dual(kernel, winner, loser, length, None if near is None else near[winner] - near[loser])
    return _judged(kernel, winner, loser, _claim(kernel, winner, loser, dual))


def refuted(kernel: Kernel, selected: np.ndarray, dual: np.ndarray) -> Answer:
    """The answer that no W separates, by the multipliers (N − n,) given, judged by the checker."""
    winner, loser = kernel.constraints(selected)
    return _judged(kernel, winner, loser, _refutation(kernel, dual))


def spread(winner: np.ndarray, loser: np.ndarray, dual: np.ndarray, N: int) -> np.ndarray:
    """(N,) multipliers of tokens from those of constraints; they add up to zero in every input."""
    return np.bincount(winner, dual, N) - np.bincount(loser, dual, N)


def _dual(kernel, winner, loser, length, margins) -> np.ndarray:
    """Multipliers (m,); zeros where no ridge suffices."""
    start = _closest(kernel.features.owner[loser], length if margins is None else margins / length)
    for ridge in RIDGES:
        try:
            return _grown(kernel, winner, loser, length, start, ridge)
        except LinAlgError:  # not positive definite after rounding
            continue
    return np.zeros(len(winner))


def _grown(kernel, winner, loser, length, added, ridge) -> np.ndarray:
    """Multipliers (m,), by a working set that grows by the constraints that its solution violates most."""
    working, dual, inside = Growing(ridge), np.zeros(len(winner)), np.zeros(len(winner), dtype=bool)
    most = 0.0
    while True:
        cross, inner = (
            kernel.gram((winner[added], loser[added]), (winner[rows], loser[rows])) for rows in (working.rows, added)
        )
        cross /= np.outer(length[added], length[working.rows])
        inner /= np.outer(length[added], length[added])
        working.extend(added, cross, inner, 1 / length[added])
        working.solve()
        inside[:] = False
        inside[working.rows] = True
        for refined in (False, True):
            dual[:] = 0.0
            dual[working.rows] = working.x / length[working.rows]
            logits = kernel.logits(spread(winner, loser, dual, len(kernel.features.owner)))
            missing = 1 - (logits[winner] - logits[loser])
            lacking = np.flatnonzero((missing > (MET if refined else ROUGH)) & ~inside)
            if len(lacking) or refined:
                break
            working.refine()
        if len(lacking) == 0 or not dual.any():
            return dual
        if dual.sum() > (1 + RISE) * most:  # else rounding has the word: what is dropped could come back
            most = dual.sum()
            working.shrink()
        count = max(len(kernel.first), int(GROWTH * working.positive.sum()))
        added = lacking[np.argsort(-missing[lacking] / length[lacking])][:count]


def _closest(owner, size) -> np.ndarray:
    """The `START` smallest of every input."""
    order = np.lexsort((size, owner))
    begin = np.searchsorted(owner, np.unique(owner))
    place = np.arange(len(owner)) - np.repeat(begin, np.diff([*begin, len(owner)]))
    return order[place < START]


def _claim(kernel, winner, loser, dual) -> Answer:
    """That these multipliers are optimal, scaled; or, where their W does not separate, that none does."""
    nu = spread(winner, loser, dual, len(kernel.features.owner))
    logits = kernel.logits(nu)
    least, square = float((logits[winner] - logits[loser]).min()), float(nu @ logits)
    if not (least > 0 and square > 0):
        return _refutation(kernel, _nullified(kernel, winner, loser, dual))
    size = np.sqrt(square)
    return Answer(Status.SOLVED, nu / least, dual / size, size / least)


def _nullified(kernel, winner, loser, dual) -> np.ndarray:
    """Multipliers whose combination of the constraints is closer to zero: inverse iteration on their support."""
    rows = np.flatnonzero(dual)
    length = np.sqrt(kernel.squares(winner[rows], loser[rows]))
    gram = kernel.gram((winner[rows], loser[rows]), (winner[rows], loser[rows])) / np.outer(length, length)
    try:
        factor = cho_factor(gram + RIDGES[0] * np.eye(len(rows)), check_finite=False)
    except LinAlgError:
        return dual
    found = dual.copy()
    for _ in range(INVERSE):
        found[rows] = np.maximum(cho_solve(factor, found[rows] * length, check_finite=False) / length, 0.0)
        found /= found.sum()
    return found


def _refutation(kernel, dual) -> Answer:
    nothing = np.full(len(kernel.features.owner), np.nan)
    return Answer(Status.INFEASIBLE, nothing, dual / dual.sum() if dual.any() else dual, np.inf)


def _judged(kernel, winner, loser, claim: Answer) -> Answer:
    found = kernel.checker.check(winner, loser, TOLERANCE, claim)
    judged[found.status] += 1
    proved = {name: getattr(found, name) for name in ("low", "high", "radius", "arithmetic")} | found.ranks._asdict()
    return replace(claim, status=Status(found.status), rejected=found.reason, **proved)
