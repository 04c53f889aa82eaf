"""Where a claim holds: its verdict under other settings, claims by variants, and one sentence for each claim.

A cell has the verdict of the audit. One that fails, and could have more steps, is judged by ten times as many where
there was time for them: see `run_on`.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import pandas as pd

from attnsvm.audit.evaluation import FAILS, HOLDS, IN_PART, MOVING, UNDECIDED, UNTESTABLE, Claim, Drawn, NoInstance
from attnsvm.audit.numbers import MOVES, Limit
from attnsvm.audit.pages import number
from attnsvm.system.errors import UserError

TEN_TIMES = "ten_times"  # the variant that runs these kinds on
OF_ONE_PROBLEM = ("seeds", "schedule")
KINDS = ("seeds", "shapes", "tokens", "schedule", "other")  # of variants, in the order of the page
COLUMNS = (
    *("figure", "claim", "group", "short", "variant", "kind", "text", "verdict"),
    *("value", "low", "high", "instances", "wanted", "limit", "unmet", "longer"),
)
NUMBERS = ("value", "low", "high", "limit", "longer")
LISTED = 6  # variants that a sentence names
KEPT = Path(__file__).with_name("elsewhere.csv")  # the matrix of the release


def matrix(
    figure: str, claims: Sequence[Claim], variants: Mapping[str, tuple[str, str]], tables: Mapping, proofs: Mapping
) -> pd.DataFrame:
    """One row for every claim and variant.

    Args:
        variants: {name: (kind, words)}.
        tables: {name of a variant: the table that the figure would draw}; without rows where nothing was measured.
        proofs: {name of a variant: how many of its answers ended how}.
    """
    rows = [
        {"figure": figure, "claim": claim.key, "group": claim.group, "short": claim.short}
        | {"variant": name, "kind": kind, "text": text, "wanted": claim.limit.wanted, "limit": claim.limit.value}
        | _cell(claim, Drawn(Path(), figure, draws={figure: (figure,)}, table=tables[name], proofs=proofs[name]))
        for claim in claims
        if claim.testable and claim.figure in (None, figure) and claim.kind != "print"
        for name, (kind, text) in variants.items()
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def run_on(rows: pd.DataFrame, longer: pd.DataFrame) -> pd.DataFrame:
    """The cells of a figure that has steps, those that fail judged by ten times as many.

    A cell that fails and whose longer run does not is still moving, and so it is where the longer run fails too and has
    come nearer to the limit by a fifth of what it then misses. The column `longer` has the number after ten times the
    steps, NaN where it was not run on. Other seeds and schedules may be judged by `ten_times`, which is long itself.

    Args:
        rows, longer: as `matrix` has them, of the variants and of those that were run on.
    """
    ends = {(cell["claim"], cell["variant"]): cell for cell in longer.to_dict("records")}
    ends |= {(cell["claim"], TEN_TIMES): cell for cell in rows[rows["variant"] == TEN_TIMES].to_dict("records")}
    made = []
    for cell in rows.to_dict("records"):
        if cell["verdict"] == FAILS and cell["variant"] != TEN_TIMES:
            usual = TEN_TIMES if cell["kind"] in OF_ONE_PROBLEM else ""
            end = ends.get((cell["claim"], cell["variant"]), ends.get((cell["claim"], usual)))
            cell |= {"verdict": FAILS if end is None else _after(cell, end)}
            cell |= {"longer": end["value"] if end else float("nan")}
        made.append(cell)
    return pd.DataFrame(made, columns=list(COLUMNS))


def _after(cell: dict, end: dict) -> str:
    """The verdict of a cell that fails, by its longer run."""
    if end["verdict"] not in (FAILS, UNTESTABLE):
        return MOVING
    nearer = (cell["value"] - end["value"]) * (1 if Limit(cell["limit"], cell["wanted"], "").falls else -1)
    missing = abs(end["value"] - cell["limit"])
    return MOVING if nearer > 0 and nearer >= MOVES * missing else FAILS


def _cell(claim: Claim, own: Drawn) -> dict:
    """The verdict of a claim on one table, its number, and what is not met, or why nothing could be checked."""
    nothing = dict.fromkeys(("value", "low", "high", "longer"), float("nan")) | {"instances": 0}
    if own.table.empty:
        return nothing | {"verdict": UNTESTABLE, "unmet": "no instance could be measured"}
    try:
        found = claim.reading(own)
    except NoInstance as why:
        return nothing | {"verdict": UNTESTABLE, "unmet": str(why)}
    except (RuntimeError, UserError) as why:  # a claim may ask for a shape that these settings do not have
        return nothing | {"verdict": UNTESTABLE, "unmet": str(why).partition(": ")[2]}
    verdict = found.verdict
    cell = {name: float(f"{getattr(found, name):.6g}") for name in ("value", "low", "high")}
    cell |= {"instances": int(found.instances), "longer": float("nan")}
    parts = found.main if verdict in (FAILS, MOVING) else found.parts
    return cell | {"verdict": verdict, "unmet": "; ".join(what for what, met in parts.items() if not met)}


def sentence(rows: pd.DataFrame) -> str:
    """Where a claim holds, of its rows: "holds in 14 of 15 variants; not with one-hot tokens (.005)"."""
    by = dict(iter(rows.groupby("verdict", sort=False)))
    said = [f"holds in {len(by.get(HOLDS, ()))} of {len(rows)} variants"]
    if UNDECIDED in by:
        said[0] += f", undecided in {len(by[UNDECIDED])}"
    listed = {FAILS: "not with ", MOVING: "still moving with ", IN_PART: "in part with "}
    for verdict, words in listed.items():
        if verdict in by:
            said.append(words + _named(by[verdict]))
    if UNTESTABLE in by:
        said.append(f"untestable in {len(by[UNTESTABLE])}")
    return "; ".join(said)


def sentences(rows: pd.DataFrame) -> dict[str, str]:
    """`sentence` of every claim of a matrix, by key."""
    return {str(key): sentence(own) for key, own in rows.groupby("claim", sort=False)}


def where(claims: Iterable[Claim], rows: pd.DataFrame) -> dict[str, str]:
    """What the audit says below a claim, by key: of what it is said, and where it holds of a matrix's rows."""
    found = sentences(rows)
    return {
        claim.key: f"Said of: {', '.join(('its settings', *claim.range))}. Elsewhere it {found[claim.key]}."
        for claim in claims
        if claim.key in found
    }


def beyond(claim: Claim, rows: pd.DataFrame) -> list[str]:
    """The variants of a matrix's rows in which a claim fails though it is said of them."""
    own = rows[(rows["claim"] == claim.key) & (rows["verdict"] == FAILS)]
    return list(own.loc[own["variant"].isin(claim.range) | own["kind"].isin(claim.range), "variant"])


def released() -> pd.DataFrame:
    """The matrix of the release."""
    return pd.read_csv(KEPT, keep_default_na=False, na_values=dict.fromkeys(NUMBERS, ""))


def _named(rows: pd.DataFrame) -> str:
    some = [f"{row.text} ({number(row.value)})" for row in rows.head(LISTED).itertuples()]
    more = [f"{len(rows) - LISTED} others"] if len(rows) > LISTED else []
    return ", ".join([*some, *more])


def html(rows: pd.DataFrame, statements: Mapping[str, str], tiny: bool = False) -> str:
    """The page: a table for every figure, claims by variants.

    Args:
        statements: of the claims, by key.
        tiny: whether the numbers are those of a smoke run, which the page then says.
    """
    from importlib.resources import files

    import jinja2

    environment = jinja2.Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
    )
    environment.filters["number"] = number
    rows = rows.fillna({"unmet": ""})
    tables = [
        {"name": name, "variants": own[["variant", "text"]].drop_duplicates().to_dict("records"), "claims": _lines(own)}
        for name, own in rows.groupby("figure", sort=False)
    ]
    return environment.from_string(files("attnsvm.audit").joinpath("elsewhere.html.j2").read_text("utf-8")).render(
        tables=tables,
        statements=statements,
        counts=rows["verdict"].value_counts(sort=False).to_dict(),
        cells=len(rows),
        tiny=tiny,
    )


def _lines(rows: pd.DataFrame) -> Iterable[dict]:
    return [
        {"key": key, "sentence": sentence(own), "cells": {cell["variant"]: cell for cell in own.to_dict("records")}}
        for key, own in rows.groupby("claim", sort=False)
    ]
