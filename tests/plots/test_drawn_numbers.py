"""Every figure draws the numbers of its table: of the release, told apart, as many of them as drawn.csv counts."""

from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from attnsvm.pipeline import cards
from attnsvm.publish.exchange import reference

SETTINGS = {"width": 6.75, "font_size": 8}
KEPT = pd.read_csv(Path(__file__).with_name("drawn.csv"), index_col="figure")["numbers"]
RELEASE = reference.read()
FIGURES = [card for card in cards.figures(optional=True) if card.name in RELEASE.figures]
LITTLE = 1e-4  # between one number of a table and the next, so that no line can stand for another
GROUPS = 60  # different values of a column up to which it tells groups apart


def numbers_of(table):
    """The column of its values; without one, of what stands on the axis y, or that of which most numbers differ."""
    numbers = [column for column in table if table[column].dtype.kind == "f"]
    most = max(numbers, key=lambda column: table[column].nunique())
    return next((column for column in ("value", "y") if column in numbers), most)


def told_apart(table):
    """The table with a little of its own added to every number with a point, and the numbers to be found."""
    column = numbers_of(table)
    own = {"value", "low", "high", "largest", "tail", "x", "y", column} & set(table)
    apart = table.assign(**{name: table[name] + LITTLE * np.arange(len(table)) for name in own})
    wanted = apart[column].dropna()
    keys = [name for name in table if name not in own and table[name].nunique() <= GROUPS and name != "seed"]
    if "seed" in table and keys:  # drawn as they are, or their median
        wanted = pd.concat([wanted, apart.groupby(keys, dropna=False)[column].median()])
    return apart, wanted.to_numpy()


def drawn(figure):
    """All coordinates of lines, points and bars."""
    found = []
    for axes in figure.get_figure(root=True).findobj(Axes):
        found += [line.get_xydata() for line in axes.get_lines()]
        found += [points.get_offsets() for points in axes.collections]
        found += [[bar.get_width(), bar.get_height()] for bar in axes.patches if isinstance(bar, Rectangle)]
    return np.unique(np.round(np.concatenate([np.ravel(np.asarray(one, dtype=float)) for one in found]), 9))


@pytest.mark.parametrize("card", FIGURES, ids=lambda card: card.name)
def test_the_numbers_of_the_table_are_drawn(card):
    """As they are, or as what they lack to one, or in per cent."""
    table, wanted = told_apart(RELEASE.table(card.name))
    shown = drawn(card.module("figure").draw(table, SETTINGS))
    seen = partial(np.isin, test_elements=shown)
    hits = seen(np.round(wanted, 9)) | seen(np.round(1 - wanted, 9)) | seen(np.round(100 * wanted, 9))
    assert hits.sum() >= KEPT.get(card.name, 1), f"{hits.sum()} numbers of {len(hits)} are drawn"


def test_every_figure_of_the_release_is_kept():
    assert set(KEPT.index) == {card.name for card in FIGURES}
