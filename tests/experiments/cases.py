"""What is asked of every experiment: its draws, its chain of stages cut into blocks, and its figure.

A test file of an experiment makes subclasses that name what to ask about; pytest collects those.
"""

import numpy as np
import pandas as pd
import pytest

from attnsvm.cells import block_cells
from attnsvm.draws import draw
from attnsvm.files.store import load_cells
from attnsvm.pipeline import cards, stages
from attnsvm.pipeline.configuration import resolve, stage_settings
from attnsvm.plots.style import save

FIELDS = ("tokens", "queries", "labels", "head", "seeds")
FIGURE_SETTINGS = {"width": 6.75, "font_size": 8}
OUTPUTS = ("table", "instances", "outcomes", "certificates", "cells")


class Run:
    """All stages of an experiment through their files; the arrays of every cell and the tables that came out.

    Attributes:
        settings: the settings of the whole experiment by stage, `given` laid over the paper's.
        cells: (label, problems, trained, solved) per block and cell.
        table, instances, outcomes, certificates: what the measures stage wrote.
    """

    def __init__(self, name: str, given: dict, folder, blocks: int = 2):
        self.name, self.given, self.folder = name, given, folder
        card, resolved = cards.read(name), resolve({"experiments": {name: given}})
        self.settings = {stage: stage_settings(card, resolved, stage) for stage in cards.STAGES}
        files = []
        for k in range(1, blocks + 1):
            block, inputs = f"{k}-of-{blocks}", {}
            for stage in card.stages[:-1]:
                path, before = str(folder / block / f"{stage}.npz"), dict(inputs)
                arguments = (block,) if stage == "problems" else (before,)
                getattr(stages, stage)(name, self.settings[stage], *arguments, path)
                inputs[stage] = path
            files.append(inputs)
        paths = {key: str(folder / key) for key in OUTPUTS}
        stages.measures(name, self.settings["measures"], files, paths)
        self.table, self.instances = (pd.read_parquet(paths[key]) for key in ("table", "instances"))
        self.outcomes, self.certificates = (pd.read_csv(paths[key]) for key in ("outcomes", "certificates"))
        self.cells = []
        for inputs in files:
            made = {stage: load_cells(path) for stage, path in inputs.items()}
            for label, drawn in made["problems"].items():
                later = [made[stage].get(label, {}) if stage in made else {} for stage in ("descent", "svm")]
                self.cells.append((label, drawn["problems"], *later))

    def each(self):
        """(cell label, place s in the batch, problems, trained, solved) of every instance."""
        for label, p, t, a in self.cells:
            yield from ((label, s, p, t, a) for s in range(len(p["seeds"])))


class ChainCases:
    """Asked of a `Run` in two blocks, the fixture `run`."""

    def test_the_split_into_blocks_changes_no_table(self, run, tmp_path):
        whole = Run(run.name, run.given, tmp_path, blocks=1)
        pd.testing.assert_frame_equal(run.table, whole.table, rtol=1e-9)
        pd.testing.assert_frame_equal(run.outcomes, whole.outcomes)
        assert (run.certificates.uncertified == 0).all()

    def test_nobody_is_missing_from_the_outcomes(self, run):
        cells = cards.read(run.name).module("problems").cells(run.settings["problems"])
        instances = sum(len(cell.seeds) for cell in cells)
        assert run.outcomes.instances.sum() % instances == 0
        assert run.outcomes.instances.sum() >= instances

    @pytest.mark.parametrize("count", [1, 3, 7])
    def test_blocks_partition_the_instances_of_the_paper(self, run, count):
        settings = resolve({})["experiments"][run.name]["problems"]
        cells = cards.read(run.name).module("problems").cells(settings)
        whole = [(cell.label, seed) for cell in cells for seed in cell.seeds]
        blocks = [block_cells(cells, f"{k}-of-{count}") for k in range(1, count + 1)]
        parts = [(cell.label, seed) for block in blocks for _, cell in block for seed in cell.seeds]
        assert sorted(parts) == sorted(whole)
        sizes = [sum(len(cell.seeds) for _, cell in block) for block in blocks]
        assert max(sizes) - min(sizes) <= 1


class DrawCases:
    """Asked of `draw_one` at every shape (n, T, d) of the fixture `shape`."""

    draw_one = None

    def test_shapes_types_and_lengths(self, shape):
        n, T, d = shape
        batch = draw(self.draw_one, [0, 1, 5, 77], *shape)
        assert batch.tokens.shape == (4, n, T, d)
        assert batch.queries.shape == (4, n, d)
        assert batch.labels.shape == (4, n)
        assert batch.head.shape in ((4, d), (4, d, d))
        for field in FIELDS[:-1]:
            assert getattr(batch, field).dtype == np.float64
            assert np.isfinite(getattr(batch, field)).all()
        assert (np.abs(batch.labels) == 1).all()
        # Lengths one to float32, in which they are drawn.
        assert np.allclose(np.linalg.norm(batch.queries, axis=-1), 1, rtol=0, atol=1e-6)
        assert np.allclose(np.linalg.norm(batch.head.reshape(4, -1), axis=-1), 1, rtol=0, atol=1e-6)

    def test_an_instance_depends_on_its_seed_alone(self, shape):
        batch = draw(self.draw_one, [5, 4, 5, 17], *shape)
        alone = draw(self.draw_one, iter([17]), *shape)
        for field in FIELDS:
            values = getattr(batch, field)
            assert (values[3] == getattr(alone, field)[0]).all(), field
            assert (values[0] == values[2]).all(), field
        assert (batch.tokens[0] != batch.tokens[1]).any() or (batch.queries[0] != batch.queries[1]).any()

    def test_an_empty_batch_keeps_the_shapes_and_types(self, shape):
        empty, one = draw(self.draw_one, [], *shape), draw(self.draw_one, [1], *shape)
        assert len(empty) == 0
        for field in FIELDS:
            a, b = getattr(empty, field), getattr(one, field)
            assert a.shape == (0, *b.shape[1:])
            assert a.dtype == b.dtype


class OfficialDrawCases(DrawCases):
    """Asked of a draw of the official notebooks.

    `official(seed, n, T, d)` writes the notebook's draws out by itself: float32 tensors by field. `recorded` is a seed,
    a shape, and the first entries of head, tokens (0, 0) and (0, 1) and query 0, then the labels.
    """

    recorded = None

    def test_draws_are_the_official_ones_bit_for_bit(self, shape):
        seeds = [0, 1, 3, 99, 12345]
        batch = draw(self.draw_one, seeds, *shape)
        assert batch.seeds.tolist() == seeds
        for k, seed in enumerate(seeds):
            for field, value in self.official(seed, *shape).items():
                mine = getattr(batch, field)[k]
                assert mine.dtype == np.float64
                assert mine.shape == tuple(value.shape)
                assert (mine == value.double().numpy()).all(), (seed, field)

    def test_first_draws_have_their_recorded_values(self):
        """Catches a changed stream in torch. 1e-6: float32 draws, whose last bits may differ between processors."""
        seed, shape, head, first, second, query, labels = self.recorded
        p = draw(self.draw_one, [seed], *shape)
        k = len(head)
        found = p.head.ravel()[:k], p.tokens[0, 0, 0, :k], p.tokens[0, 0, 1, :k], p.queries[0, 0, :k]
        for mine, literal in zip(found, (head, first, second, query), strict=True):
            np.testing.assert_allclose(mine, literal, rtol=0, atol=1e-6)
        assert p.labels[0].tolist() == labels


class FigureCases:
    """Asked of the figure `name`: `table()` is a small table, `points(table)` the places (x, y) that it must show."""

    name = None

    def draw(self, settings=FIGURE_SETTINGS):
        return cards.read(self.name).module("figure").draw(self.table(), settings)

    def test_every_number_of_the_table_is_drawn(self):
        lines = [line for axes in self.draw().axes for line in axes.get_lines()]
        drawn = {_place(*point) for line in lines for point in zip(*line.get_data(), strict=True)}
        wanted = {_place(*point) for point in np.asarray(self.points(self.table()), dtype=float)}
        assert wanted
        assert not wanted - drawn, wanted - drawn

    def test_every_axis_is_labelled_and_some_text_explains_the_lines(self):
        figure = self.draw()
        assert all(axes.get_xlabel() for axes in figure.axes[-1:])
        assert any(axes.get_ylabel() for axes in figure.axes) or figure.get_supylabel()
        assert figure.legends or any(axes.get_legend() for axes in figure.axes)

    def test_same_table_same_bytes(self, tmp_path):
        first, second = (save(self.draw(), tmp_path / stem, dpi=80) for stem in "ab")
        for one, other in zip(first, second, strict=True):
            assert one.read_bytes() == other.read_bytes()
        assert len(list(tmp_path.glob("[!.]*"))) == 4
        assert not list(tmp_path.glob("*.tmp"))

    def test_the_width_is_the_configured_one(self):
        assert self.draw({"width": 5.0, "font_size": 7}).get_size_inches()[0] == 5.0


def _place(x: float, y: float) -> tuple[float, float]:
    return round(float(x), 9), round(float(y), 9)


def softmax_of(X, W, z):
    """The softmax of X W z, for tokens X (T, d), W (d, d) and a query z (d,)."""
    logits = X @ W @ z
    p = np.exp(logits - logits.max())
    return p / p.sum()


def cosine(A, B):
    """The correlation of two matrices, by traces."""
    return np.trace(A.T @ B) / np.sqrt(np.trace(A.T @ A) * np.trace(B.T @ B))
