"""What must be right before anything is typeset; each complaint is one sentence with a file and a line."""

from collections import Counter
from collections.abc import Iterable

from attnsvm.errors import UserError, require
from attnsvm.pipeline.terse import meant
from attnsvm.publish.paper.declared import Declared
from attnsvm.publish.paper.manuscript import FIGURE, Manuscript, Name


def check(manuscript: Manuscript, declared: dict[str, Declared], found: dict) -> None:
    """Compare a manuscript with the numbers that a run gives.

    Args:
        found: what numbers.json says, see `numbers.collect`.

    Raises:
        UserError: a name is unknown, never used, given twice, or stands for no finite number.
    """
    numbers(manuscript, declared, found)
    verdicts(manuscript, found)
    titles(manuscript, found)
    references(manuscript)
    figures(manuscript)


def numbers(manuscript: Manuscript, declared: dict[str, Declared], found: dict) -> None:
    """Every number asked for is known and finite; every declared one is asked for."""
    optional = {key for key, one in declared.items() if one.figure in found["absent"]}
    named = manuscript.names["numbers"]
    for one in named:
        number = found["numbers"].get(one.name)
        missing = one.name in optional or _of_an_absent_row(one.name, found)
        require(number is not None or missing, _unknown("number", one, found["numbers"]))
        if found["scale"] == "paper" and number is not None and number["value"] is None:
            raise UserError(f"{one.place}: the number {one.name!r} is not finite: {number['source']}")
    for key, given in declared.items():
        used = any(key == other.name for other in named)
        require(used, f"{given.place}: the number {key!r} is never used: ask for it in the text, or delete the line")


def verdicts(manuscript: Manuscript, found: dict) -> None:
    """Every row of the audit that the text names is there."""
    known = [row["key"] for row in found["claims"]]
    for one in manuscript.names["verdicts"]:
        require(one.name in known or _of_an_absent_row(one.name, found), _unknown("row of the audit", one, known))


def titles(manuscript: Manuscript, found: dict) -> None:
    """Every figure whose title the text takes is there."""
    for one in manuscript.names["titles"]:
        known = [*found["titles"], *found["absent"]]
        require(one.name in known, _unknown("figure", one, known))


def figures(manuscript: Manuscript) -> None:
    """Every figure is shown once and mentioned; a label stands once."""
    shown, labels = manuscript.names["figures"], manuscript.names["labels"]
    marks = [*(Name(FIGURE + one.name, one.place) for one in shown), *labels]
    counted = Counter(one.name for one in marks)
    for one in marks:
        require(
            counted[one.name] == 1,
            f"{one.place}: the label {one.name!r} is given twice: references would lead to one of them",
        )
    mentioned = {one.name for one in manuscript.names["references"]}
    for one in shown:
        require(
            FIGURE + one.name in mentioned,
            f"{one.place}: the figure {one.name!r} is never mentioned: write @{FIGURE}{one.name}",
        )


def references(manuscript: Manuscript) -> None:
    """What the text refers to is there: a label, a figure, an entry of the bibliography; every entry is cited."""
    entries = manuscript.entries
    twice = [one for one, count in Counter(entry.name for entry in entries).items() if count > 1]
    for entry in entries:
        require(entry.name not in twice, f"{entry.place}: the entry {entry.name!r} occurs twice")
    labels = {one.name for one in manuscript.names["labels"]} | {FIGURE + name for name in manuscript.figures}
    known = labels | {entry.name for entry in entries}
    named = manuscript.names["references"]
    for one in named:
        require(one.name in known, _unknown("label or entry of the bibliography", one, known))
    cited = {one.name for one in named}
    for entry in entries:
        require(entry.name in cited, f"{entry.place}: the entry {entry.name!r} is never cited: cite it, or delete it")


def _of_an_absent_row(name: str, found: dict) -> bool:
    """Whether a name is that of an audit row of an optional figure that was not built."""
    return any(name.removeprefix("audit.").startswith(f"{figure}_") for figure in found["absent"])


def _unknown(what: str, one: Name, known: Iterable[str]) -> str:
    return f"{one.place}: there is no {what} {one.name!r}: {meant(one.name, sorted(known))}"
