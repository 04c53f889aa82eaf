"""The headline of a figure: its first claim and the verdict, both as the audit has them."""

from collections.abc import Sequence
from pathlib import Path
from re import sub

import pandas as pd

from attnsvm.audit.evaluation import (
    DIFFERS,
    FAILS,
    HOLDS,
    IN_PART,
    MOVING,
    UNTESTABLE,
    Claim,
    Drawn,
    NoInstance,
    NotDrawn,
)
from attnsvm.plots.style import BLUE, GREEN, GREY, ORANGE, SKY, VERMILLION

# Shape and colour: a reader who sees neither hue nor grey tells them apart by the mark.
MARKS = {
    HOLDS: ("o", GREEN),
    IN_PART: ("D", ORANGE),
    MOVING: (">", SKY),
    FAILS: ("X", VERMILLION),
    DIFFERS: ("s", BLUE),
    UNTESTABLE: ("_", GREY),
}
TINY = "tiny settings: no finding"


def headline(name: str, title: str, table: pd.DataFrame, claims: Sequence[Claim], scale: str = "paper") -> tuple:
    """What a figure says, and whether it holds.

    Args:
        name: the figure.
        title: what it shows, for a figure without a claim that its own table decides.
        table: as read from its csv.
        claims: of the experiment of that name, in their order; one about print, or drawn elsewhere, is passed over.
        scale: of the settings; at another than "paper" no verdict stands there.

    Returns:
        The sentence, the verdict or another note, its mark and the mark's colour; without a verdict these are "".
    """
    sentence, verdict = _first(name, table, claims) or (sub("`(.+?)`", r"$\1$", title), "")
    sentence = sentence[:1].upper() + sentence[1:]
    if scale != "paper":
        return sentence, TINY, "", GREY
    return sentence, verdict, *MARKS.get(verdict, ("", GREY))


def _first(name: str, table: pd.DataFrame, claims: Sequence[Claim]) -> tuple[str, str] | None:
    own = Drawn(Path(), name, table=table)
    for claim in claims:
        if claim.testable and claim.figure in (None, name) and claim.group != "print":
            try:
                return claim.short, claim.reading(own).verdict
            except NotDrawn:
                continue
            except NoInstance:
                return claim.short, UNTESTABLE
    return None
