"""Every figure there is, drawn from the table of the smoke run."""

import json
import shutil
import subprocess
import sys
from unittest import mock

import legible
import numpy as np
import pandas as pd
import pytest
from harness import BUILT
from in_process import AGAIN, SEEN
from matplotlib.figure import Figure
from PIL import Image

from attnsvm.pipeline import cards, standalone
from attnsvm.pipeline.configuration import resolve
from attnsvm.pipeline.plan import Plan
from attnsvm.pipeline.running import stages
from attnsvm.store import load_csv, load_table

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
    assert not table.columns[table.isna().all()].tolist(), "columns without a single value"


@pytest.mark.parametrize("card", FIGURES[::11], ids=lambda card: card.name)
def test_the_same_table_gives_the_same_bytes_again(everything, card, tmp_path):
    """In another process, of a few: tests/workflow/test_whole_house.py."""
    assert card.name in AGAIN
    stages.figure(card.name, settings(card.name), tables(everything, card), str(tmp_path / card.name))
    for kind in ("pdf", "png", "csv"):
        ours, first = tmp_path / f"{card.name}.{kind}", everything / BUILT / f"figures/{card.name}.{kind}"
        assert ours.read_bytes() == first.read_bytes()


@pytest.mark.parametrize("name", ["overview", "hierarchy"])
def test_the_code_of_a_figure_draws_the_same_pixels_from_its_csv(everything, name, tmp_path):
    """Of several tables, in a process that finds nothing else of this package."""
    csv = shutil.copy(everything / BUILT / f"figures/{name}.csv", tmp_path)
    path = tmp_path / f"{name}.plot.pyz"
    standalone.write(name, stages.headed(name, settings(name), csv), str(path))
    code = f"import runpy, sys; path = {str(path)!r}; sys.argv = [path]; runpy.run_path(path, run_name='__main__'); "
    code += (
        "files = [getattr(m, '__file__', None) for n, m in sys.modules.items() if n.partition('.')[0] == 'attnsvm']; "
    )
    code += "files = list(filter(None, files)); assert files and all(f.startswith(path) for f in files), files"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=tmp_path)
    ours, theirs = (
        np.asarray(Image.open(path).convert("RGB")).astype(int)
        for path in (everything / BUILT / f"figures/{name}.png", tmp_path / f"{name}.redrawn.png")
    )
    assert ours.shape == theirs.shape
    assert np.abs(ours - theirs).max() == 0


@pytest.mark.parametrize("card", FIGURES, ids=lambda card: card.name)
def test_axes_are_labelled_and_every_text_lies_inside_the_figure_at_every_width(everything, card):
    """At the usual one, as `everything` saw it when it was drawn; at a narrower one labels may run out."""
    assert json.loads((everything / SEEN).read_text())[card.name] == []
    headed = stages.headed(card.name, settings(card.name), everything / BUILT / f"figures/{card.name}.csv")
    draw, given = card.module("figure").draw, (drawn(everything, card), headed | {"width": 5.0})
    with mock.patch.object(Figure, "draw_without_rendering"):  # the layout takes most of the time
        figure = draw(*given)
    if legible.asked(figure, labels=False):
        figure = draw(*given)
    assert legible.faults(figure, 5.0, labels=False) == []
