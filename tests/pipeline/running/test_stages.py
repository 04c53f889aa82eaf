"""One function per stage, around an experiment of three lines: files in, files out, and what is refused."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from attnsvm.analysis.measured import Measures, outcomes
from attnsvm.analysis.selection import optimal_tokens
from attnsvm.data.cells import Cell, seeds
from attnsvm.data.draws import draw_cell, gaussian
from attnsvm.pipeline import blocks, cards
from attnsvm.pipeline.running import drawing, stages, tables
from attnsvm.plots.style import canvas
from attnsvm.svm import certified
from attnsvm.svm.verdict import STATUSES
from attnsvm.system.errors import UserError
from attnsvm.system.store import load_cells, load_table, save_cells, save_table

SETTINGS = {"first_seed": 3, "instances": 5}
OUTPUTS = ("table", "instances", "outcomes", "cells", "certificates")


class Experiment:
    """The modules of an experiment, in place of a folder."""

    name, draws, stages = "tiny", ("tiny",), ("problems", "descent", "svm", "measures")
    columns = {"seed": "Seed.", "value": "Value."}  # noqa: RUF012  as a card has it
    fixed = {}  # noqa: RUF012
    claims = ()

    modules = dict.fromkeys((*stages, "figure"), __name__)

    def __init__(self):
        self.parts = {
            "problems": SimpleNamespace(
                __name__="mine.problems", cells=self.cells, problems=lambda cell, _: draw_cell(gaussian, cell)
            ),
            "descent": SimpleNamespace(__name__="mine.descent", descent=self.descent),
            "svm": SimpleNamespace(__name__="mine.svm", svm=self.svm),
            "measures": SimpleNamespace(
                __name__="mine.measures", measures=self.measures, table=lambda measures, _: measures.instances
            ),
            "figure": SimpleNamespace(__name__="mine.figure", draw=self.draw),
        }

    def module(self, part):
        return self.parts[part]

    @staticmethod
    def cells(settings):
        return [Cell(2, 3, 6, seeds(settings), variant) for variant in ("one", "two")]

    @staticmethod
    def descent(problems, settings, progress):
        progress(len(problems))
        return {"W": {"weights": problems.tokens.mean((1, 2))}}

    @staticmethod
    def svm(problems, trained, settings):
        return {"fro": certified(problems, optimal_tokens(problems.tokens, problems.head, problems.labels), "fro")}

    @staticmethod
    def measures(cell, problems, trained, solved, settings):
        rows = pd.DataFrame({"seed": problems.seeds, "value": trained["W"]["weights"][:, 0]})
        return Measures(rows, outcomes(cell, problems.seeds, solved["fro"]["status"]))

    @staticmethod
    def draw(table, settings):
        with canvas(settings, height=0.5) as figure:
            figure.subplots().plot(table["seed"], table["value"])
        return figure


@pytest.fixture
def tiny(monkeypatch):
    experiment = Experiment()
    monkeypatch.setattr(cards, "read", lambda name: {"tiny": experiment}[name])
    return experiment


def parts(count=1):
    """Of every block."""
    whole = blocks.as_parts(Experiment.cells(SETTINGS))
    return list(blocks.divided(whole, -(-5 // count)).values())


def run(folder, count):
    """All stages up to the table; the paths of the blocks and of the outputs."""
    files = []
    for k, own in enumerate(parts(count)):
        paths = {stage: str(folder / f"{k}/{stage}.npz") for stage in ("problems", "descent", "svm")}
        stages.problems("tiny", SETTINGS, own, paths["problems"])
        stages.descent("tiny", {}, paths, paths["descent"])
        stages.svm("tiny", {}, paths, paths["svm"])
        files.append(paths)
    outputs = {name: str(folder / name) for name in OUTPUTS}
    tables.measures("tiny", {}, files, outputs)
    return files, outputs


def test_stages_pass_arrays_through_files_and_count_what_became_of_each_instance(tiny, tmp_path):
    files, outputs = run(tmp_path, 2)
    drawn = load_cells(files[0]["problems"])
    assert list(drawn) == ["n2_T3_d6_one", "n2_T3_d6_two"]
    assert drawn["n2_T3_d6_one"]["cell"]["variant"] == "one"
    assert drawn["n2_T3_d6_one"]["problems"]["tokens"].shape == (3, 2, 3, 6)
    assert pd.read_csv(outputs["cells"]).to_numpy().tolist() == [[2, 3, 6, kind, 5, 3, 7] for kind in ("one", "two")]
    assert pd.read_csv(outputs["certificates"]).solve.tolist() == ["fro"]
    assert pd.read_csv(outputs["outcomes"]).instances.sum() == 10
    assert pd.read_csv(outputs["certificates"])[list(STATUSES)].to_numpy().sum() == 10


def test_another_cut_into_blocks_gives_the_same_table(tiny, tmp_path):
    tables = [load_table(run(tmp_path / str(count), count)[1]["table"]) for count in (1, 2, 5)]
    for other in tables[1:]:
        pd.testing.assert_frame_equal(tables[0], other, rtol=1e-12)


def test_where_measures_sum_nothing_up_the_rows_per_instance_are_the_table(tiny, tmp_path):
    tiny.parts["measures"].table = lambda measures, _: measures.instances[["value"]]
    assert list(load_table(run(tmp_path / "summed up", 1)[1]["table"])) == ["value"]
    del tiny.parts["measures"].table
    _, outputs = run(tmp_path / "as they are", 1)
    pd.testing.assert_frame_equal(load_table(outputs["table"]), load_table(outputs["instances"]))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_diverged_descent_is_refused(tiny, tmp_path, bad):
    tiny.parts["descent"].descent = lambda *_: {"W": {"weights": np.array([[1.0, bad]])}}
    paths = {"problems": str(tmp_path / "problems.npz")}
    stages.problems("tiny", SETTINGS, *parts(), paths["problems"])
    with pytest.raises(
        UserError, match=r"n2_T3_d6_one/W/weights is not finite: the descent diverged; choose a smaller"
    ):
        stages.descent("tiny", {}, paths, str(tmp_path / "descent.npz"))
    assert not (tmp_path / "descent.npz").exists()


def test_problems_that_are_not_finite_are_refused_by_the_module_that_drew_them(tiny, tmp_path):
    draw = tiny.parts["problems"].problems

    def drawn(cell, settings):
        found = draw(cell, settings)
        return replace(found, tokens=np.where(found.tokens > 0, np.nan, found.tokens))

    tiny.parts["problems"].problems = drawn
    with pytest.raises(
        UserError, match=r"^tiny: problems\.py: n2_T3_d6_one/tokens is not finite: draw no such instance"
    ):
        stages.problems("tiny", SETTINGS, *parts(), str(tmp_path / "problems.npz"))
    assert not (tmp_path / "problems.npz").exists()


def test_an_answer_that_a_stage_drops_is_an_error(tiny, tmp_path):
    """Every answer that the checker judged must be counted."""
    tiny.parts["svm"].svm = lambda *args: {"W": Experiment.svm(*args)["fro"]["W"]}
    paths = {"problems": str(tmp_path / "problems.npz")}
    stages.problems("tiny", SETTINGS, *parts(), paths["problems"])
    with pytest.raises(ValueError, match=r"the checker judged .*, the arrays of this stage hold \{\}: keep them all"):
        stages.svm("tiny", {}, paths, str(tmp_path / "svm.npz"))
    assert not (tmp_path / "svm.npz").exists()


@pytest.mark.parametrize(
    ("stage", "function", "returned", "sentence"),
    [
        ("problems", "problems", None, "mine/problems.py: `problems` returned NoneType: let it return Problems"),
        ("descent", "descent", [], "mine/descent.py: `descent` returned list: let it return dict"),
        ("descent", "descent", {"W": {"x": None}}, "mine/descent.py: `descent` returned NoneType as 'x': let it"),
        ("descent", "descent", {"a/b": np.ones(2)}, "mine/descent.py: `descent` returned 'a/b': a name is text"),
        ("svm", "svm", (), "mine/svm.py: `svm` returned tuple: let it return dict"),
        ("measures", "measures", (), "mine/measures.py: `measures` returned tuple: let it return Measures"),
        ("measures", "table", None, "mine/measures.py: `table` returned NoneType: let it return DataFrame"),
    ],
)
def test_a_function_that_returns_something_else_is_named(tiny, tmp_path, stage, function, returned, sentence):
    setattr(tiny.parts[stage], function, lambda *_: returned)
    with pytest.raises(UserError) as error:
        run(tmp_path, 1)
    assert str(error.value).startswith(sentence)


@pytest.mark.parametrize("stage", ["problems", "descent", "svm", "measures"])
def test_a_module_without_its_function_is_named(tiny, tmp_path, stage):
    delattr(tiny.parts[stage], stage)
    with pytest.raises(UserError, match=f"^mine/{stage}.py: there is no function `{stage}`"):
        run(tmp_path, 1)


def test_a_block_that_lacks_an_array_ends_with_its_sentence(tiny, tmp_path):
    paths = {"problems": str(tmp_path / "problems.npz")}
    stages.problems("tiny", SETTINGS, *parts(), paths["problems"])
    drawn = load_cells(paths["problems"])
    for cell in drawn.values():
        del cell["problems"]["queries"]
    save_cells(paths["problems"], drawn)
    with pytest.raises(
        UserError, match=r"problems\.npz: there is no array .*/queries: problems\.py .* let it return \'queries\', or"
    ):
        stages.descent("tiny", {}, paths, str(tmp_path / "descent.npz"))
    assert not (tmp_path / "descent.npz").exists()


def test_a_stage_without_a_module_has_no_file_and_the_next_gets_nothing(tiny, tmp_path):
    seen = {}

    def measures(cell, problems, trained, solved, settings):
        seen[cell.variant] = dict(trained), dict(solved)
        return Measures(
            pd.DataFrame({"seed": problems.seeds, "value": 0.0}), outcomes(cell, problems.seeds, "measured")
        )

    tiny.parts["measures"].measures = measures
    paths = {"problems": str(tmp_path / "problems.npz")}
    stages.problems("tiny", SETTINGS, *parts(), paths["problems"])
    tables.measures("tiny", {}, [paths], {name: str(tmp_path / name) for name in OUTPUTS})
    assert seen == {"one": ({}, {}), "two": ({}, {})}


DRAWN = {"dpi": 50, "scale": "smoke", "title": "two points"}


def table(**columns):
    return pd.DataFrame({"seed": [1, 2], "value": [0.5, 0.25]} | columns)


def test_a_figure_is_three_pictures_and_exactly_the_numbers_drawn(tiny, tmp_path):
    save_table(tmp_path / "table", table())
    drawing.figure("tiny", DRAWN, {"tiny": str(tmp_path / "table")}, str(tmp_path / "out"))
    assert (tmp_path / "out.pdf").read_bytes().startswith(b"%PDF")
    assert (tmp_path / "out.png").read_bytes().startswith(b"\x89PNG")
    assert b"<svg" in (tmp_path / "out.svg").read_bytes()
    assert (tmp_path / "out.csv").read_text() == "seed,value\n1,0.5\n2,0.25\n"


def test_what_is_drawn_in_figures_of_a_figure_is_seen(tiny, tmp_path):
    def draw(table, settings):
        with canvas(settings, height=0.5) as figure:
            figure.subfigures(1, 2)[1].subfigures(2, 1)[0].subplots().plot(table["seed"], table["value"])
        return figure

    tiny.parts["figure"].draw = draw
    save_table(tmp_path / "table", table())
    drawing.figure("tiny", DRAWN, {"tiny": str(tmp_path / "table")}, str(tmp_path / "out"))
    assert (tmp_path / "out.png").exists()


def empty(table, settings):
    with canvas(settings, height=0.5) as figure:
        figure.subplots()
    return figure


@pytest.mark.parametrize(
    ("draw", "sentence"),
    [
        (empty, "`draw` draws nothing: a figure needs axes with lines"),
        (lambda *_: None, "`draw` returned NoneType: let it return FigureBase"),
    ],
)
def test_a_figure_that_shows_nothing_is_refused(tiny, tmp_path, draw, sentence):
    tiny.parts["figure"].draw = draw
    save_table(tmp_path / "table", table())
    with pytest.raises(UserError, match=f"^mine/figure.py: {sentence}"):
        drawing.figure("tiny", DRAWN, {"tiny": str(tmp_path / "table")}, str(tmp_path / "out"))
    assert not list(tmp_path.glob("out.p*"))


@pytest.mark.parametrize(
    ("frame", "sentence"),
    [
        (table(extra=1), "card.yaml: columns: say what 'extra' means"),
        (table().drop(columns="value"), "card.yaml: columns: the table has no column 'value'"),
    ],
)
def test_a_column_that_the_card_and_the_table_do_not_share_is_refused(tiny, tmp_path, frame, sentence):
    save_table(tmp_path / "table", frame)
    with pytest.raises(UserError, match=sentence):
        drawing.figure("tiny", DRAWN, {"tiny": str(tmp_path / "table")}, str(tmp_path / "out"))
    assert not list(tmp_path.glob("out*"))


def test_the_tables_of_several_experiments_follow_one_another_with_their_names(tiny, tmp_path):
    tiny.columns = {"experiment": "Name."} | tiny.columns
    for name in ("a", "b"):
        save_table(tmp_path / name, table())
    drawing.figure("tiny", DRAWN, {name: str(tmp_path / name) for name in ("a", "b")}, str(tmp_path / "out"))
    drawn = pd.read_csv(tmp_path / "out.csv")
    assert drawn.experiment.tolist() == ["a", "a", "b", "b"]
    assert drawn.columns.tolist() == ["experiment", "seed", "value"]
