"""What holds for every experiment and every figure that has a card, at the sizes of its smoke scale.

A new experiment is tested here without a line about it.
"""

from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from running import Run
from test_draws import check_batches

from attnsvm.cells import block_cells
from attnsvm.files.store import load_csv
from attnsvm.pipeline import cards, stages
from attnsvm.pipeline.configuration import resolve, stage_settings
from attnsvm.problems import Problems

EXPERIMENTS = [card.name for card in cards.experiments()]
FIGURES = [card.name for card in cards.figures()]
SCALES = ("paper", "smoke")


@pytest.fixture(scope="module")
def smoke(tmp_path_factory):
    """`smoke(name)`: the experiment's run in three blocks."""
    done = {}

    def get(name):
        if name not in done:
            done[name] = Run(name, {}, tmp_path_factory.mktemp(name), scale="smoke")
        return done[name]

    return get


@pytest.fixture(scope="module")
def written(smoke, tmp_path_factory):
    """`written(name)`: the stem of the figure's files, drawn from smoke runs."""
    done = {}

    def get(name, again=False):
        if (name, again) not in done:
            done[name, again] = str(tmp_path_factory.mktemp(name) / name)
            tables = {experiment: smoke(experiment).paths["table"] for experiment in cards.read(name).draws}
            stages.figure(name, resolve({})["figures"] | {"dpi": 80}, tables, done[name, again])
        return done[name, again]

    return get


def grid(name, scale):
    """The problems module of an experiment, its settings, and its cells."""
    card = cards.read(name)
    settings = stage_settings(card, resolve({"scale": scale}), "problems")
    return card.module("problems"), settings, card.module("problems").cells(settings)


def drawn(stem, settings):
    """The figure of the numbers that were written to `stem`.csv."""
    return cards.read(Path(stem).name).module("figure").draw(load_csv(f"{stem}.csv"), settings)


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_cell_has_its_own_label_and_no_seed_twice(name, scale):
    *_, cells = grid(name, scale)
    assert len({cell.label for cell in cells}) == len(cells) > 0
    assert all(len(set(cell.seeds)) == len(cell.seeds) > 0 for cell in cells)


@pytest.mark.parametrize("count", [1, 3, 7])
@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("name", EXPERIMENTS)
def test_blocks_partition_the_instances(name, scale, count):
    *_, cells = grid(name, scale)
    blocks = [block_cells(cells, f"{k}-of-{count}") for k in range(1, count + 1)]
    parts = [(cell.label, seed) for block in blocks for _, cell in block for seed in cell.seeds]
    assert sorted(parts) == sorted((cell.label, seed) for cell in cells for seed in cell.seeds)
    sizes = [sum(len(cell.seeds) for _, cell in block) for block in blocks]
    assert max(sizes) - min(sizes) <= 1


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_draws_have_their_shapes_and_types_and_depend_on_their_seed_alone(name):
    module, settings, cells = grid(name, "paper")
    for cell in cells:
        check_batches(
            lambda seeds, cell=cell: module.problems(replace(cell, seeds=tuple(seeds)), settings),
            cell.n,
            cell.T,
            cell.d,
        )


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_the_split_into_blocks_changes_no_table(name, smoke, tmp_path):
    split, whole = smoke(name), Run(name, {}, tmp_path, blocks=1, scale="smoke")
    pd.testing.assert_frame_equal(split.table, whole.table, rtol=1e-9)
    pd.testing.assert_frame_equal(split.outcomes, whole.outcomes)
    pd.testing.assert_frame_equal(split.grid, whole.grid)
    counts = [run.certificates.drop(columns=["largest_gap", "largest_residual"]) for run in (split, whole)]
    pd.testing.assert_frame_equal(*counts)


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_answer_is_certified(name, smoke):
    assert (smoke(name).certificates.uncertified == 0).all()


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_instance_has_as_many_outcomes_as_every_other(name, smoke):
    run, (*_, cells) = smoke(name), grid(name, "smoke")
    shape = {cell.label: cell for cell in cells}
    found = {cell.label: [] for cell in cells}
    for label, problems, trained, solved in run.cells:
        batch, cell = Problems.from_arrays(problems), replace(shape[label], seeds=tuple(problems["seeds"].tolist()))
        ends = run.card.module("measures").measures(cell, batch, trained, solved, run.settings["measures"]).outcomes
        assert set(zip(ends.n, ends["T"], ends.d, strict=True)) == {(cell.n, cell.T, cell.d)}
        found[label] += ends.seed.tolist()
    times = sum(map(len, found.values())) // sum(len(cell.seeds) for cell in cells)
    assert times > 0
    for label, seeds in found.items():
        assert sorted(seeds) == sorted(list(shape[label].seeds) * times)
    assert run.outcomes.instances.sum() == times * run.grid.instances.sum() == sum(map(len, found.values()))


@pytest.mark.parametrize("name", FIGURES)
def test_the_columns_are_those_of_the_card(name, written):
    assert sorted(load_csv(f"{written(name)}.csv").columns) == sorted(cards.read(name).columns)


@pytest.mark.parametrize("name", FIGURES)
def test_same_tables_same_bytes(name, written, tmp_path):
    first, second = (Path(written(name, again)).parent for again in (False, True))
    files = sorted(path.name for path in first.glob("[!.]*"))
    assert files == [f"{name}.csv", f"{name}.pdf", f"{name}.png"]
    for file in files:
        assert (first / file).read_bytes() == (second / file).read_bytes()
    assert not list(first.glob("**/*.tmp"))


@pytest.mark.parametrize("name", FIGURES)
def test_every_axis_is_labelled_and_some_text_explains_the_lines(name, written):
    figure = drawn(written(name), {"width": 6.75, "font_size": 8})
    assert all(axes.get_xlabel() for axes in figure.axes[-1:])
    assert any(axes.get_ylabel() for axes in figure.axes) or figure.get_supylabel()
    assert figure.legends or any(axes.get_legend() for axes in figure.axes)


@pytest.mark.parametrize("name", FIGURES)
def test_the_width_is_the_configured_one(name, written):
    assert drawn(written(name), {"width": 5.0, "font_size": 7}).get_size_inches()[0] == 5.0
