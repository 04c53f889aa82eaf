"""The audit as a table: one row per claim."""

from collections.abc import Iterable, Mapping, Sequence

import pandas as pd

from attnsvm.audit import retired
from attnsvm.audit.evaluation import GROUPS, KINDS, UNTESTABLE, Claim, NoInstance, Tables
from attnsvm.audit.numbers import proportion
from attnsvm.audit.wording import words
from attnsvm.svm.verdict import COUNTS, STATUSES, require_tight
from attnsvm.system.errors import require


def audit(tables: Tables, claims: Mapping[str, Sequence[Claim]]) -> pd.DataFrame:
    """One row per claim: what it says, what was measured, and the verdict that follows.

    Args:
        claims: by experiment; the rows stand by group, those of the paper by kind, then in this order, and what
            sharpens a claim stands behind it.

    Raises:
        UserError: a table is missing or damaged, or two claims have the same key.
        Misread: a claim asks the tables for something that they do not have.
    """
    homes: dict[str, str] = {}
    for experiment, claims_here in claims.items():
        for claim in claims_here:
            first = homes.setdefault(claim.key, experiment)
            taken = f"{_file(experiment)}: the key {claim.key!r} is taken by {_file(first)}: choose another"
            require(first == experiment and sum(claim.key == other.key for other in claims_here) == 1, taken)
    rows = [_row(claim, tables.of(experiment)) for experiment, claims_here in claims.items() for claim in claims_here]
    return pd.DataFrame(_together(sorted(rows, key=_place))).merge(retired.revised(), how="left", on="key")


def certificates(tables: Tables, experiments: Iterable[str]) -> pd.DataFrame:
    """Per experiment: how many SVM answers the checker saw, by status, and how many were decided in rationals.

    Raises:
        UserError: an answer that is called solved has a gap above the tolerance.
    """
    rows = []
    for experiment in experiments:
        counted = tables.certificates(experiment)
        require_tight(experiment, counted.to_dict("records"))
        row = {"experiment": experiment, "checked": int(counted[list(STATUSES)].to_numpy().sum())}
        row |= {word: int(counted[word].sum()) for word in COUNTS}
        rows.append(row | {"largest_gap": counted["largest_gap"].max()})
    return pd.DataFrame(rows)


def _together(rows: list[dict]) -> list[dict]:
    """The rows in their order, each followed by those that sharpen it; what sharpens a row elsewhere stays in place."""
    keys = {row["key"] for row in rows}
    behind = [row for row in rows if row["sharpens"] in keys]
    return [
        one
        for row in rows
        if row["sharpens"] not in keys
        for one in (row, *(other for other in behind if other["sharpens"] == row["key"]))
    ]


def _place(row: dict) -> tuple[int, int]:
    return list(GROUPS).index(row["group"]), KINDS.index(row["kind"]) if row["group"] == "paper" else 0


def _row(claim: Claim, tables: Tables) -> dict:
    row = {
        name: getattr(claim, name)
        for name in (
            "key",
            "group",
            "kind",
            "source",
            "short",
            "statement",
            "check",
            "measured",
            "sharpens",
            "unsharpened",
        )
    }
    row |= {"seeds": "{} to {}".format(*claim.seeds) if claim.seeds else ""}
    row |= {"wanted": claim.limit.wanted, "printed": claim.printed, "instances": 0, "answers": 0, "unproved": 0}
    row |= dict.fromkeys(("value", "low", "high", "published", "threshold", "missed"), float("nan"))
    also = "; ".join(f"{limit.text}: {limit.why}" for limit in claim.also.values())
    row |= {"why": claim.limit.why, "also": also, "main": "", "further": "", "verdict": UNTESTABLE}
    row |= {"figure": tables.name if claim.figure is None else claim.figure}
    if not claim.testable:
        return row
    try:
        reading = claim.reading(tables)
    except NoInstance as nothing:
        return row | words(claim, tables) | {"why": str(nothing)}
    row |= words(claim, tables) | {
        name: getattr(reading, name) for name in ("value", "low", "high", "published", "verdict")
    }
    row |= {"main": _as_text(reading.main), "further": _as_text(reading.further)}
    if reading.every:
        row["missed"] = proportion(0, reading.instances).high
    unproved, answers, _ = tables.unproved()
    row |= {"answers": answers, "unproved": unproved}
    return row | {"instances": int(reading.instances), "threshold": claim.limit.value}


def _as_text(parts: dict[str, bool]) -> str:
    """Conditions as text: "yes: W trained; no: KQ trained"."""
    return "; ".join(f"{'yes' if met else 'no'}: {what}" for what, met in parts.items())


def _file(experiment: str) -> str:
    return f"the claims.py of {experiment}"
