"""`attnsvm compare`: whether a build has the numbers and the verdicts of the release, one line per figure."""

from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from attnsvm.audit.evaluation import Tables
from attnsvm.audit.table import audit
from attnsvm.pipeline import cards, job_records
from attnsvm.pipeline.configuration import resolve
from attnsvm.pipeline.plan import Plan
from attnsvm.publish.exchange.differences import Difference, furthest
from attnsvm.publish.exchange.reference import Reference, rounded
from attnsvm.system import checksums
from attnsvm.system.errors import UserError, require
from attnsvm.system.store import load_csv
from attnsvm.system.untrusted import json_file

BYTES, ROUNDED, DIFFERS, ABSENT, OTHER, STALE = (
    "same bytes",
    "same within rounding",
    "differs",
    "not built",
    "other settings",
    "not this code's",
)
UNREADABLE = "unreadable"  # the verdict of a claim that misses something in its table
NAMED = 4  # columns that say which row it is


@dataclass(frozen=True)
class Compared:
    """What became of one figure.

    Attributes:
        name: of the figure.
        outcome: one of the six words above.
        why: where the largest difference is, or what is other than in the reference; "" if nothing is.
        changed: {key: (verdict here, verdict of the reference)} of the claims whose verdicts are not the same.
        claims: how many claims were read in both.
    """

    name: str
    outcome: str
    why: str = ""
    changed: dict[str, tuple[str, str]] = field(default_factory=dict)
    claims: int = 0

    @property
    def reproduced(self) -> bool:
        """Whether nothing that was compared is other than in the reference."""
        return self.outcome not in (DIFFERS, STALE) and not self.changed

    def lines(self, width: int) -> list[str]:
        """What is printed; `width`: of the column of names."""
        text = f"{self.name:{width}}  {self.outcome}"
        if self.claims:
            text += f"; {self.claims - len(self.changed)} of {self.claims} verdicts as in the reference"
        told = [f"claim {key}: {here} here, {there} in the reference" for key, (here, there) in self.changed.items()]
        return [text, *(f"    {line}" for line in [*filter(None, [self.why]), *told])]


def compare(reference: Reference, folder: Path) -> list[Compared]:
    """Every figure of the reference, compared with the build in a folder.

    Args:
        folder: with figures/ and results/ in it, as a run leaves them.

    Raises:
        UserError: no figure of the reference is built there.
    """
    require(Path(folder).is_dir(), f"{folder}: there is no such folder")
    known = {card.name for card in cards.figures(optional=True)}
    found = [_figure(reference, name, Path(folder)) for name in reference.figures if name in known]
    nothing = f"{folder}: no figure of the reference is built here at full scale; of a run, build some with run=NAME"
    require(any(one.outcome != ABSENT for one in found), nothing)
    return found


def summary(found: list[Compared]) -> str:
    """One line for all figures."""
    counts = {
        word: sum(one.outcome == word for one in found) for word in (BYTES, ROUNDED, DIFFERS, STALE, OTHER, ABSENT)
    }
    said = ", ".join(f"{count} {word}" for word, count in counts.items() if count)
    claims, changed = sum(one.claims for one in found), sum(len(one.changed) for one in found)
    judged = f"; {claims - changed} of {claims} verdicts as in the reference" if claims else ""
    return f"{len(found)} figures: {said}{judged}"


def verdicts_of(name: str, folder: Path) -> dict[str, str]:
    """The verdict of each claim of an experiment, by key, read anew: a page of the audit may be older than its tables.

    A claim whose table is not built is left out. A claim that misses a column or a row in its table is UNREADABLE.

    Args:
        folder: with figures/ and results/ in it.
    """
    card = cards.read(name)
    found = {}
    for claim in card.claims:
        try:
            row = audit(Tables(folder, draws={name: card.draws}), {name: (claim,)}).iloc[0]
        except UserError:
            continue
        except RuntimeError:  # a table of other code
            found[claim.key] = UNREADABLE
            continue
        found[claim.key] = str(row["verdict"])
    return found


def _figure(reference: Reference, name: str, folder: Path) -> Compared:
    path, known = folder / f"figures/{name}.csv", reference.figures[name]
    if not path.exists():
        return Compared(name, ABSENT)
    if other := _other_setting(folder / f"figures/{name}.json", known.experiments):
        return Compared(name, OTHER, f"{other}; not compared")
    if why := _stale(path):
        return Compared(name, STALE, f"{why}; build figures/{name} again")
    judged = verdicts_of(name, folder)
    both = {key: (judged[key], reference.verdicts[key]) for key in judged if key in reference.verdicts}
    changed = {key: pair for key, pair in both.items() if pair[0] != pair[1]}
    if checksums.of(path) == known.sha256:
        return Compared(name, BYTES, "", changed, len(both))
    return Compared(name, *_numbers(reference, name, path), changed, len(both))


def _other_setting(path: Path, asked: dict) -> str:
    """The first setting of a build that is not that of the reference; "" without one, and where none is recorded."""
    try:
        here = dict(json_file(path)["config"]["experiments"])
    except (UserError, KeyError, TypeError, ValueError):
        return ""
    if (found := _first_difference(asked, here)) is None:
        return ""
    key, theirs, ours = ("not there" if one is None else one for one in found)
    return f"{key} is {ours}, in the reference {theirs}"


def _first_difference(theirs: dict, ours: dict, above: str = "") -> tuple[str, object, object] | None:
    """The first key, in the order of names, whose values differ: (key, theirs, ours); None if there is none."""
    for key in sorted({*theirs, *ours}, key=str):
        one, other = theirs.get(key), ours.get(key)
        if isinstance(one, dict) and isinstance(other, dict):
            if found := _first_difference(one, other, f"{above}{key}."):
                return found
        elif one != other:
            return f"{above}{key}", one, other
    return None


def _stale(path: Path) -> str:
    """Why a csv is not what this code makes of the settings that its json records; "" where it is."""
    if not checksums.holds(path):
        return f"damaged ({checksums.DIFFERS})"
    try:
        resolved = resolve(dict(json_file(path.with_suffix(".json"))["config"]))
        folder, usual = _stood(path), Plan(resolved, {})
        blocks = _blocks(path, folder)
        plan = Plan(resolved, {name: len(own) for name, own in blocks.items() if own != {*usual.blocks(name)}})
        made = plan.made(f"figures/{path.name}")
        return job_records.stale(str(path.absolute().relative_to(folder)), made, str(folder))
    except (UserError, KeyError, TypeError, ValueError) as error:
        return f"there is no telling what made it ({error})"


def _stood(path: Path) -> Path:
    """The folder from which the record of a csv names files: above that of the build, as of a run with a name."""
    inputs, build = (checksums.record(path) or {}).get("inputs", {}), path.absolute().parents[1]
    above = Path(next(iter(inputs), "").rpartition("results/")[0]).parts
    return build.parents[len(above) - 1] if above and build.parts[-len(above) :] == above else build


def _blocks(path: Path, folder: Path) -> dict[str, set[str]]:
    """The names of the blocks behind a figure, by experiment, as the records of its tables, in a folder, have them."""
    found: dict[str, set[str]] = {}
    for table in (checksums.record(path) or {}).get("inputs", {}):
        for file in (checksums.record(folder / table) or {}).get("inputs", {}):
            experiment, block = file.split("/")[-3:-1]
            found.setdefault(experiment, set()).add(block)
    return found


def _numbers(reference: Reference, name: str, path: Path) -> tuple[str, str]:
    """The outcome of a csv that has other bytes, and why."""
    try:
        here = load_csv(path)
    except UserError as error:
        return DIFFERS, str(error)
    there = reference.table(name)
    if list(here) != list(there):
        extra, gone = ([str(c) for c in one if c not in other] for one, other in ((here, there), (there, here)))
        return DIFFERS, f"its columns: {', '.join(extra) or 'none'} only here, {', '.join(gone) or 'none'} only there"
    if len(here) != len(there):
        return DIFFERS, f"{len(here)} rows here, {len(there)} in the reference"
    short = here.assign(**{c: rounded(here[c].to_numpy()) for c in here if here[c].dtype.kind == "f"})
    found = furthest(short, there, reference.figures[name].tolerances)
    outcome = ROUNDED if all(one.allowed for one in found) else DIFFERS
    return outcome, _told(found, there) if found else "no number moved by more than its last digits"


def _told(found: list[Difference], table: pd.DataFrame) -> str:
    """The largest difference and where it is; of the others how many."""
    first = found[0]
    words = [column for column in table if table[column].dtype.kind in "OUSTib" and column != first.column][:NAMED]
    row = ", ".join(
        f"{column}={table[column].iloc[first.row]}" for column in words if pd.notna(table[column].iloc[first.row])
    )
    where = f"{first.column} in line {first.row + 2}{f' ({row})' if row else ''}"
    text = f"{where} is {_short(first.here)}, in the reference {_short(first.reference)}"
    beyond = sum(one.numbers for one in found)
    return f"{text}; {beyond} of {table.size} numbers differ by more than 1e-6" if beyond else text


def _short(value: float | str) -> str:
    return repr(value) if isinstance(value, str) else f"{value:.7g}"
