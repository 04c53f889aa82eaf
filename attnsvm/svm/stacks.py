"""The constraints of a layer of a stack of attention layers.

A row that counts is held to a margin, every other one to its winner; `counting_rows` of attnsvm.architecture says
which count.
"""

import numpy as np

from attnsvm.svm.constraints import Constraints, sequence


def layer_constraints(tokens: np.ndarray, selected: np.ndarray, bound: np.ndarray, causal: bool = False) -> Constraints:
    """One head of a layer below the top: the row at each position selects a token with the margin asked of that row.

    Args:
        tokens: (n, T, d), what the layer sees.
        selected: (n, T) int.
        bound: (n, T), from 0; infinite: the row is left out.
        causal: only tokens up to the row's position compete.
    """
    asked = sequence(tokens, selected, causal, np.where(np.isfinite(bound), bound, 0.0))
    return asked[np.isfinite(bound).ravel()[asked.index[:, 0]]]
