"""Batches of problems: cut, and as arrays."""

import numpy as np
import pytest

from attnsvm.data.draws import draw, gaussian
from attnsvm.data.problems import Problems
from attnsvm.experiments.paper.multi_token.problems import relu

FIELDS = ("tokens", "queries", "labels", "head", "seeds")


@pytest.mark.parametrize("index", [slice(1, 3), np.array([3, 0]), np.array([True, False, True, False]), slice(0, 0)])
def test_a_slice_takes_every_field_along(index):
    batch = draw(relu, [2, 4, 6, 8], 3, 4, 5)
    part = batch[index]
    expected = np.array([2, 4, 6, 8])[index].tolist()
    assert len(part) == len(expected)
    redrawn = draw(relu, expected, 3, 4, 5)
    for field in FIELDS:
        assert np.array_equal(getattr(part, field), getattr(redrawn, field)), field


def test_arrays_hold_everything_and_give_the_batch_back():
    batch = draw(gaussian, [3, 1], 2, 3, 4)
    arrays = batch.arrays()
    assert set(arrays) == set(FIELDS)
    again = Problems.from_arrays(arrays)
    assert all(getattr(again, f) is getattr(batch, f) for f in FIELDS)
