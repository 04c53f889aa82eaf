"""What is inspected, from a model or from arrays: the inputs with their queries, and the heads."""

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice

import numpy as np

from attnsvm.system.errors import require

LISTS = ("tokens", "words", "delimiters", "distances", "unturned")  # of `Inputs`, with a part for each
NARROW = 1024  # coordinates
KEPT = 2  # results that `Recent` keeps: a head and a null model, which is made of it, ask in turn


class Recent:
    """Results for objects that never change; an object is known by its identity."""

    def __init__(self):
        self._found: list[tuple] = []

    def of(self, given, make: Callable):
        """What `make()` gave for this object, or gives."""
        known = [one for one in self._found if one[0] is given]
        others = [one for one in self._found if one[0] is not given]
        kept = known[0] if known else (given, make())
        self._found = [*others[1 - KEPT :], kept]
        return kept[1]


@dataclass(frozen=True)
class Inputs:
    """n queries with the tokens that each may select.

    Attributes:
        tokens: n arrays (T_i, d).
        queries: (n, e).
        words: n lists of strings, to be shown, of the text that the tokens are part of; empty where there are none.
        delimiters: n arrays (T_i,) bool, the tokens that mark a beginning or an end and have no meaning.
        text: (n,) int, the text an input comes from: inputs of one text stay on one side of a held-out split.
        position: (n,) int, the place of the query among the tokens; −1 where the query is not one of them.
        distances: n arrays (T_i,), places of the query less places of the tokens; empty where no logit depends on them.
        first: (n,) int, the place of the first token in its text, which a window may have cut; None: 0.
        unturned: n arrays (T_i,), what multiplies the part of a token that no rotation turns; empty: nothing does.
        moving: how many coordinates of a token are neither constant nor a place, the first ones; None: all.
        repeats: how many texts, and how many other queries, were left out since an earlier one is equal.
    """

    tokens: list[np.ndarray]
    queries: np.ndarray
    words: list[list[str]]
    delimiters: list[np.ndarray]
    text: np.ndarray
    position: np.ndarray
    distances: list[np.ndarray] = field(default_factory=list)
    first: np.ndarray | None = None
    unturned: list[np.ndarray] = field(default_factory=list)
    moving: int | None = None
    repeats: tuple[int, int] = (0, 0)

    def __len__(self) -> int:
        return len(self.queries)

    def take(self, rows: Sequence[int]) -> "Inputs":
        """The inputs of these numbers."""
        lists = {name: [each[i] for i in rows] for name in LISTS if (each := getattr(self, name))}
        arrays = {name: getattr(self, name)[rows] for name in ("queries", "text", "position")}
        return replace(self, **lists, **arrays, first=None if self.first is None else self.first[rows])

    @property
    def start(self) -> np.ndarray:
        """(n,) `first`, or zeros."""
        return np.zeros(len(self), dtype=int) if self.first is None else self.first

    @cached_property
    def counts(self) -> np.ndarray:
        """(n,) how many tokens each query may select."""
        return np.array([len(X) for X in self.tokens], dtype=int)

    @cached_property
    def owner(self) -> np.ndarray:
        """(N,) the input of every token, all tokens one after another."""
        return np.repeat(np.arange(len(self)), self.counts)

    @cached_property
    def flat(self) -> np.ndarray:
        """(N, d) all tokens one after another."""
        return np.concatenate(self.tokens)

    @cached_property
    def distance(self) -> np.ndarray:
        """(N,) their distances."""
        return np.concatenate(self.distances)

    @cached_property
    def unturned_flat(self) -> np.ndarray | None:
        """(N,) `unturned`, None where nothing multiplies."""
        return np.concatenate(self.unturned) if self.unturned else None

    @cached_property
    def _along(self) -> Recent:
        return Recent()

    def along(self, rows: np.ndarray) -> np.ndarray:
        """(N, r) products of all tokens with rows (r, d); kept for the rows last asked for."""
        return self._along.of(rows, lambda: self.flat @ rows.T)


def as_inputs(tokens: np.ndarray, queries: np.ndarray) -> Inputs:
    """The inputs of arrays (n, T, d) and (n, e): without words or delimiters, and no query is one of the tokens."""
    n, T = tokens.shape[:2]
    nothing = [np.zeros(T, dtype=bool)] * n
    return Inputs(list(tokens), queries, [], nothing, np.arange(n), np.full(n, -1))


@dataclass(frozen=True)
class Layer:
    """One layer: its number, its inputs, and the heads asked for.

    Attributes:
        heads: {number: W (d, e)}, where logits are x_tᵀ W z; or {number: `lifted.Head`}, where distance counts.
        theory: what of it holds here, see the column of that name.
        every: all heads of the layer, asked for or not, where they are lifted.
        files: those that were read, by their paths.
    """

    number: int
    inputs: Inputs
    heads: dict
    theory: str = "exact"
    every: list = field(default_factory=list)
    files: Sequence[str] = ()


def distinct(keys: Iterable[Hashable]) -> list[int]:
    """The numbers of the keys that are not equal to an earlier one."""
    first: dict[Hashable, int] = {}
    for number, key in enumerate(keys):
        first.setdefault(key, number)
    return [*first.values()]


def selections(inputs: Inputs, W) -> np.ndarray:
    """The token of highest logit of every input, (n,) int; W (d, e), or what has `logits` of the inputs."""
    return np.array([int(part.argmax()) for part in logits(inputs, W)], dtype=int)


def logits(inputs: Inputs, W) -> list[np.ndarray]:
    """(T_i,) for every input; W (d, e), or what has `logits` of the inputs."""
    if len(inputs) == 0:
        return []
    if not isinstance(W, np.ndarray):
        return np.split(W.logits(inputs), np.cumsum(inputs.counts)[:-1])
    return [X @ z for X, z in zip(inputs.tokens, inputs.queries @ W.T, strict=True)]


def split(inputs: Inputs, held_out: float, most: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """The numbers of the inputs to fit and of those held out: at most `most` of each, no text on both sides.

    Args:
        held_out: share of the texts that is held out.
        most: inputs drawn, where a side has more.
    """
    texts = rng.permutation(np.unique(inputs.text))
    away = np.isin(inputs.text, texts[: round(held_out * len(texts))])
    sides = []
    for side in (np.flatnonzero(~away), np.flatnonzero(away)):
        sides.append(np.sort(rng.choice(side, most, replace=False)) if len(side) > most else side)
    given = f"{counted(len(texts), 'text', 'texts')} with {counted(len(inputs), 'query', 'queries')}"
    given += " that differ" if any(inputs.repeats) else ""
    why, then = "", "give more texts"
    if held_out > 0:
        why = f", and holding out the share {held_out} of the texts leaves {len(sides[0])}"
        then += " or hold out fewer"
    require(len(sides[0]) >= 2, f"{given}: expected at least two queries to fit{why}; {then}")
    return sides[0], sides[1]


def counted(number: int, one: str, several: str) -> str:
    return f"{number} {one if number == 1 else several}"


def threads(width: int):
    """A context with one thread where vectors are so short that threads of libraries would wait for one another."""
    from threadpoolctl import threadpool_limits

    return threadpool_limits(1 if width <= NARROW else None)


def told(items: Iterable, parts: int, texts: int, show: Callable[..., Iterable] | None) -> Iterator:
    """These items, of which there are so many, while `show` counts texts: each is an equal share of the way.

    Args:
        show: called as tqdm is, with an iterable, `total` and `desc`; None: nothing is shown.
    """
    bar, done = show(range(texts), total=texts, desc="texts") if show else (), 0
    each = iter(bar)
    further = getattr(bar, "update", lambda count: deque(islice(each, count), 0))  # at once: one has no time of its own
    for number, item in enumerate(items, 1):
        yield item
        more, done = -(-number * texts // parts) - done, -(-number * texts // parts)
        further(more)
    next(each, None)


def chosen(numbers: Sequence[int] | None, count: int, what: str) -> list[int]:
    """The layers or heads asked for; all where none is named. UserError for one that is not there."""
    wrong = [k for k in numbers or [] if not 0 <= k < count]
    require(not wrong, f"{what} {wrong[:1]}: the model has {what}s 0 to {count - 1}".replace("[", "").replace("]", ""))
    return sorted(set(numbers)) if numbers else list(range(count))
