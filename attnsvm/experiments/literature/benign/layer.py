"""What a batch of these inputs is made of, and which of them a signal token can serve."""

from itertools import product

import numpy as np

SERVED = ("clean", "flipped", "none")  # which inputs of a class the max-margin v classifies by their signal token
OPTIONS = list(product(SERVED, SERVED))  # of the classes +1 and −1
SIGNAL = OPTIONS.index(("clean", "clean"))
SIGNS = np.array([1.0, -1.0])  # the true labels of the classes 0 and 1


def parts(tokens: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Classes (S, n), which labels are flipped (S, n), noise tokens (S, n, n), lengths of the signal (S,)."""
    true = (tokens[:, :, 0, 1] > 0).astype(int)
    return true, labels != SIGNS[true], tokens[:, :, 1, 2:], tokens[:, :, 0, :2].max((1, 2))


def served(option: int, true: np.ndarray, flipped: np.ndarray) -> np.ndarray:
    """Which inputs (..., n) take their signal token under an option."""
    which = np.array(OPTIONS[option])[true]
    return np.where(flipped, which == "flipped", which == "clean")
