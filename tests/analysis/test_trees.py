"""Nested dicts of numbers and arrays."""

import numpy as np

from attnsvm.analysis.trees import stacked


def test_equal_trees_get_one_axis_more():
    trees = [{"a": {"b": np.full(3, k)}, "c": float(k)} for k in range(2)]
    found = stacked(trees)
    np.testing.assert_array_equal(found["a"]["b"], [[0, 0, 0], [1, 1, 1]])
    np.testing.assert_array_equal(found["c"], [0.0, 1.0])
