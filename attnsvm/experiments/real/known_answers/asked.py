"""Atoms of products that ask, and the atoms of the reactants that they may select; from `Problems`, and flat."""

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from attnsvm.inspect.layers import Inputs
from attnsvm.svm.constraints import Factors, TokenConstraints

# What `labels` (S, n, FACTS, T) of a problem says of each atom that asks; the others have −1, and come first.
FACTS = ("answer", "same token", "string", "place", "template", "held")


@dataclass(frozen=True)
class Asked:
    """m queries.

    Attributes:
        tokens: (N, d) the atoms of the reactants, one reaction after another.
        first, counts: (m,) int, where the tokens of a query begin, and how many they are.
        queries: (m, d).
        reaction: (m,) int, from 0, growing.
        answer: (m,) int, the right token. same, string: (m,) int, the tokens that rules name, −1 for none.
        place: (m,) int, the number of the atom in its product. template: (m,) int.
    """

    tokens: np.ndarray
    first: np.ndarray
    counts: np.ndarray
    queries: np.ndarray
    reaction: np.ndarray
    answer: np.ndarray
    same: np.ndarray
    string: np.ndarray
    place: np.ndarray
    template: np.ndarray

    def __len__(self) -> int:
        return len(self.queries)

    def take(self, rows: np.ndarray) -> "Asked":
        """The queries of these numbers, or of a mask; all tokens stay."""
        rest = {f.name: getattr(self, f.name)[rows] for f in fields(self) if f.name != "tokens"}
        return Asked(tokens=self.tokens, **rest)

    def of_reactions(self, count: int) -> "Asked":
        """The queries of the first reactions, and their tokens."""
        kept = self.take(self.reaction < count)
        rest = {f.name: getattr(kept, f.name) for f in fields(kept) if f.name != "tokens"}
        return Asked(tokens=self.tokens[: int((kept.first + kept.counts).max())], **rest)

    def logits(self, W: np.ndarray) -> list[np.ndarray]:
        """(T,) for every query."""
        return [self.tokens[a : a + T] @ z for a, T, z in zip(self.first, self.counts, self.queries @ W.T, strict=True)]

    def selections(self, W: np.ndarray) -> np.ndarray:
        """(m,) int, the token of highest logit."""
        return np.array([int(one.argmax()) for one in self.logits(W)])

    def constraints(self, selected: np.ndarray) -> TokenConstraints:
        """One for every query and token that it does not select."""
        inputs = np.repeat(np.arange(len(self)), self.counts - 1)
        place = np.arange(len(inputs)) - np.repeat(np.cumsum(self.counts - 1) - (self.counts - 1), self.counts - 1)
        alpha = selected[inputs]
        other = place + (place >= alpha)
        factors = Factors(self.tokens, self.queries, self.first[inputs] + alpha, self.first[inputs] + other, inputs)
        index = np.column_stack([inputs, alpha, other])
        return TokenConstraints(factors, np.ones(len(inputs)), np.zeros(len(inputs), dtype=bool), index)

    def inputs(self) -> Inputs:
        """The same for `attnsvm.inspect`."""
        tokens = [self.tokens[a : a + T] for a, T in zip(self.first, self.counts, strict=True)]
        marks = [np.zeros(T, dtype=bool) for T in self.counts]
        return Inputs(tokens, self.queries, [], marks, self.reaction, np.full(len(self), -1))


def asked(problems, s: int) -> tuple[Asked, Asked]:
    """The queries of instance s to fit, and the held-out ones."""
    whole, held = of_all(problems.tokens[s], problems.labels[s].astype(int), problems.lengths[s])
    return whole.take(~held), whole.take(held)


def of_all(tokens: np.ndarray, labels: np.ndarray, lengths: np.ndarray) -> tuple[Asked, np.ndarray]:
    """All queries of an instance, and which of them are held out (m,) bool.

    Args:
        tokens: (n, T, d), labels: (n, FACTS, T) int, lengths: (n,), as `Problems` have them.
    """
    answer = labels[:, 0]
    reactants = (answer < 0) & (np.arange(answer.shape[1]) < lengths[:, None])
    asks = answer >= 0
    counts = reactants.sum(1)
    reaction, _ = np.nonzero(asks)
    same, string, place, template, held = (labels[:, k][asks] for k in range(1, len(FACTS)))
    start = np.cumsum(counts) - counts
    found = Asked(
        *(tokens[reactants], start[reaction], counts[reaction], tokens[asks], reaction),
        *(answer[asks], same, string, place, template),
    )
    return found, held == 1


def sizes(problems, s: int, settings: dict) -> list[int]:
    """The numbers of reactions that are fitted at the layer of instance s; few with random weights."""
    every = problems.head[s].size > 0 and problems.seeds[s] in settings["at"]
    return settings["inputs"] if every else [settings["inputs_elsewhere"]]


def positions(asks: Asked, offset: int) -> np.ndarray:
    """(m,) the token that a rule of position names: the number of the asking atom and an offset; −1 where none."""
    named = asks.place + offset
    return np.where((named >= 0) & (named < asks.counts), named, -1)


def best_offset(asks: Asked, selected: np.ndarray) -> int:
    """The offset that is right most often, of all that occur."""
    every = np.unique(selected - asks.place)
    return int(max(every.tolist(), key=lambda k: float((positions(asks, k) == selected).mean())))


def right(chosen: np.ndarray, answers: Sequence[int] | np.ndarray) -> np.ndarray:
    """(m,) 1.0 where they are equal."""
    return (chosen == np.asarray(answers)).astype(float)
