"""Grids of cells, and blocks of them."""

import pytest

from attnsvm.data.cells import Cell, grid, one_shape, seeds, shapes
from attnsvm.system.errors import UserError

CELLS = [Cell(2, 3, 4, (5, 6)), Cell(2, 3, 4, (5,), "other"), Cell(2, 4, 4, (9,))]


def test_a_label_names_the_shape_and_the_variant():
    assert [cell.label for cell in CELLS] == ["n2_T3_d4", "n2_T3_d4_other", "n2_T4_d4"]


def test_seeds_count_up_from_the_first():
    assert seeds({"first_seed": 5, "instances": 3}) == range(5, 8)
    assert seeds({"first_seed": 0, "instances": 3, "candidates": 1}, "candidates") == range(1)


def test_one_shape_has_a_cell_per_variant():
    settings = {"n": 2, "T": 3, "d": 4, "first_seed": 1, "instances": 2, "candidates": 3}
    assert one_shape(settings) == [Cell(2, 3, 4, range(1, 3))]
    assert one_shape(settings, ("a", "b"), "candidates") == [Cell(2, 3, 4, range(1, 4), name) for name in "ab"]


def test_a_grid_has_a_cell_per_triple_the_last_fastest():
    found = [(cell.n, cell.T, cell.d) for cell in grid([1, 2], [3], [4, 5], (7,))]
    assert found == [(1, 3, 4), (1, 3, 5), (2, 3, 4), (2, 3, 5)]
    assert {cell.seeds for cell in grid([1, 2], [3], [4, 5], (7,))} == {(7,)}


def test_shapes_are_pairs_and_none_occurs_twice():
    settings = {"shapes": [[3, 2], [5, 5]], "d": [4, 6], "first_seed": 0, "instances": 1}
    found = [(cell.n, cell.T, cell.d, [*cell.seeds]) for cell in shapes(settings)]
    assert found == [(3, 2, 4, [0]), (3, 2, 6, [0]), (5, 5, 4, [0]), (5, 5, 6, [0])]
    with pytest.raises(UserError, match=r"problems\.shapes: a pair \(n, T\) occurs twice"):
        shapes(settings | {"shapes": [[3, 2], [5, 5], [3, 2]]})
