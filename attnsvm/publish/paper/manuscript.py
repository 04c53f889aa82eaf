"""The sources of the manuscript, and what their calls name: figures, rows of the audit, numbers.

The sources are Typst, in paper/; an experiment may bring a paragraph of its own, paragraph.typ in its folder. Typst
itself refuses what there is not (paper/style.typ); a test asks that all there is is used.
"""

import re
from pathlib import Path

from attnsvm.pipeline import cards
from attnsvm.system.errors import require

ROOT = cards.HERE.parents[1]
MAIN, REFERENCES, DECLARED = "paper/main.typ", "paper/references.bib", "paper/numbers.yaml"
STYLE = "paper/style.typ"  # defines what the others call
PARAGRAPH = "paragraph.typ"
CALLS = {
    "numbers": re.compile(r'#(?:n|within)\("([^"]+)"'),
    "verdicts": re.compile(r"#(?:verdict|claim|stated)\(([^()]+)\)"),
    "figures": re.compile(r'#fig\("([^"]+)"'),
}
QUOTED = re.compile(r'"([^"]+)"')  # a call may name several
COMMENT = re.compile(r"(?<!:)//.*")


def texts(root: Path = ROOT) -> dict[str, str]:
    """The Typst sources of a clone by path relative to it, without comments, and without the style's definitions.

    Raises:
        UserError: there are none, as in an installed package.
    """
    require((root / MAIN).exists(), f"{MAIN} is missing: the paper is typeset in a clone of the repository")
    own = [file for file in sources(root) if file.endswith(".typ") and file != STYLE]
    return {file: COMMENT.sub("", (root / file).read_text("utf-8")) for file in own}


def named(kind: str, root: Path = ROOT) -> list[str]:
    """The names in the calls of a kind, see `CALLS`, each once, in the order of the text."""
    calls = [call for text in texts(root).values() for call in CALLS[kind].findall(text)]
    return list(dict.fromkeys(name for call in calls for name in QUOTED.findall(call) or [call]))


def sources(root: Path = ROOT) -> tuple[str, ...]:
    """Every file that the paper is typeset from, relative to the repository."""
    found = (str(path.relative_to(root)) for path in sorted((root / "paper/sections").glob("[!.]*.typ")))
    return MAIN, STYLE, REFERENCES, DECLARED, "CITATION.cff", *found, *paragraphs(root)


def paragraphs(root: Path = ROOT) -> tuple[str, ...]:
    """The paragraphs that experiments bring, in the order of their cards."""
    given = [f"{cards.place(card.name)}/{PARAGRAPH}" for card in cards.figures()]
    return tuple(file for file in given if (root / file).exists())
