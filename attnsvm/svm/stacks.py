"""The constraints of a layer of a stack of attention layers.

A row that counts is held to a margin, and every other row to its winner. `counting_rows` of attnsvm.architecture says
which rows count.
"""

import numpy as np

from attnsvm.svm.constraints import Constraints, sequence


def layer_constraints(tokens: np.ndarray, selected: np.ndarray, bound: np.ndarray, causal: bool = False) -> Constraints:
    """One head of a layer below the top: the row at each position selects a token with the margin asked of that row.

    Args:
        tokens: (n, T, d), what the layer sees.
        selected: (n, T) int.
        bound: (n, T), at least 0; infinite where the row is left out.
        causal: only the tokens up to the position of the row compete.
    """
    asked = sequence(tokens, selected, causal, np.where(np.isfinite(bound), bound, 0.0))
    return asked[np.isfinite(bound).ravel()[asked.index[:, 0]]]
