"""The headline of a figure: what is true of all of it, and the verdicts of all claims that are read from it."""

from collections import Counter
from collections.abc import Sequence
from re import sub

from attnsvm.audit.evaluation import (
    DIFFERS,
    FAILS,
    HOLDS,
    IN_PART,
    MOVING,
    UNDECIDED,
    UNTESTABLE,
    VERDICTS,
    Claim,
    Drawn,
    NoInstance,
    NotDrawn,
    said,
)
from attnsvm.plots.style import BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, VERMILLION

# Shape and colour: a reader who sees neither hue nor grey tells them apart by the mark.
MARKS = {
    HOLDS: ("o", GREEN),
    IN_PART: ("D", ORANGE),
    MOVING: (">", SKY),
    UNDECIDED: ("d", PURPLE),
    FAILS: ("X", VERMILLION),
    DIFFERS: ("s", BLUE),
    UNTESTABLE: ("_", GREY),
}
TINY = "tiny settings: no finding"


def headline(title: str, drawn: Drawn, claims: Sequence[Claim], scale: str = "paper") -> tuple:
    """What a figure says, and whether it holds.

    Args:
        title: what it shows, for a figure whose claims have several verdicts, or that decides none.
        drawn: the table of the figure, as read from its csv, and how many answers behind it are proved.
        claims: of the experiment of that name, in their order; one about print, or drawn elsewhere, is passed over.
        scale: of the settings; at another than "paper" no verdict stands there.

    Returns:
        The sentence, the first claim's where all have one verdict; this verdict, or how many claims have which, or
        another note; the verdict's mark and its colour. Without a verdict these are "".
    """
    found = _read(drawn, claims)
    every = Counter(of for _, of in found)
    sentence, verdict = found[0] if len(every) == 1 else (sub("`(.+?)`", r"$\1$", title), "")
    sentence = sentence[:1].upper() + sentence[1:]
    if scale != "paper":
        return sentence, TINY, "", GREY
    note = said({one: every[one] for one in VERDICTS if every[one]}) if len(found) > 1 else verdict
    return sentence, note, *MARKS.get(verdict, ("", GREY))


def _read(drawn: Drawn, claims: Sequence[Claim]) -> list[tuple[str, str]]:
    """The sentence and the verdict of every claim that this table decides."""
    found = []
    for claim in claims:
        if claim.testable and claim.figure in (None, drawn.name) and claim.group != "print":
            try:
                found.append((claim.short, claim.reading(drawn).verdict))
            except NotDrawn:
                continue
            except NoInstance:
                found.append((claim.short, UNTESTABLE))
    return found
