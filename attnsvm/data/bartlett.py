"""Gaussian vectors in many dimensions by what their inner products need: the factor of Bartlett's decomposition."""

import numpy as np


def lower(stream: np.random.Generator, k: int, d: int) -> np.ndarray:
    """The factor L (k, k) of the LQ decomposition of k Gaussian vectors of d numbers each, k ≤ d."""
    L = np.tril(stream.standard_normal((k, k)), -1)
    L[np.diag_indices(k)] = np.sqrt(stream.chisquare(d - np.arange(k)))
    return L
