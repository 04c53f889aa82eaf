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

from attnsvm.errors import require
from attnsvm.svm import memory
from attnsvm.svm.ledger import judged
from attnsvm.svm.lifted_checker import RANK, Checker
from attnsvm.svm.solution import Status

TOLERANCE = 1e-10  # relative gap up to which an answer counts as solved, as in the Frobenius norm elsewhere
RIDGES = (1e-9, 1e-7, 1e-5)  # the first that suffices where equal tokens or rounding make a Gram matrix singular
RISE = 1e-6  # relative growth of the least norm below which a working set drops nothing
MET = 1e-11  # relative violation up to which a working set is complete
START = 2  # constraints of each input that a working set starts with
PIVOTS = 500
INVERSE = 5  # steps of inverse iteration
PROXIMAL = 20  # steps that take the ridge out again


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
    """One solved, or refuted, problem; the numbers as in `solution.Solution`.

    Attributes:
        nu: (N,) W in multipliers of tokens; NaN unless solved.
        dual: (N − n,) one multiplier for every token that is not selected, in their order.
        value: ‖W‖_F.
    """

    status: Status
    nu: np.ndarray
    dual: np.ndarray
    value: float
    gap: float
    rank: int
    rejected: str = ""

    @property
    def solved(self) -> bool:
        return self.status is Status.SOLVED


class Kernel:
    """The kernel of the tokens of a layer, whatever they select.

    Attributes:
        tokens: (N, N) products of the lifted tokens; products: (n, n) of the queries.
        first: (n,) where the tokens of an input begin.
    """

    def __init__(self, features: Features):
        N = len(features.content)
        need, free = 3 * 8.0 * N**2, memory.available()  # with the kernel of the checker
        sentence = f"{N} tokens need {need / 1e9:.1f} GB to be compared, {free / 1e9:.1f} GB are free: "
        require(need < free, sentence + "inspect fewer inputs or shorter texts")
        self.features = features
        self.tokens = features.content @ features.content.T
        self.tokens *= features.places @ features.places.T
        self.products = features.queries @ features.queries.T
        self._derived: Callable[[], Checker] | None = None
        self._index()

    def _index(self):
        owner = self.features.owner
        self.first = np.searchsorted(owner, np.arange(owner[-1] + 1))

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
        return expanded(self.tokens, self.products, self.features.owner, self.features.owner, nu)

    def gram(self, a: tuple[np.ndarray, np.ndarray], b: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
        """Products of constraints, each given by the rows of winners and of losers."""
        (winner, loser), (others, lost), owner = a, b, self.features.owner
        rows = self.tokens[winner]
        rows -= self.tokens[loser]
        found = np.take(rows, others, axis=1)
        found -= np.take(rows, lost, axis=1)
        found *= np.take(self.products[owner[winner]], owner[others], axis=1)
        return found

    def squares(self, winner: np.ndarray, loser: np.ndarray) -> np.ndarray:
        """The squared lengths of constraints."""
        own = np.diag(self.tokens)
        owner = self.features.owner[winner]
        lengths = own[winner] - 2 * self.tokens[winner, loser] + own[loser]
        return np.maximum(lengths, 0.0) * self.products[owner, owner]

    def weighted(self, scale: np.ndarray) -> "Kernel":
        """The same for tokens multiplied by scale (N,)."""
        features = self.features._replace(places=self.features.places * scale[:, None])
        tokens = self.tokens * scale * scale[:, None]
        return self._with(features, tokens, self.products, lambda: self.checker.weighted(scale))

    def take(self, rows: np.ndarray) -> "Kernel":
        """The same for some of the tokens, and the queries that still have one."""
        content, places, queries, owner = self.features
        left, number = np.unique(owner[rows], return_inverse=True)
        features = Features(content[rows], places[rows], queries[left], number)
        tokens, products = self.tokens[np.ix_(rows, rows)], self.products[np.ix_(left, left)]
        return self._with(features, tokens, products, lambda: self.checker.take(rows))

    @staticmethod
    def _with(features, tokens, products, checker) -> "Kernel":
        made = object.__new__(Kernel)
        made.features, made.tokens, made.products, made._derived = features, tokens, products, checker
        made._index()
        return made

    def constraints(self, selected: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The rows of winner and loser of every constraint, for the selected token (n,) of every input."""
        wins = self.first + selected
        lose = np.delete(np.arange(len(self.features.owner)), wins)
        return wins[self.features.owner[lose]], lose


def expanded(tokens, products, owner, asks, nu) -> np.ndarray:
    """Logits (N',) of tokens from multipliers (N,) of others.

    Args:
        tokens: (N, N'), products: (n, n'), see `Kernel.across`; owner: (N,), asks: (N',), the inputs of both.
    """
    sums = _by_input(owner, nu) @ tokens
    sums *= np.take(products, asks, axis=1)
    return sums.sum(0)


def _by_input(owner, nu) -> csr_array:
    """(n, N): a row of multipliers for every input."""
    used = np.flatnonzero(nu)
    return csr_array((nu[used], (owner[used], used)), shape=(owner[-1] + 1, len(owner)))


def solve(kernel: Kernel, selected: np.ndarray, near: np.ndarray | None = None) -> Answer:
    """The W of least Frobenius norm that separates the selected tokens, judged by the checker.

    Args:
        selected: (n,) token numbers within each input.
        near: (N,) logits of a W that is known to separate them; the working set starts with its least margins.
    """
    winner, loser = kernel.constraints(selected)
    squares = kernel.squares(winner, loser)
    if not (squares > 0).all():  # a token equal to the one selected, or a query that is zero
        return _judged(kernel, winner, loser, _refutation(kernel, np.where(squares > 0, 0.0, 1.0)))
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
    """Multipliers (m,), by a working set that grows by the constraints that its solution violates most."""
    inside = _closest(kernel.features.owner[loser], length if margins is None else margins / length)
    dual, most = np.zeros(len(winner)), 0.0
    while True:
        rows = np.flatnonzero(inside)
        scale = length[rows]
        gram = kernel.gram((winner[rows], loser[rows]), (winner[rows], loser[rows])) / np.outer(scale, scale)
        found = _nonnegative(gram, 1 / scale)
        dual[:] = 0.0
        dual[rows] = found / scale
        logits = kernel.logits(spread(winner, loser, dual, len(kernel.features.owner)))
        missing = 1 - (logits[winner] - logits[loser])
        lacking = np.flatnonzero((missing > MET) & ~inside)
        if len(lacking) == 0 or not dual.any():
            return dual
        added = lacking[np.argsort(-missing[lacking] / length[lacking])][: max(len(kernel.first), len(rows) // 2)]
        if found @ (1 / scale) > (1 + RISE) * most:  # else rounding has the word: what is dropped could come back
            most = found @ (1 / scale)
            inside[:] = dual > 0
        inside[added] = True


def _closest(owner, size) -> np.ndarray:
    """(m,) bool: the `START` smallest of every input."""
    order = np.lexsort((size, owner))
    begin = np.searchsorted(owner, np.unique(owner))
    place = np.arange(len(owner)) - np.repeat(begin, np.diff([*begin, len(owner)]))
    inside = np.zeros(len(owner), dtype=bool)
    inside[order[place < START]] = True
    return inside


def _nonnegative(C: np.ndarray, b: np.ndarray) -> np.ndarray:
    """argmin ½ xᵀCx − bᵀx over x ≥ 0, for a diagonal of ones."""
    for ridge in RIDGES:
        try:
            return _pivoted(C, b, ridge)
        except LinAlgError:  # not positive definite after rounding
            continue
    return np.zeros(len(b))


def _pivoted(C, b, ridge) -> np.ndarray:
    """Block principal pivoting (Júdice and Pires 1994), which begins with all of x positive.

    The ridge makes every step well defined; steps of the proximal method on the final support take it out again.
    """
    ridged, positive = C + ridge * np.eye(len(C)), np.ones(len(b), dtype=bool)
    fewest, patience, x = len(b) + 1, 3, np.zeros(len(b))
    for _ in range(PIVOTS):
        part = np.flatnonzero(positive)
        factor = cho_factor(ridged[np.ix_(part, part)], check_finite=False)
        x = np.zeros(len(b))
        x[part] = cho_solve(factor, b[part], check_finite=False)
        slope = ridged[:, part] @ x[part] - b
        wrong = np.flatnonzero(np.where(positive, x < 0, slope < -MET * b))
        if len(wrong) == 0:
            return _without_ridge(C, b, x, part, factor)
        if len(wrong) < fewest:
            fewest, patience = len(wrong), 3
        elif patience > 0:
            patience -= 1
        else:
            wrong = wrong[-1:]  # one at a time, the last first, ends: Murty 1974
        positive[wrong] ^= True
    return np.maximum(x, 0.0)


def _without_ridge(C, b, x, part, factor) -> np.ndarray:
    inside, best = C[np.ix_(part, part)], np.inf
    for _ in range(PROXIMAL):
        rest = b[part] - inside @ x[part]
        if not np.abs(rest).max(initial=0.0) < best / 2:
            break
        best = np.abs(rest).max()
        better = x[part] + cho_solve(factor, rest, check_finite=False)
        if not (better >= 0).all():
            break
        x[part] = better
    return x


def _claim(kernel, winner, loser, dual) -> Answer:
    """That these multipliers are optimal, scaled; or, where their W does not separate, that none does."""
    nu = spread(winner, loser, dual, len(kernel.features.owner))
    logits = kernel.logits(nu)
    least, square = float((logits[winner] - logits[loser]).min()), float(nu @ logits)
    if not (least > 0 and square > 0):
        return _refutation(kernel, _nullified(kernel, winner, loser, dual))
    size = np.sqrt(square)
    value, dual = size / least, dual / size
    return Answer(Status.SOLVED, nu / least, dual, value, 1 - float(dual.sum()) / value, _rank(kernel, nu))


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
    return Answer(Status.INFEASIBLE, nothing, dual / dual.sum(), np.inf, np.inf, 0)


def _judged(kernel, winner, loser, claim: Answer) -> Answer:
    reason = kernel.checker.check(winner, loser, TOLERANCE, claim)
    if reason:
        claim = replace(claim, status=Status.UNCERTIFIED, rank=0, rejected=reason)
    judged[claim.status.value] += 1
    return claim


def _rank(kernel, nu) -> int:
    """The rank of W, whose left factors have the Gram matrix of the inputs' sums of tokens."""
    parts = _by_input(kernel.features.owner, nu)
    sums = parts @ (parts @ kernel.tokens).T
    value, vector = np.linalg.eigh((sums + sums.T) / 2)
    left = vector * np.sqrt(np.maximum(value, 0.0))
    sigma = np.linalg.svd(left.T @ np.linalg.qr(kernel.features.queries.T)[1].T, compute_uv=False)
    return int((sigma > RANK * sigma[0]).sum())
