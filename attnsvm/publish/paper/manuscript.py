"""The sources of the manuscript, and what they ask for: numbers, verdicts, figures, references, each with its place.

The sources are Typst, in paper/; an experiment may bring a paragraph of its own, paragraph.typ in its folder.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from attnsvm.errors import require
from attnsvm.pipeline import cards

ROOT = cards.HERE.parents[1]
MAIN, REFERENCES, DECLARED = "paper/main.typ", "paper/references.bib", "paper/numbers.yaml"
STYLE = "paper/style.typ"  # defines what the others call
PARAGRAPH = "paragraph.typ"
CALLS = {
    "numbers": re.compile(r'#(?:n|within)\("([^"]+)"'),
    "verdicts": re.compile(r"#(?:verdict|claim|stated)\(([^()]+)\)"),
    "titles": re.compile(r'#titled\("([^"]+)"'),
    "figures": re.compile(r'#fig\("([^"]+)"'),
    "labels": re.compile(r"<([\w:.-]+)>"),
    "references": re.compile(r"@([\w:.-]*\w)"),
}
QUOTED = re.compile(r'"([^"]+)"')  # a call may name several
COMMENT = re.compile(r"(?<!:)//.*")
ENTRY = re.compile(r"^@\w+\{\s*([^,\s]+)\s*,", re.MULTILINE)
FIGURE = "fig:"  # before the name of a figure, in its label


@dataclass(frozen=True)
class Place:
    """Where something stands: a file relative to the repository, and a line from 1 on."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True)
class Name:
    """A name in a source, and its place."""

    name: str
    place: Place


@dataclass(frozen=True)
class Manuscript:
    """The sources under a folder.

    Attributes:
        texts: of the Typst sources by path relative to the repository, the style's definitions left out.
        bibliography: the text of the BibTeX file.
    """

    texts: dict[str, str]
    bibliography: str

    @cached_property
    def names(self) -> dict[str, list[Name]]:
        """The names in the sources by kind, see `CALLS`, in the order of the text."""
        return {kind: list(self._calls(pattern)) for kind, pattern in CALLS.items()}

    @property
    def figures(self) -> list[str]:
        """The figures that are shown, each once."""
        return list(dict.fromkeys(one.name for one in self.names["figures"]))

    @cached_property
    def entries(self) -> list[Name]:
        """The entries of the bibliography."""
        return [
            Name(found[1], Place(REFERENCES, self.bibliography[: found.start()].count("\n") + 1))
            for found in ENTRY.finditer(self.bibliography)
        ]

    def _calls(self, pattern: re.Pattern) -> Iterator[Name]:
        for file, text in self.texts.items():
            for number, line in enumerate(without_comments(text), 1):
                for found in pattern.finditer(line):
                    yield from (Name(name, Place(file, number)) for name in QUOTED.findall(found[1]) or [found[1]])


def read(root: Path = ROOT) -> Manuscript:
    """The manuscript of a clone.

    Raises:
        UserError: there is none, as in an installed package.
    """
    require((root / MAIN).exists(), f"{MAIN} is missing: the paper is typeset in a clone of the repository")
    texts = {file: (root / file).read_text("utf-8") for file in sources(root) if file.endswith(".typ")}
    texts.pop(STYLE, None)
    return Manuscript(texts, (root / REFERENCES).read_text("utf-8"))


def sources(root: Path = ROOT) -> tuple[str, ...]:
    """Every file that the paper is typeset from, relative to the repository."""
    own = [MAIN, STYLE, REFERENCES, DECLARED, "CITATION.cff"]
    own += [str(path.relative_to(root)) for path in sorted((root / "paper/sections").glob("*.typ"))]
    own += [
        str(path.relative_to(root))
        for path in sorted((root / "paper/software").glob("paper.*"))
        if path.suffix != ".md"
    ]
    return *own, *paragraphs(root)


def paragraphs(root: Path = ROOT) -> tuple[str, ...]:
    """The paragraphs that experiments bring, in the order of their cards."""
    named = [f"{cards.place(card.name)}/{PARAGRAPH}" for card in cards.figures()]
    return tuple(file for file in named if (root / file).exists())


def without_comments(text: str) -> list[str]:
    """The lines of a source, what stands behind `//` taken away."""
    return [COMMENT.sub("", line) for line in text.splitlines()]
