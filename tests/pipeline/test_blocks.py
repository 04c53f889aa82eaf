"""Blocks are ranges of seeds; numbers of them that no run could use are refused."""

import pytest

from attnsvm.data.cells import Cell, of_parts
from attnsvm.pipeline import blocks, cards
from attnsvm.pipeline.configuration import resolve
from attnsvm.pipeline.hashes import cache
from attnsvm.system.errors import UserError

SMOKE = resolve({"scale": "smoke"})


@pytest.mark.parametrize(
    ("entry", "sentence"),
    [
        ("cone=0", "--set-scatter cone=0: at least 1 block is needed"),
        ("kone=3", "--set-scatter kone=3: unknown experiment 'kone': did you mean 'cone'?"),
        ("cone=100000", "--set-scatter cone=100000: at most 10000 blocks, Snakemake needs minutes to plan more"),
    ],
)
def test_a_wrong_number_of_blocks_is_refused(entry, sentence):
    with pytest.raises(UserError) as caught:
        blocks.check(["svm_rank=64", entry])
    assert str(caught.value) == sentence


def test_the_blocks_of_a_profile_may_be_more_than_the_seeds():
    """As one that is written for a hundred times more: then there is one per seed."""
    assert len(blocks.cut(cards.read("regularisation_path"), SMOKE, 500)) == 2


def test_more_blocks_than_can_be_planned_are_refused_wherever_they_come_from():
    config = resolve({"experiments": {"feasibility": {"problems": {"instances": 10**8}}}})
    wanted = (
        r"feasibility: 666667 blocks of 150 seeds, and Snakemake plans 10000 at most; make them longer: --set-scatter"
    )
    with pytest.raises(UserError, match=wanted):
        blocks.cut(cards.read("feasibility"), config)


CELLS = [
    Cell(2, 3, 4, range(5, 15)),
    Cell(2, 3, 4, range(5, 15), "other"),
    Cell(2, 4, 4, range(20)),
    Cell(9, 9, 9, [7]),
]


@pytest.mark.parametrize("length", range(1, 22))
def test_blocks_part_the_seeds(length):
    cut = blocks.divided(blocks.as_parts(CELLS), length)
    parts = [of_parts(parts) for parts in cut.values()]
    found = [(place, seed) for block in parts for place, cell in block for seed in cell.seeds]
    assert sorted(found) == sorted((place, seed) for place, cell in enumerate(CELLS) for seed in cell.seeds)
    for block in parts:
        assert [place for place, _ in block] == sorted({place for place, _ in block})
        for place, cell in block:
            assert cell.seeds
            assert cell.label == CELLS[place].label
    assert len(cut) == -(-20 // length)


def test_a_block_is_called_after_its_seeds_of_the_largest_cell_and_has_its_share_of_the_others():
    cut = blocks.divided(blocks.as_parts(CELLS), 8)
    assert list(cut) == ["seeds-0-7", "seeds-8-15", "seeds-16-19"]
    assert cut["seeds-8-15"] == [(0, 2, 3, 4, "", 9, 12), (1, 2, 3, 4, "other", 9, 12), (2, 2, 4, 4, "", 8, 15)]


def test_cells_too_small_for_every_block_are_dealt_out():
    singles = [Cell(2, 2, 2, [k], f"layer{k}") for k in range(6)]
    cut = blocks.divided(blocks.as_parts([*singles, Cell(3, 3, 3, range(12))]), 4)
    assert [sorted(place for place, *_ in parts) for parts in cut.values()] == [[0, 3, 6], [1, 4, 6], [2, 5, 6]]


def test_the_card_says_how_long_a_block_is_and_more_seeds_are_more_blocks():
    def cut(count, asked=None):
        settings = {"candidates": [2 * count, count], "d": [4, 6]}
        config = resolve({"experiments": {"multi_token": {"problems": settings, "measures": {"accepted": 1}}}})
        return blocks.cut(cards.read("multi_token"), config, asked)

    length = 31000 // 4
    once, grown = cut(3 * length // 2), cut(3 * length)
    assert list(once) == [f"seeds-{1 + k * length}-{(k + 1) * length}" for k in range(3)]
    assert len(grown) == 6
    assert {name: grown[name] for name in once} == once
    assert len(cut(1)) == 1
    assert list(cut(3000, asked=7)) == [f"seeds-{1 + k * 858}-{min(858 * (k + 1), 6000)}" for k in range(7)]


def test_seeds_that_are_no_range_are_refused():
    with pytest.raises(UserError, match=r"the seeds of n2_T3_d4 are no range, and blocks are ranges of seeds"):
        blocks.as_parts([Cell(2, 3, 4, (1, 2, 4))])
    assert blocks.as_parts([Cell(2, 3, 4, (5,))]) == [(0, 2, 3, 4, "", 5, 5)]


REMEMBERED = [card for card in cards.experiments(optional=True) if "outside" not in card.modules]


@pytest.mark.parametrize("card", REMEMBERED, ids=lambda card: card.name)
def test_a_grid_is_worked_out_once_and_the_next_run_imports_nothing_for_it(card, tmp_path, monkeypatch):
    """Every start of Snakemake asks for all grids; the modules that know them import torch and much else."""
    monkeypatch.setattr(cache, "MEMO", cache.Memo(tmp_path / "memo.json"))
    first = blocks.grid(card, SMOKE)
    cache.MEMO._write()
    monkeypatch.setattr(cache, "MEMO", cache.Memo(tmp_path / "memo.json"))
    monkeypatch.setattr(blocks.ast_slice, "function", None)
    assert blocks.grid(card, SMOKE) == first
    assert all(isinstance(part, blocks.Part) for part in first)


@pytest.mark.parametrize(
    ("returned", "said"),
    [
        (None, "`cells` returned NoneType: let it return a list of Cell"),
        ([1, 2], "`cells` returned list: let it return a list of Cell"),
        ([Cell(2, 3, 4, range(5)), Cell(2, 3, 4, range(9))], "`cells`: n2_T3_d4 occurs twice: give its cells a"),
    ],
)
def test_a_grid_that_is_none_names_its_module(monkeypatch, returned, said):
    monkeypatch.setattr(blocks.ast_slice, "function", lambda module, name: lambda settings: returned)
    with pytest.raises(UserError) as caught:
        blocks._cells(cards.read("cone"), {})
    assert str(caught.value).startswith(f"attnsvm/experiments/own/cone/problems.py: {said}")


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (KeyError("nn"), "attnsvm/experiments/own/cone/problems.py: KeyError: 'nn'; mend this module"),
        (ModuleNotFoundError("x", name="torch"), "attnsvm/experiments/own/cone/problems.py: torch is not installed: "),
        (UserError("a sentence"), "a sentence"),
    ],
)
def test_a_grid_that_fails_names_its_module(monkeypatch, error, said):
    def cells(settings):
        raise error

    monkeypatch.setattr(blocks.ast_slice, "function", lambda module, name: cells)
    with pytest.raises(UserError) as caught:
        blocks._cells(cards.read("cone"), {})
    assert str(caught.value).startswith(said)
