"""Exponents along a run: slopes of logarithms against that of the step or the time."""

import numpy as np


def slope(values: np.ndarray, at: np.ndarray, span: float) -> np.ndarray:
    """The slope of values (S, L) against log `at`, rising (L,), over the factor `span` before each; NaN before."""
    before = np.searchsorted(at, at / span, side="right") - 1
    with np.errstate(invalid="ignore", divide="ignore"):
        found = (values - values[:, before]) / np.log(at / at[before])
    return np.where(at >= span, found, np.nan)
