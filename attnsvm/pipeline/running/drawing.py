"""How figures are drawn: from the table of an experiment, and from the audit's."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pandas as pd

from attnsvm.pipeline import cards
from attnsvm.pipeline.running.stages import file_of, returned
from attnsvm.system.errors import UserError, require
from attnsvm.system.store import load_csv, load_table, save_bytes, save_csv


def figure(name: str, settings: dict, tables: dict[str, str], stem: str, certificates: Sequence[str] = ()) -> None:
    """Draw a figure as `stem`.pdf, `stem`.png and `stem`.svg, and write the numbers drawn to `stem`.csv.

    Args:
        tables: by experiment, the table to draw; of several, the rows follow one another, with a column `experiment`.
        certificates: of these experiments, how many answers ended how.
    """
    card = cards.read(name)
    frames = {experiment: load_table(path) for experiment, path in tables.items()}
    if len(frames) > 1:
        for experiment, frame in frames.items():
            frame.insert(0, "experiment", experiment)
    table = pd.concat(frames.values(), ignore_index=True)
    unknown = [column for column in table if column not in card.columns]
    absent = [column for column in card.columns if column not in table]
    where = f"{name}/card.yaml: columns"
    if unknown:
        plain = [*tables] == [name] and not hasattr(card.module("measures"), "table")
        why = " (measures.py has no `table`: these are its rows)" if plain else ""
        raise UserError(f"{where}: say what {', '.join(map(repr, unknown))} means{why}")
    require(not absent, f"{where}: the table has no column {', '.join(map(repr, absent))}")
    save_csv(f"{stem}.csv", table)
    from matplotlib.figure import FigureBase

    module = card.module("figure")
    figure = returned(module, "draw", FigureBase, table, headed(name, settings, f"{stem}.csv", certificates))
    seen = any(axes.has_data() or axes.texts or axes.tables for axes in _axes(figure))
    require(seen, f"{file_of(module)}: `draw` draws nothing: a figure needs axes with lines, marks or the like")
    save_figure(figure, stem, settings["dpi"])


def _axes(figure) -> Iterator:
    """The axes of a figure and of the figures in it."""
    yield from figure.axes
    for part in figure.subfigs:
        yield from _axes(part)


def headed(name: str, settings: dict, csv: str, certificates: Sequence[str] = ()) -> dict:
    """The settings of a figure with its headline, see `attnsvm.audit.headline`; `csv`: the path of the table drawn."""
    from attnsvm.audit.evaluation import Drawn
    from attnsvm.audit.headline import headline

    proofs = {"proofs": pd.concat([load_csv(path) for path in certificates])} if certificates else {}
    drawn = Drawn(Path(), name, draws={name: (name,)}, table=load_csv(csv), **proofs)
    line = headline(settings["title"], drawn, cards.read(name).claims, settings["scale"])
    return settings | {"headline": line}


def save_figure(figure, stem: str, dpi: float) -> None:
    """Write a figure as `stem`.pdf, `stem`.png and `stem`.svg."""
    from attnsvm.plots.style import all_rendered

    for kind, content in all_rendered(figure, dpi).items():
        save_bytes(f"{stem}.{kind}", content)


def audit_figure(settings: dict, claims_path: str, stem: str) -> None:
    """Draw the table of claims as `stem`.pdf, `stem`.png and `stem`.svg."""
    from attnsvm.audit import figure as audit

    save_figure(audit.draw(load_csv(claims_path), settings), stem, settings["dpi"])


def _figure(job) -> None:
    tables = dict(job.inputs)
    counted = tables.pop("certificates")
    stem = job.outputs["csv"].removesuffix(".csv")
    figure(job.name, job.params.settings, tables, stem, [counted] if isinstance(counted, str) else counted)


JOBS = {
    "figure": _figure,
    "audit_figure": lambda job: audit_figure(
        job.params.settings, job.inputs["claims"], job.outputs["pdf"].removesuffix(".pdf")
    ),
}
