"""Chemical reactions with right answers: where each atom of the product comes from."""

import csv
import lzma
import re
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files

TOKEN = re.compile(r"\[[^\]]*\]|Br|Cl|>>|%\d\d|.")  # of a SMILES string: an atom, a bond, a bracket, a ring, the arrow
ARROW = ">>"
CLASSES = 3  # of molecules: a reaction has molecules of one of them


@dataclass(frozen=True)
class Reaction:
    """One reaction.

    Attributes:
        template: number of the kind of reaction, from 0. molecules: number of the class of its molecules, from 0.
        text: SMILES of the reactants, the arrow, SMILES of the product.
        answers: for each atom of the product the atoms of the reactants that are right, by their numbers from 0.
    """

    template: int
    molecules: int
    text: str
    answers: tuple[tuple[int, ...], ...]

    @cached_property
    def tokens(self) -> list[str]:
        """The tokens of the text."""
        return TOKEN.findall(self.text)

    @property
    def reactants(self) -> list[int]:
        """Places of the atoms of the reactants among the tokens."""
        return [k for k in self._atoms if k < self.tokens.index(ARROW)]

    @property
    def product(self) -> list[int]:
        """Places of the atoms of the product among the tokens."""
        return [k for k in self._atoms if k > self.tokens.index(ARROW)]

    @property
    def _atoms(self):
        return [k for k, token in enumerate(self.tokens) if token[0].isalpha() or token[0] == "["]


def reactions() -> list[Reaction]:
    """All 1,170 reactions of 39 templates, in their order."""
    packed = files("attnsvm.data").joinpath("reactions.csv.xz").read_bytes()
    rows = list(csv.DictReader(lzma.decompress(packed).decode().splitlines()))
    number = {name: k for k, name in enumerate(dict.fromkeys(row["template"] for row in rows))}
    return [
        Reaction(
            number[row["template"]],
            int(row["molecules"]),
            row["reaction"],
            tuple(tuple(map(int, one.split("/"))) for one in row["answers"].split()),
        )
        for row in rows
    ]


def held_apart(known: list[Reaction], fold: int) -> tuple[list[Reaction], list[Reaction]]:
    """Reactions to fit and held-out ones: these share neither a template nor a class of molecules with those."""
    fit = [one for one in known if one.template % CLASSES != fold and one.molecules != fold]
    return fit, [one for one in known if one.template % CLASSES == fold and one.molecules == fold]


def same_token(reaction: Reaction) -> list[int]:
    """For each atom of the product the atom of the reactants that a rule names: the k-th of its token, as it is there.

    The last one where there are fewer; −1 where there is none.
    """
    seen: dict[str, int] = {}
    named = []
    for place in reaction.product:
        token = reaction.tokens[place]
        like = [n for n, k in enumerate(reaction.reactants) if reaction.tokens[k] == token]
        named.append(like[min(seen.get(token, 0), len(like) - 1)] if like else -1)
        seen[token] = seen.get(token, 0) + 1
    return named


def same_string(reaction: Reaction) -> list[int]:
    """As `same_token`, by another rule: the atom in the longest run of equal tokens around both, the first of these."""
    tokens, sides = reaction.tokens, reaction.reactants
    lengths = [[_run(tokens, k, place) for k in sides] for place in reaction.product]
    return [max(range(len(sides)), key=one.__getitem__) for one in lengths]


def _run(tokens, one, other):
    """How many equal tokens surround two places, themselves among them; 0 where they differ."""
    arrow, total = tokens.index(ARROW), 0
    for step in (1, -1):
        i, j = one, other
        while 0 <= i < arrow < j < len(tokens) and tokens[i] == tokens[j]:
            total, i, j = total + 1, i + step, j + step
    return total
