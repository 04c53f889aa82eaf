"""The constraints of a layer of a stack of attention layers.

A row that counts is held to a margin, and every other row to its winner, or to equal logits of the tokens that it
shares for ever. `counting_rows` of attnsvm.data.architecture says which rows count.
"""

import numpy as np

from attnsvm.analysis.ends import COPY
from attnsvm.svm.constraints import Constraints, sequence


def layer_constraints(
    tokens: np.ndarray, selected: np.ndarray, bound: np.ndarray, causal: bool = False, shared: np.ndarray | None = None
) -> Constraints:
    """One head of a layer below the top: the row at each position selects a token with the margin asked of that row.

    Args:
        tokens: (n, T, d), the input of the layer.
        selected: (n, T) int.
        bound: (n, T), at least 0; infinite where the row is left out.
        causal: only the tokens up to the position of the row compete.
        shared: (n, T, T) bool, the tokens that the row at each position shares with the one that it selects: their
            logits are equal, and the multipliers free. None: each row has its token to itself.

    Raises:
        ValueError: as `sequence`, or a row shares its token and is asked for a margin: it cannot saturate.
    """
    constraints = sequence(tokens, selected, causal, np.where(np.isfinite(bound), bound, 0.0))
    constraints = constraints[np.isfinite(bound).ravel()[constraints.index[:, 0]]]
    if shared is None:
        return constraints
    n, T = selected.shape
    equal = shared.reshape(n * T, T)[constraints.index[:, 0], constraints.index[:, 2]]
    if (constraints.bound[equal] > 0).any():
        row = int(constraints.index[equal & (constraints.bound > 0), 0][0])
        raise ValueError(f"shared: the row at position {row % T} of input {row // T} is asked for a margin")
    return constraints.with_equality(equal)


def graded(cost: np.ndarray | float, rate: np.ndarray | float) -> np.ndarray:
    """The margin of a row, max(0, 1 − C/ρ): 1 where it counts (C = 0), 0 from C = ρ on.

    Args:
        cost: C, the exponent of the gradient that reaches the row; rate: ρ, the exponent of the layer's leading terms.
    """
    return np.maximum(0.0, 1.0 - np.asarray(cost) / rate)


def without_copies(constraints: Constraints) -> Constraints:
    """The constraints without those between equal tokens: copies share the softmax, whatever W is."""
    factors = constraints.factors
    longest = np.linalg.norm(factors.tokens, axis=1).max(initial=0.0)
    return constraints[np.linalg.norm(constraints.left, axis=1) > COPY * longest]
