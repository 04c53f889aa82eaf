"""Every number that the text may ask for, in one file: out of the figures' csv, the audit's table and the settings.

declared keys    what paper/numbers.yaml reads from a csv: "layers.rows"
audit.KEY        the value of an audit row; audit.KEY.threshold, .instances and .published what the row also has;
                 audit.KEY.missed what a share of none in so many instances may be: the upper end of its interval
rows.VERDICT     how many claims as first asked have this verdict; rows.asked and rows.sharper: how many there are;
                 rows.sharpened: how many of them a sharper row stands in for
rows.KIND.*      the same of the claims of a kind: theorem, print, reading, ours, literature
cost.minutes     processor time of all jobs behind the audit's figures; cost.jobs: how many jobs
certificates.*   how many answers the checker saw, by status, and how many were decided in rationals; largest_gap
settings.*       a setting: "settings.normalisation.problems.n"
"""

import json
import math
from collections.abc import Iterable, Iterator
from pathlib import Path

import pandas as pd

from attnsvm.audit import pages
from attnsvm.audit.evaluation import GROUPS, KINDS, VERDICTS, WHOSE, Tables
from attnsvm.audit.numbers import proportion
from attnsvm.audit.table import certificates
from attnsvm.pipeline import captions, cards
from attnsvm.publish.paper.declared import Declared, read
from attnsvm.publish.paper.number_format import shown
from attnsvm.svm.verdict import COUNTS
from attnsvm.system.errors import UserError
from attnsvm.system.store import load_csv, save_text

COST = "figures/audit.json"
OF_A_ROW = ("threshold", "instances", "published", "missed")
DIGITS = 2  # significant, of a number that no declaration speaks of
COUNT = 9  # of a count: all of them
PRINTED = 4  # of a number in print
WORDS = ("key", "kind", "short", "statement", "check", "why", "also", "verdict", "figure", "sharpens", "seeds")


def write(
    folder: str,
    audits: Iterable[str],
    declared: dict[str, Declared],
    figures: Iterable[str],
    resolved: dict,
    output: str,
) -> None:
    """Write numbers.json, see `collect`; keys sorted, one form for all machines."""
    found = collect(Path(folder), audits, declared, figures, resolved)
    save_text(output, json.dumps(found, indent=1, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n")


def collect(
    folder: Path, audits: Iterable[str], declared: dict[str, Declared], figures: Iterable[str], resolved: dict
) -> dict:
    """What numbers.json says.

    Args:
        folder: with the run's figures/ and results/ in it.
        audits: paths of the tables of claims: the audit's, and those of optional figures that were built.
        declared: the numbers to read, by key.
        figures: names of the figures that were built.
        resolved: the whole configuration.

    Raises:
        UserError: a csv is missing, damaged or without a column; at the paper's scale also: without a row, or with a
            number that is not finite.
    """
    built, complete = list(figures), resolved["scale"] == "paper"
    claiming = cards.claiming(optional=True)
    absent = [card.name for card in cards.optional() if card.name not in built]
    rows = pd.concat([load_csv(path) for path in audits], ignore_index=True)
    words = [*WORDS, "measured", "printed", "main", "further"]
    texts = rows.astype(dict.fromkeys(words, object)).fillna(dict.fromkeys(words, ""))
    numbers: dict[str, dict] = {}
    for key, one in declared.items():
        if one.figure in built:
            numbers[key] = _declared(one, load_csv(folder / one.table), complete)
    for row in texts.to_dict("records"):
        numbers |= dict(_of_a_row(row))
    numbers |= dict(_counts(texts, certificates(Tables(folder), [card.name for card in cards.experiments()])))
    numbers |= dict(_cost(json.loads((folder / COST).read_text("utf-8"))))
    numbers |= dict(_settings(resolved))
    return {
        "scale": resolved["scale"],
        "numbers": numbers,
        "claims": [_claim(row) for row in texts.to_dict("records")],
        "groups": list(GROUPS.items()),
        "kinds": list(WHOSE.items()),
        "captions": {name: captions.caption(cards.read(name), resolved) for name in built},
        "titles": {name: cards.read(name).title for name in built},
        "optional": [name for name in built if cards.read(name).optional],
        "absent": absent,
        "missing": [
            *(key for key, one in declared.items() if one.figure in absent),
            *(claim.key for card in claiming if card.name in absent for claim in card.claims),
        ],
    }


def entry(
    value: float | None, digits: int, source: str, figure: str = "", row: str = "", unit: str = "", low=None, high=None
) -> dict:
    """A number as it stands in numbers.json: with its interval, unit and digits, and where it comes from.

    Attributes of the answer: "figure" and "row" name the figure and the audit row that the number links to.
    """
    value, low, high = map(_finite, (value, low, high))
    return {
        "value": value,
        "low": low,
        "high": high,
        "unit": unit,
        "digits": digits,
        "source": source,
        "figure": figure,
        "row": row,
        "shown": [shown(one, digits) for one in (value, low, high)],
    }


def _declared(one: Declared, table: pd.DataFrame, complete: bool) -> dict:
    try:
        found = one.read(table)
    except LookupError as nothing:
        if complete:
            raise UserError(str(nothing)) from nothing
        found = {"value": None, "low": None, "high": None}
    number = entry(
        found["value"], one.digits, one.source(), one.figure, unit=one.unit, low=found["low"], high=found["high"]
    )
    if complete and number["value"] is None:
        raise UserError(f"{one}: {one.source()} is not finite: build the figure, or read another cell")
    return number


def _of_a_row(row: dict) -> Iterator[tuple[str, dict]]:
    key, where = f"audit.{row['key']}", f"the audit, row {row['key']}"
    yield key, entry(row["value"], DIGITS, where, row["figure"], row["key"], low=row["low"], high=row["high"])
    row = row | {"missed": proportion(0, row["instances"]).high if row["instances"] else None}
    for name in OF_A_ROW:
        digits = {"instances": COUNT, "published": PRINTED}.get(name, DIGITS)
        yield f"{key}.{name}", entry(row[name], digits, f"{where}, {name}", row["figure"], row["key"])


def _counts(rows: pd.DataFrame, checked: pd.DataFrame) -> Iterator[tuple[str, dict]]:
    asked = rows[rows["sharpens"] == ""]
    kinds = [(f"rows.{kind}", f"claims, {WHOSE[kind]},", asked[asked["kind"] == kind]) for kind in KINDS]
    for place, whose, own in (("rows", "claims", asked), *kinds):
        source = f"the audit: {whose} as first asked"
        for verdict in VERDICTS:
            count = int((own["verdict"] == verdict).sum())
            yield f"{place}.{verdict.replace(' ', '_')}", entry(count, COUNT, f"{source}, {verdict}")
        yield f"{place}.asked", entry(len(own), COUNT, source)
    sharper = rows[rows["sharpens"] != ""]
    yield "rows.sharper", entry(len(sharper), COUNT, "the audit: rows that say what holds instead")
    yield "rows.sharper_hold", entry(int((sharper["verdict"] == "holds").sum()), COUNT, "the audit: of those, holds")
    yield "rows.sharpened", entry(sharper["sharpens"].nunique(), COUNT, "the audit: claims that such a row names")
    for name in ("checked", *COUNTS):
        yield (
            f"certificates.{name}",
            entry(int(checked[name].sum()), COUNT, f"results/*/certificates.csv, sum of {name}"),
        )
    largest = checked["largest_gap"].max()
    yield "certificates.largest_gap", entry(largest, DIGITS, "results/*/certificates.csv, max of largest_gap")


def _cost(provenance: dict) -> Iterator[tuple[str, dict]]:
    known = [one for of in provenance["experiments"].values() for one in of["cost"].values() if one]
    minutes = sum(one["cpu_s"] for one in known) / 60
    yield "cost.minutes", entry(minutes, DIGITS, f"{COST}, processor seconds of all stages")
    yield "cost.jobs", entry(sum(one["jobs"] for one in known), COUNT, f"{COST}, jobs of all stages")


def _settings(resolved: dict) -> Iterator[tuple[str, dict]]:
    for experiment, stages in resolved["experiments"].items():
        for stage, chosen in stages.items():
            for name, value in chosen.items():
                if isinstance(value, int | float) and not isinstance(value, bool):
                    yield (
                        f"settings.{experiment}.{stage}.{name}",
                        entry(value, DIGITS, f"the setting {experiment}.{stage}.{name}"),
                    )


def _claim(row: dict) -> dict:
    return {name: row[name] for name in WORDS} | {
        "group": row["group"],
        "measured": pages.measured(row),
        "wanted": pages.wanted(row),
        "instances": int(row["instances"]),
        "unmet": pages.unmet(row),
        "main": pages.conditions(row["main"]),
        "further": pages.conditions(row["further"]),
    }


def _finite(value) -> float | None:
    return float(value) if value is not None and math.isfinite(value) else None


def _job(job) -> None:
    folder = job.output[0].removesuffix("results/paper/numbers.json") or "."
    write(folder, job.inputs["audits"], read(), job.params.figures, job.params.settings, job.output[0])


JOBS = {"paper_numbers": _job}
