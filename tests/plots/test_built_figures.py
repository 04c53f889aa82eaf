"""Every figure there is, drawn from the table of the smoke run."""

import json
from unittest import mock

import legible
import pandas as pd
import pytest
from harness import BUILT
from in_process import AGAIN, SEEN
from matplotlib.figure import Figure

from attnsvm.pipeline import cards
from attnsvm.pipeline.configuration import resolve
from attnsvm.pipeline.plan import Plan
from attnsvm.pipeline.running import drawing
from attnsvm.system.store import load_csv, load_table

FIGURES = cards.figures()
PLAN = Plan(resolve({"scale": "smoke"}), {})


def settings(name):
    return PLAN.params("figure")["settings"](figure=name)


def tables(everything, card):
    return {name: str(everything / BUILT / "results" / name / "measures.parquet") for name in card.draws}


def drawn(everything, card):
    """The table that a figure draws; of several experiments, as its csv has it."""
    paths = list(tables(everything, card).values())
    return load_table(paths[0]) if len(paths) == 1 else load_csv(everything / BUILT / f"figures/{card.name}.csv")


@pytest.mark.parametrize("card", FIGURES, ids=lambda card: card.name)
def test_every_figure_is_built_with_the_columns_of_its_card(everything, card):
    stem = everything / BUILT / "figures" / card.name
    assert stem.with_suffix(".pdf").read_bytes().startswith(b"%PDF")
    assert stem.with_suffix(".png").read_bytes().startswith(b"\x89PNG")
    assert b"<svg" in stem.with_suffix(".svg").read_bytes()[:1000]
    table = pd.read_csv(stem.with_suffix(".csv"))
    assert set(table.columns) == set(card.columns)
    assert len(table)
    empty = {*table.columns[table.isna().all()]}
    assert empty <= {"low", "high"}, "columns without a single value; a median of fewer than six has no interval"


@pytest.mark.parametrize("card", FIGURES[::11], ids=lambda card: card.name)
def test_the_same_table_gives_the_same_bytes_again(everything, card, tmp_path):
    """In another process, of a few: tests/workflow/test_whole_house.py."""
    assert card.name in AGAIN
    drawing.figure(card.name, settings(card.name), tables(everything, card), str(tmp_path / card.name))
    for kind in ("pdf", "png", "csv"):
        ours, first = tmp_path / f"{card.name}.{kind}", everything / BUILT / f"figures/{card.name}.{kind}"
        assert ours.read_bytes() == first.read_bytes()


@pytest.mark.parametrize("card", FIGURES, ids=lambda card: card.name)
def test_axes_are_labelled_and_every_text_lies_inside_the_figure_at_every_width(everything, card):
    """At the usual one, as `everything` saw it when it was drawn; at a narrower one labels may run out."""
    assert json.loads((everything / SEEN).read_text())[card.name] == []
    headed = drawing.headed(card.name, settings(card.name), everything / BUILT / f"figures/{card.name}.csv")
    draw, given = card.module("figure").draw, (drawn(everything, card), headed | {"width": 5.0})
    with mock.patch.object(Figure, "draw_without_rendering"):  # the layout takes most of the time
        figure = draw(*given)
    if legible.asked(figure, labels=False):
        figure = draw(*given)
    assert legible.faults(figure, 5.0, labels=False) == []
