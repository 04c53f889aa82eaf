"""Nested dicts of numbers and arrays, as stages keep them."""

import numpy as np


def stacked(trees: list[dict]) -> dict:
    """Equal trees of numbers and arrays as one, whose arrays have one axis more, the first."""
    if not isinstance(trees[0], dict):
        return np.stack(trees)
    return {name: stacked([tree[name] for tree in trees]) for name in trees[0]}
