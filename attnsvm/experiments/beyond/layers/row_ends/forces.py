"""The pull of the gradient on tokens of rows, beside the multipliers that it is to be."""

import numpy as np

from attnsvm.analysis.ends import Ends, equal_tokens
from attnsvm.experiments.beyond.layers.forces import coefficients
from attnsvm.experiments.beyond.layers.forces import multipliers as multipliers


def forces(problems, W: np.ndarray, rows, ends: Ends, place: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The probabilities of the terms at `place`, (m,), and the pull of the gradient from each, by the law ν/λ.

    The pull is the coefficient of the term in the gradient over that of its composed token and its copies together.

    Args:
        W: (S, 2, 1, d, d); rows: at W.
    """
    s, i, j, t = place.T
    gradient, same = coefficients(problems, W, rows, ends), equal_tokens(ends.rows.tokens[:, 1])
    above = (same @ gradient.top[..., None])[s, i, j, 0]
    with np.errstate(divide="ignore", invalid="ignore"):  # a composed token far from the margin, as of a free mixture
        return np.exp(rows.below[:, 0, 0])[s, i, j, t], gradient.below[s, i, j, t] / above
