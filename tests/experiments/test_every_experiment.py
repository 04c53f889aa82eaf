"""What holds for every experiment there is, found by its card."""

import inspect
from dataclasses import replace
from functools import cache

import pytest
from batches import check_batches

from attnsvm.audit import Claim
from attnsvm.data.cells import Cell, of_parts
from attnsvm.pipeline import blocks, cards
from attnsvm.pipeline.configuration import resolve, stage_settings
from attnsvm.pipeline.hashes.dependencies import ROOT, module_files

CARDS = cards.every()
EXPERIMENTS = cards.experiments()
# What a module must have: its functions, and the names of their arguments.
CONTRACT = {
    "problems": {"cells": ["settings"], "problems": ["cell", "settings"]},
    "descent": {"descent": ["problems", "settings", "progress"]},
    "svm": {"svm": ["problems", "trained", "settings"]},
    "measures": {"measures": ["cell", "problems", "trained", "solved", "settings"], "table": ["measures", "settings"]},
    "figure": {"draw": ["table", "settings"]},
    "claims": {},
    "outside": {"files": ["settings"]},
}
PARTS = [pytest.param(card, part, id=f"{card.name}-{part}") for card in CARDS for part in card.modules]
SCALES = ("paper", "smoke")


@cache
def resolved(scale="paper"):
    return resolve({"scale": scale})


def grid(card, scale):
    settings = stage_settings(card, resolved(scale), "problems")
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
        if name == "table" and not hasattr(module, name):  # the rows per instance are drawn
            continue
        assert list(inspect.signature(getattr(module, name)).parameters) == arguments


@pytest.mark.parametrize("folder", sorted({*cards.folders().values()}), ids=lambda folder: folder.name)
def test_a_folder_holds_nothing_but_a_card_its_parts_and_what_they_import(folder):
    """And what a set of unseen seeds has of its own, in a folder of its name."""
    here = [card for card in CARDS if cards.folders()[card.name] == folder]
    imported = {ROOT / file for card in here for module in card.modules.values() for file in module_files(module)}
    known = {folder / "card.yaml", folder / "paragraph.typ", *(folder / f"{part}.py" for part in CONTRACT)} | imported
    inside = {path for name, path in cards.folders().items() if cards.read(name).parent == folder.name}
    sets = {folder / card.name for card in here if card.on}
    found = {path for path in folder.iterdir() if path.name != "__pycache__"} - inside - sets
    found |= {path for own in sets if own.exists() for path in own.iterdir() if path.name != "__pycache__"}
    assert found <= known


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("card", EXPERIMENTS, ids=lambda card: card.name)
def test_the_grid_has_cells_that_can_be_told_apart(card, scale):
    cells, _ = grid(card, scale)
    assert cells
    assert all(isinstance(cell, Cell) and cell.seeds for cell in cells)
    labels = [cell.label for cell in cells]
    assert len(set(labels)) == len(labels)
    assert all(len(set(cell.seeds)) == len(cell.seeds) for cell in cells)
    assert not [label for label in labels if "/" in label], "a label is a name in a file"


@pytest.mark.parametrize("count", [1, 3, 7])
@pytest.mark.parametrize("card", EXPERIMENTS, ids=lambda card: card.name)
def test_blocks_partition_the_instances(card, count):
    cells, _ = grid(card, "paper")
    whole = [(cell.label, seed) for cell in cells for seed in cell.seeds]
    cut = [of_parts(parts) for parts in blocks.cut(card, resolved(), count).values()]
    assert 1 <= len(cut) <= count
    assert sorted((cell.label, seed) for block in cut for _, cell in block for seed in cell.seeds) == sorted(whole)
    assert all(cells[place].label == cell.label for block in cut for place, cell in block)
    assert all(cell.seeds for block in cut for _, cell in block)


@pytest.mark.parametrize(
    "card", [card for card in EXPERIMENTS if "instances" in card.settings["problems"]], ids=lambda card: card.name
)
def test_twice_the_instances_are_the_blocks_that_were_there_and_as_many_more(card):
    def cut(count):
        return blocks.cut(card, resolve({"experiments": {card.name: {"problems": {"instances": count}}}}))

    own = card.settings["problems"]["instances"]["value"]
    once, twice = cut(own), cut(2 * own)
    assert len(once) == card.blocks
    assert own % card.blocks == 0, "or else the last block is a shorter one, and trained again"
    assert len(twice) == 2 * len(once)
    assert {name: twice[name] for name in once} == once


@pytest.mark.parametrize("card", EXPERIMENTS, ids=lambda card: card.name)
def test_a_smoke_run_is_smaller_and_every_block_of_it_has_work(card):
    sizes = {scale: sum(len(cell.seeds) for cell in grid(card, scale)[0]) for scale in SCALES}
    assert card.blocks <= sizes["smoke"] <= sizes["paper"]


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("card", EXPERIMENTS, ids=lambda card: card.name)
def test_an_instance_is_what_its_seed_and_its_cell_say(card, scale):
    cells, settings = grid(card, scale)
    module = card.module("problems")
    for cell in cells:
        width = module.width(cell) if hasattr(module, "width") else cell.d
        check_batches(
            lambda seeds, cell=cell: module.problems(replace(cell, seeds=tuple(seeds)), settings), cell.n, cell.T, width
        )


def test_every_claim_has_a_key_of_its_own_and_a_figure_that_is_drawn():
    figures = {card.name for card in cards.figures(optional=True)}
    found = {}
    for card in cards.claiming(optional=True):
        for claim in card.claims:
            assert isinstance(claim, Claim)
            assert claim.key not in found, f"{claim.key}: in {card.name} and in {found[claim.key]}"
            assert claim.statement.endswith(".")
            figure = card.name if claim.figure is None else claim.figure
            assert figure in figures or (figure == "" and not claim.testable)
            found[claim.key] = card.name
    assert found


@pytest.mark.parametrize("card", cards.figures(optional=True), ids=lambda card: card.name)
def test_every_column_says_in_a_sentence_what_it_means(card):
    for column, text in card.columns.items():
        assert text.strip().endswith("."), column
