"""Separation constraints ⟨x_{iα} − x_it, W z_i⟩ ≥ 1 (or = b), as rank-one matrices acting on W."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np

from attnsvm.svm.arguments import bounds, finite_array, plain, problem_arrays, token_indices

IMPLICIT = 150  # from this many constraints on, products go through the tokens; the m × d arrays are not formed
COPY = 1e-12  # distance of two tokens, relative to the longer one, up to which rounding may be all of it
CHUNK = 2**21  # numbers held at a time by a product
SMALL = 1e-3  # share of the largest bound up to which a bound does not measure its margin


def asking(bound: np.ndarray, equality: np.ndarray) -> np.ndarray:
    """(..., m) bool: the inequalities whose bound measures their margin.

    The bound of another inequality is zero, or so far below the largest bound that rounding is not small relative to
    it. The margin of this inequality is measured by ‖A_k‖‖W‖, as for an equality.
    """
    largest = np.where(equality, 0.0, bound).max(-1, initial=0.0, keepdims=True)
    return ~equality & (bound > SMALL * largest)


class Factors(NamedTuple):
    """m matrices (tokens[winner_k] − tokens[loser_k]) queries[query_k]ᵀ.

    Attributes:
        tokens: (N, d), of all inputs one after another.
        queries: (n, e).
        winner, loser, query: (m,) int, rows of the arrays above.
    """

    tokens: np.ndarray
    queries: np.ndarray
    winner: np.ndarray
    loser: np.ndarray
    query: np.ndarray

    def take(self, rows: np.ndarray) -> "Factors":
        return self._replace(winner=self.winner[rows], loser=self.loser[rows], query=self.query[rows])

    def left(self, rows: slice = slice(None)) -> np.ndarray:
        return self.tokens[self.winner[rows]] - self.tokens[self.loser[rows]]

    def chunks(self) -> list[slice]:
        """Slices of the rows whose vectors take `CHUNK` numbers."""
        step = max(1, CHUNK // self.tokens.shape[1])
        return [slice(start, start + step) for start in range(0, len(self.query), step)]

    def lengths(self) -> np.ndarray:
        """The Frobenius norms of the m matrices."""
        squares = [np.square(self.left(rows)).sum(1) for rows in self.chunks()]
        return np.sqrt(np.concatenate(squares) * np.square(self.queries).sum(1)[self.query])

    def apply(self, W: np.ndarray) -> np.ndarray:
        return self.along(self.queries @ W.T)

    def along(self, directions: np.ndarray) -> np.ndarray:
        """`apply` of a W from its products with the queries, (n, d)."""
        return np.concatenate([(self.left(rows) * directions[self.query[rows]]).sum(1) for rows in self.chunks()])

    def adjoint(self, dual: np.ndarray) -> np.ndarray:
        used = self.take(np.flatnonzero(dual))
        weight, total = dual[dual != 0], np.zeros((self.tokens.shape[1], self.queries.shape[1]))
        for rows in used.chunks():
            total += (used.left(rows) * weight[rows, None]).T @ used.queries[used.query[rows]]
        return total


@dataclass(frozen=True)
class Constraints:
    """m constraints left_kᵀ W right_k ≥ bound_k (= bound_k where `equality`), one problem.

    Attributes:
        left: (m, d), token differences x_{iα} − x_it.
        right: (m, e), the query z_i of the constraint's input.
        bound: (m,), non-negative where the constraint is an inequality.
        equality: (m,) bool.
        index: (m, 3) int: the input i, its anchor token α and the other token t.
    """

    left: np.ndarray
    right: np.ndarray
    bound: np.ndarray
    equality: np.ndarray
    index: np.ndarray

    def __len__(self) -> int:
        return len(self.bound)

    def __getitem__(self, rows: np.ndarray) -> "Constraints":
        return Constraints(**{name: getattr(self, name)[rows] for name in Constraints.__annotations__})

    @property
    def shape(self) -> tuple[int, int]:
        """(d, e) of W."""
        return self.left.shape[1], self.right.shape[1]

    @cached_property
    def asks(self) -> np.ndarray:
        """(m,) bool, see `asking`."""
        return asking(self.bound, self.equality)

    def named_copy(self) -> str:
        """Of `TokenConstraints`: the sentence on a token that is a copy of the selected one. Here no token is known."""
        return ""

    @cached_property
    def factors(self) -> Factors:
        """The matrices as differences of rows: here of `left` and of a row of zeros."""
        inputs = self.index[:, 0]
        other = (inputs[1:] != inputs[:-1]) | (self.right[1:] != self.right[:-1]).any(1)
        first = np.append(True, other)[: len(inputs)]
        tokens = np.concatenate([self.left, np.zeros((1, self.left.shape[1]))])
        winner = np.arange(len(self))
        return Factors(tokens, self.right[first], winner, np.full_like(winner, len(self)), np.cumsum(first) - 1)

    def lengths(self) -> np.ndarray:
        """‖left_k right_kᵀ‖_F for every k, (m,)."""
        if len(self) >= IMPLICIT:
            return self.factors.lengths()
        return np.sqrt((self.left * self.left).sum(-1)) * np.sqrt((self.right * self.right).sum(-1))

    def apply(self, W: np.ndarray) -> np.ndarray:
        """left_kᵀ W right_k for every k, (m,)."""
        if len(self) >= IMPLICIT:
            return self.factors.apply(W)
        return ((self.left @ W) * self.right).sum(1)

    def adjoint(self, dual: np.ndarray) -> np.ndarray:
        """Σ_k dual_k left_k right_kᵀ, (d, e)."""
        if len(self) >= IMPLICIT:
            return self.factors.adjoint(dual)
        return (self.left * dual[:, None]).T @ self.right


class TokenConstraints(Constraints):
    """Constraints held as tokens and queries: `left` and `right` are formed when they are first read."""

    def __init__(self, factors: Factors, bound: np.ndarray, equality: np.ndarray, index: np.ndarray):
        vars(self).update(factors=factors, bound=bound, equality=equality, index=index)

    def __getitem__(self, rows: np.ndarray) -> "TokenConstraints":
        return TokenConstraints(self.factors.take(rows), self.bound[rows], self.equality[rows], self.index[rows])

    def with_equality(self, rows: np.ndarray) -> "TokenConstraints":
        """The same constraints, with equal logits of both tokens in `rows` (m,) bool: a free multiplier."""
        bound, equality = np.where(rows, 0.0, self.bound), self.equality | rows
        return TokenConstraints(self.factors, bound, equality, self.index)

    @property
    def shape(self) -> tuple[int, int]:
        return self.factors.tokens.shape[1], self.factors.queries.shape[1]

    @cached_property
    def copies(self) -> np.ndarray:
        """Rows that ask for a margin between copies: tokens that are not equal, and no farther apart than COPY."""
        tokens, winner, loser = self.factors.tokens, self.factors.winner, self.factors.loser
        if len(self) < IMPLICIT and _clearly_apart(self.left, tokens):
            return np.zeros(0, dtype=int)
        length = np.sqrt(np.einsum("td,td->t", tokens, tokens))
        near = COPY * np.maximum(length[winner], length[loser])
        distances = [np.sqrt(np.square(self.factors.left(rows)).sum(1)) for rows in self.factors.chunks()]
        apart = np.concatenate(distances) if distances else np.zeros(0)
        return np.flatnonzero((apart <= near) & (apart > 0) & (self.bound > 0) & ~self.equality)

    def named_copy(self) -> str:
        """A sentence on the first of `copies`; "" without one."""
        if len(self.copies) == 0:
            return ""
        i, winner, loser = self.index[self.copies[0]].tolist()
        return (
            f"token {loser} of input {i} is a copy of the selected token {winner} up to rounding (closer than "
            f"{COPY:.0e} of its length): leave one of them out, or select both"
        )

    @cached_property
    def left(self) -> np.ndarray:
        return self.factors.left()

    @cached_property
    def right(self) -> np.ndarray:
        return self.factors.queries[self.factors.query]


def _clearly_apart(left: np.ndarray, tokens: np.ndarray) -> bool:
    """Whether the shortest difference (m, d) is too long for `copies`, measured by the longest token (N, d)."""
    apart = np.einsum("kd,kd->k", left, left).min(initial=np.inf)
    return bool(apart > (2 * COPY) ** 2 * np.einsum("td,td->t", tokens, tokens).max(initial=0.0))


def separation(
    tokens: np.ndarray, queries: np.ndarray, selected: np.ndarray, bound: float | np.ndarray = 1.0
) -> Constraints:
    """Separate the selected tokens of every input from the rest.

    Args:
        tokens: (n, T, d).
        queries: (n, e).
        selected: (n,) int, one token per input; or (n, T) bool, a set per input (equal logits inside the set).
        bound: the margin asked for, at least 0: a number, (n,) one per input, or (n, T) one per token that loses.
            0 only asks that the selected token wins or draws.

    The anchor α of a set is its first member.

    Raises:
        ValueError: an array is not finite or of another shape, a token number is out of range, a set is empty, or a
            bound is negative.
    """
    tokens, queries = problem_arrays(tokens, queries)
    n, T, d = tokens.shape
    anchor, chosen = selection(selected, n, T)
    found = _against_anchor(tokens.reshape(n * T, d), queries, np.arange(n) * T, T, anchor, chosen)
    return _with_margins(found, bound, (n, T), found.index[:, 0], found.index[:, 2])


def separations(tokens: np.ndarray, queries: np.ndarray, selected: np.ndarray, bounds: Iterable) -> list[Constraints]:
    """`separation` for S problems of one shape, whose arrays are checked together.

    Args:
        tokens: (S, n, T, d), queries: (S, n, e), selected: (S, n) or (S, n, T), bounds: S of them, as in `separation`.

    Raises:
        ValueError: as `separation`.
    """
    bounds = list(bounds)
    if len(tokens) == 0 or np.ndim(selected) != 2 or any(np.ndim(bound) or bound != 1.0 for bound in bounds):
        return [separation(*one) for one in zip(tokens, queries, selected, bounds, strict=True)]
    tokens = finite_array("tokens", tokens, (len(bounds), None, None, None), "(S, n, T, d)")
    S, n, T, d = tokens.shape
    queries = finite_array("queries", queries, (S, n, None), f"(S, n, e) with n = {n} as in tokens")
    selected = token_indices("selected", selected, (S, n), T)
    first = np.arange(n) * T
    return [
        _against_anchor(flat, z, first, T, alpha, None)
        for flat, z, alpha in zip(tokens.reshape(S, n * T, d), queries, selected, strict=True)
    ]


def _with_margins(
    constraints: TokenConstraints, bound: float | np.ndarray, shape: tuple[int, ...], *place: np.ndarray
) -> TokenConstraints:
    """The constraints with the margins `bound`: one for all, or the entry at `place`, by as many axes as it has."""
    margins = bounds(bound)
    if margins.ndim == 0 and margins == 1.0:
        return constraints
    if margins.shape not in [shape[:axes] for axes in range(len(shape) + 1)]:
        shapes = " or ".join(str(shape[:axes]) for axes in range(1, len(shape) + 1))
        raise ValueError(f"bound: expected a number or an array of shape {shapes}, got {margins.shape}")
    margins = np.broadcast_to(margins.reshape(margins.shape + (1,) * (len(shape) - margins.ndim)), shape)
    bound = np.where(constraints.equality, 0.0, margins[place])
    return TokenConstraints(constraints.factors, bound, constraints.equality, constraints.index)


def ragged(inputs: Iterable[tuple]) -> Constraints:
    """`separation` for inputs (X_i, z_i, α_i) that differ in their numbers of tokens.

    Args:
        inputs: tokens (T_i, d), a query (e,), and the selected token, an int or a set (T_i,) bool, for each input.

    Raises:
        ValueError: as `separation`, or there is no input; the message names the input.
    """
    parts, d, e = [], None, None  # d and e are those of the first input
    for i, one in enumerate(inputs):
        tokens, query, selected = parts_of(i, one, "(tokens, query, selected)")
        tokens = finite_array(f"tokens of input {i}", tokens, (None, d), f"(T, {d or 'd'})")
        query = finite_array(f"query of input {i}", query, (e,), f"({e or 'e'},)")
        (T, d), e = tokens.shape, len(query)
        anchor, chosen = selection_of_one(i, selected, T)
        parts.append((tokens, query, anchor, None if chosen is None else chosen[0]))
    if not parts:
        raise ValueError("inputs: expected at least one (tokens, query, selected), got none")
    tokens, queries, anchor, chosen = zip(*parts, strict=True)
    counts = np.array([len(x) for x in tokens])
    sets = [np.arange(T) == a[0] if c is None else c for T, a, c in zip(counts, anchor, chosen, strict=True)]
    return _against_anchor(
        np.concatenate(tokens),
        np.stack(queries),
        np.cumsum(counts) - counts,
        counts,
        np.concatenate(anchor),
        np.concatenate(sets) if any(c is not None for c in chosen) else None,
    )


def parts_of(i: int, one, expected: str) -> tuple:
    """What an input is made of, or a ValueError: "(tokens, query)" or "(tokens, query, selected)" is expected."""
    if not isinstance(one, list | tuple | np.ndarray) or len(one) != expected.count(",") + 1:
        how = "give arrays as (tokens, queries, selected), or pairs as (list(zip(tokens, queries)), selected)"
        raise ValueError(f"input {i}: expected {expected}, got {type(one).__name__}: {how}")
    return tuple(one)


def selection_of_one(i: int, selected, T: int) -> tuple[np.ndarray, np.ndarray | None]:
    """`selection` of input i alone, an int or a set (T,)."""
    return selection(plain(f"selected of input {i}", selected)[None], 1, T, f"selected of input {i}")


def selection(selected: np.ndarray, n: int, T: int, name: str = "selected") -> tuple[np.ndarray, np.ndarray | None]:
    """The anchor (n,) of every input, and the sets (n, T) bool, or None where each set holds one token."""
    selected = plain(name, selected)
    if selected.dtype != bool:
        return token_indices(name, selected, (n,), T), None
    if selected.shape != (n, T):
        raise ValueError(f"{name}: expected a boolean array of shape {(n, T)}, got {selected.shape}")
    if not selected.any(1).all():
        raise ValueError(f"{name}: expected a token in every set, got none for input {(~selected.any(1)).argmax()}")
    return selected.argmax(1), selected


def _against_anchor(
    tokens: np.ndarray,
    queries: np.ndarray,
    first: np.ndarray,
    counts: np.ndarray | int,
    anchor: np.ndarray,
    chosen: np.ndarray | None,
) -> TokenConstraints:
    """The anchor of every input against its other tokens.

    Args:
        tokens: (N, d), queries: (n, e).
        first: (n,) where the tokens of a query begin; counts: (n,) or int, their number.
        anchor: (n,) token numbers within them.
        chosen: bool over the tokens of all queries one after another, or None where only the anchors are chosen.
    """
    n = len(queries)
    if isinstance(counts, int) and n * (counts - 1) < IMPLICIT:
        inputs, other, bound, equality = _small_pattern(n, counts)
    else:
        counts = np.broadcast_to(counts, n)
        inputs, other, bound, equality = _pattern(n, counts)
    alpha = np.repeat(anchor, counts - 1)
    other = other + (other >= alpha)
    if chosen is not None:
        before = np.cumsum(np.broadcast_to(counts, n)) - counts
        equality = chosen.ravel()[before[inputs] + other]
        bound = np.where(equality, 0.0, 1.0)
    start = first[inputs]
    return TokenConstraints(
        Factors(tokens, queries, start + alpha, start + other, inputs),
        bound=bound,
        equality=equality,
        index=np.stack([inputs, alpha, other], axis=1),
    )


def _pattern(n: int, counts: np.ndarray) -> tuple[np.ndarray, ...]:
    """All that follows from the numbers of tokens: the input of every constraint, its place among the constraints of
    its input, bounds of one, and no equality. The arrays are read-only."""
    inputs = np.repeat(np.arange(n), counts - 1)
    place = np.arange(len(inputs)) - np.repeat(np.cumsum(counts - 1) - (counts - 1), counts - 1)
    found = inputs, place, np.ones(len(inputs)), np.zeros(len(inputs), dtype=bool)
    for array in found:
        array.flags.writeable = False
    return found


@lru_cache(maxsize=64)
def _small_pattern(n: int, count: int) -> tuple[np.ndarray, ...]:
    return _pattern(n, np.full(n, count))


def sequence(
    tokens: np.ndarray, selected: np.ndarray, causal: bool = False, bound: float | np.ndarray = 1.0
) -> TokenConstraints:
    """Self-attention with a query at every position: x_iα, selected at position k, wins against x_it with z = x_ik.

    Args:
        tokens: (n, T, d).
        selected: (n, T) int, the token selected by the query at each position.
        causal: only tokens t ≤ k compete for the query at position k, and α ≤ k.
        bound: as in `separation`: a number, (n,), (n, T) one per position k, or (n, T, T) one per k and losing token.

    `index` holds (i·T + k, α, t): the query's place in the flattened (n, T) positions, then the two tokens.

    Raises:
        ValueError: as `separation`, or a causal selection lies ahead of its position.
    """
    tokens = finite_array("tokens", tokens, (None, None, None), "(n, T, d)")
    n, T, d = tokens.shape
    selected = token_indices("selected", selected, (n, T), T)
    positions = np.arange(T)
    if causal and (selected > positions).any():
        raise ValueError("selected: expected causal token numbers up to their position, got one ahead of it")
    flat, first = tokens.reshape(n * T, d), np.repeat(np.arange(n) * T, T)
    everywhere = _against_anchor(flat, flat, first, T, selected.ravel(), None)
    inputs, at = np.divmod(everywhere.index[:, 0], T)
    everywhere = _with_margins(everywhere, bound, (n, T, T), inputs, at, everywhere.index[:, 2])
    return everywhere[everywhere.index[:, 2] <= everywhere.index[:, 0] % T] if causal else everywhere


def finite_part(
    tokens: np.ndarray, queries: np.ndarray, selected: np.ndarray, probabilities: np.ndarray
) -> Constraints:
    """Equal logit differences log(s_iα/s_it) inside every selected set (n, T) bool, and nothing else."""
    constraints = separation(tokens, queries, selected)
    probabilities = finite_array("probabilities", probabilities, np.shape(tokens)[:2], f"{np.shape(tokens)[:2]}")
    inside = constraints[constraints.equality]
    if not (probabilities[np.asarray(selected)] > 0).all():
        raise ValueError("probabilities: expected positive numbers inside the selected sets, got zero or less")
    i, alpha, t = inside.index.T
    bound = np.log(probabilities[i, alpha]) - np.log(probabilities[i, t])
    return TokenConstraints(inside.factors, bound, inside.equality, inside.index)
