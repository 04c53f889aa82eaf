"""The short paper about the software, in the Markdown of a software journal, with the numbers of the run."""

import json
import re
from pathlib import Path

import jinja2

from attnsvm.errors import UserError, require
from attnsvm.publish.paper.manuscript import ROOT
from attnsvm.publish.paper.shown import text
from attnsvm.store import save_text

SOURCE, REFERENCES = "paper/software/paper.md.j2", "paper/software/paper.bib"
MARK = re.compile(r"\[AUTHORS: ([^\]]+)\]")  # around what only the authors can say


def write(numbers: str, output: str, root: Path = ROOT) -> str:
    """Fill the source with the numbers of a run.

    Args:
        numbers: path of numbers.json.
        output: path of the Markdown to write.

    Returns:
        What is left to its authors, see `left`.

    Raises:
        UserError: the source asks for a number that there is not, or is no template.
    """
    found = json.loads(Path(numbers).read_text("utf-8"))
    source = (root / SOURCE).read_text("utf-8")
    save_text(output, filled(source, found))
    return left(source)


def left(source: str) -> str:
    """The texts that only the authors can write, a line each; "" where there is none."""
    marks = MARK.findall(source)
    head = f"{SOURCE} lacks {len(marks)} texts that only its authors can write, marked [AUTHORS: ...]:"
    return "\n".join([head, *(f"  {mark}" for mark in marks)]) if marks else ""


def filled(source: str, found: dict) -> str:
    """The text with what numbers.json says: `n("rows.asked")` is a number, `verdict("W_to_frobenius")` a word."""
    verdicts = {row["key"]: row["verdict"] for row in found["claims"]}

    def n(key: str) -> str:
        require(key in found["numbers"], f"there is no number {key!r}")
        number = found["numbers"][key]
        require(found["scale"] != "paper" or number["value"] is not None, f"the number {key!r} is not finite")
        return text(number["value"], number["digits"])

    def verdict(key: str) -> str:
        require(key in verdicts, f"there is no row of the audit {key!r}")
        return verdicts[key]

    environment = jinja2.Environment(undefined=jinja2.StrictUndefined, keep_trailing_newline=True)
    try:
        return environment.from_string(source).render(n=n, verdict=verdict, smoke=found["scale"] != "paper")
    except (UserError, jinja2.TemplateError) as error:
        raise UserError(f"{SOURCE}: {error}") from error
