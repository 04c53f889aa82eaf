"""What holds for every experiment there is, found by its card."""

import importlib
import inspect

import pytest

from attnsvm.audit import Claim
from attnsvm.cells import Cell, block_cells
from attnsvm.pipeline import cards
from attnsvm.pipeline.configuration import resolve, stage_settings
from attnsvm.problems import Problems

CARDS = cards.every()
EXPERIMENTS = cards.experiments()
# What a module must have: its functions, and the names of their arguments.
CONTRACT = {
    "problems": {"cells": ["settings"], "problems": ["cell", "settings"]},
    "descent": {"descent": ["problems", "settings", "progress"]},
    "svm": {"svm": ["problems", "trained", "settings"]},
    "measures": {
        "measures": ["cell", "problems", "trained", "solved", "settings"],
        "table": ["measures", "settings"],
    },
    "figure": {"draw": ["table", "settings"]},
    "claims": {},
}
PARTS = [pytest.param(card, part, id=f"{card.name}-{part}") for card in CARDS for part in card.modules]
SCALES = ("paper", "smoke")


def grid(card, scale):
    settings = stage_settings(card, resolve({"scale": scale}), "problems")
    return card.module("problems").cells(settings), settings


def test_there_are_experiments():
    """The tests below run over what is found: nothing found would pass them all."""
    assert len(EXPERIMENTS) >= 17
    assert len(cards.figures()) >= 16


@pytest.mark.parametrize(("card", "part"), PARTS)
def test_a_module_has_the_functions_that_its_stage_calls(card, part):
    module = card.module(part)
    assert module.__doc__, "a module says what it does"
    for name, arguments in CONTRACT[part].items():
        assert list(inspect.signature(getattr(module, name)).parameters) == arguments


@pytest.mark.parametrize(("card", "part"), PARTS)
def test_a_folder_holds_nothing_but_a_card_and_what_is_part_of_it(card, part):
    folder = cards.FOLDER / card.name
    known = {"card.yaml", *(f"{name}.py" for name in CONTRACT)}
    assert {path.name for path in folder.iterdir() if path.name != "__pycache__"} <= known


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("card", EXPERIMENTS, ids=lambda card: card.name)
def test_the_grid_has_cells_that_can_be_told_apart(card, scale):
    cells, _ = grid(card, scale)
    assert cells
    assert all(isinstance(cell, Cell) and cell.seeds for cell in cells)
    labels = [cell.label for cell in cells]
    assert len(set(labels)) == len(labels)
    assert not [label for label in labels if "/" in label], "a label is a name in a file"


@pytest.mark.parametrize("count", [1, 3, 7])
@pytest.mark.parametrize("card", EXPERIMENTS, ids=lambda card: card.name)
def test_blocks_partition_the_instances(card, count):
    cells, _ = grid(card, "paper")
    whole = [(cell.label, seed) for cell in cells for seed in cell.seeds]
    blocks = [block_cells(cells, f"{k}-of-{count}") for k in range(1, count + 1)]
    assert sorted((cell.label, seed) for block in blocks for _, cell in block for seed in cell.seeds) == sorted(whole)
    assert all(cells[place].label == cell.label for block in blocks for place, cell in block)
    sizes = [sum(len(cell.seeds) for _, cell in block) for block in blocks]
    assert max(sizes) - min(sizes) <= 1


@pytest.mark.parametrize("card", EXPERIMENTS, ids=lambda card: card.name)
def test_a_smoke_run_is_smaller_and_every_block_of_it_has_work(card):
    sizes = {scale: sum(len(cell.seeds) for cell in grid(card, scale)[0]) for scale in SCALES}
    assert card.blocks <= sizes["smoke"] <= sizes["paper"]


@pytest.mark.parametrize("card", EXPERIMENTS, ids=lambda card: card.name)
def test_an_instance_is_what_its_seed_and_its_cell_say(card):
    """The first seed alone, and with others: the same problem, in float64, and another one for another seed."""
    cells, settings = grid(card, "smoke")
    for cell in cells:
        draw = card.module("problems").problems
        alone = draw(Cell(cell.n, cell.T, cell.d, cell.seeds[:1], cell.variant), settings)
        several = draw(Cell(cell.n, cell.T, cell.d, (cell.seeds[0], cell.seeds[0] + 1), cell.variant), settings)
        assert isinstance(alone, Problems)
        assert several.seeds.tolist() == [cell.seeds[0], cell.seeds[0] + 1]
        first = {name: array[:1] for name, array in several.arrays().items()}
        for name, array in alone.arrays().items():
            assert array.tobytes() == first[name].tobytes(), name
        assert alone.tokens.dtype == float
        assert alone.tokens.shape == (1, cell.n, cell.T, cell.d)
        assert (several.tokens[0] != several.tokens[1]).any()


def test_the_papers_sizes():
    count = {card.name: sum(len(cell.seeds) for cell in grid(card, "paper")[0]) for card in EXPERIMENTS}
    assert count["local_convergence"] == 100
    assert count["svm_rank"] == 5 * 8 * 100  # three n at T = 5, two more T at n = 5


def test_every_claim_has_a_key_of_its_own_and_a_figure_that_is_drawn():
    figures = {card.name for card in cards.figures()}
    found = {}
    for card in cards.claiming():
        for claim in card.module("claims").CLAIMS:
            assert isinstance(claim, Claim)
            assert claim.key not in found, f"{claim.key}: in {card.name} and in {found[claim.key]}"
            assert claim.statement.endswith(".")
            if claim.testable:
                assert (card.name if claim.figure is None else claim.figure) in figures
            found[claim.key] = card.name
    assert found


@pytest.mark.parametrize("card", cards.figures(), ids=lambda card: card.name)
def test_every_column_says_in_a_sentence_what_it_means(card):
    for column, text in card.columns.items():
        assert text.strip().endswith("."), column


@pytest.mark.parametrize(
    "card", [card for card in EXPERIMENTS if "descent" in card.modules], ids=lambda card: card.name
)
def test_a_training_says_how_much_there_is_to_do(card):
    """`progress.expect` where a batch is trained more than once: a bar that ends before the work is a lie."""
    source = inspect.getsource(importlib.import_module(card.modules["descent"]))
    trainings = source.count("train(") + source.count("follow(")
    loops = "for " in source
    assert "progress.expect(" in source or (trainings <= 1 and not loops)
