"""Batches of problems: cut, and as arrays."""

from dataclasses import replace

import numpy as np
import pytest

from attnsvm.data.draws import draw, gaussian
from attnsvm.data.inputs import ATTENTIONS
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


def padded():
    return replace(draw(gaussian, range(4), 3, 6, 5), lengths=np.array([[6, 2, 4], [1, 5, 3], [4, 4, 4], [6, 6, 6]]))


def test_lengths_go_through_arrays_and_indices():
    assert "lengths" not in draw(gaussian, range(2), 3, 6, 5).arrays()
    assert np.array_equal(Problems.from_arrays(padded().arrays()).lengths, padded().lengths)
    assert np.array_equal(padded()[1:3].lengths, padded().lengths[1:3])


@pytest.mark.parametrize("wrong", [0, 7])
def test_a_length_that_cannot_be_is_refused(wrong):
    with pytest.raises(ValueError, match="lengths: expected numbers from 1 to 6, the number of tokens"):
        replace(padded(), lengths=np.full((4, 3), wrong))


@pytest.mark.parametrize("attention", ATTENTIONS)
def test_nothing_attends_to_padding(attention):
    with pytest.raises(ValueError, match="lengths: expected None, got inputs with padding"):
        ATTENTIONS[attention](padded())
