"""How much of the best possible margin a matrix reaches: the margin ratio.

ρ_N(W) = (smallest margin of W / ‖W‖_N) · ‖W_N‖_N, where W_N is the max-margin solution in the norm N for the tokens
that W selects. The smallest margin of W_N is 1, so that ρ_N(W) ≤ 1; and 1 means that W has the direction of a
max-margin solution.
"""

import math

import numpy as np

from attnsvm import geometry
from attnsvm.data.problems import Problems


def smallest_margin(
    tokens: np.ndarray, queries: np.ndarray, W: np.ndarray, selected: np.ndarray, counts: np.ndarray | bool = True
) -> np.ndarray:
    """The smallest margin (x_iα − x_it)ᵀ W z_i over all inputs i and tokens t ≠ α_i, (S, ...).

    Args:
        tokens: (S, n, T, d), queries: (S, n, e).
        W: (S, ..., d, e), any number of matrices of each instance, for example one for each logged step.
        selected: (S, n) int, the token α_i of every input.
        counts: as (S, n, T) bool, the tokens whose margins count.

    Returns:
        One number for each matrix; infinite where no input has a second token.
    """
    S, n, T, _ = tokens.shape
    flat = W.reshape(S, math.prod(W.shape[1:-2]), *W.shape[-2:])
    along = flat @ queries[:, None].swapaxes(-1, -2)  # (S, L, d, n)
    logits = np.einsum("sntd,sldn->slnt", tokens, along, optimize=True)
    reached = np.take_along_axis(logits, selected[:, None, :, None], -1) - logits
    others = (np.arange(T) != selected[..., None]) & np.broadcast_to(counts, (S, n, T))
    return np.where(others[:, None], reached, np.inf).min((-2, -1)).reshape(W.shape[:-2])


def largest_logit(problems: Problems, W: np.ndarray) -> np.ndarray:
    """The largest logit x_itᵀ W z_i over all inputs i and tokens t, (S, ...) for W (S, ..., d, e)."""
    flat = W.reshape(len(W), math.prod(W.shape[1:-2]), *W.shape[-2:])
    along = flat @ problems.queries[:, None].swapaxes(-1, -2)
    logits = np.einsum("sntd,sldn->slnt", problems.tokens, along, optimize=True)
    return logits.max((-2, -1)).reshape(W.shape[:-2])


def margin_ratio(
    tokens: np.ndarray,
    queries: np.ndarray,
    W: np.ndarray,
    selected: np.ndarray,
    norm: str,
    solution: np.ndarray,
    counts: np.ndarray | bool = True,
) -> np.ndarray:
    """ρ_N(W), (S, ...): no unit, at most 1, negative where W does not separate the selected tokens.

    Args:
        tokens, queries, W, selected, counts: as in `smallest_margin`.
        norm: N, as in `geometry.get`.
        solution: (S, d, e), the certified solution in this norm for these tokens, of smallest margin 1.

    Returns:
        NaN for W = 0, and where the solution is not finite: no solution was certified there.
    """
    measure = geometry.get(norm)
    least = measure.value(np.where(np.isfinite(solution), solution, 0.0))
    least = np.where(np.isfinite(solution).all((-2, -1)), least, np.nan)
    margin, size = smallest_margin(tokens, queries, W, selected, counts), measure.value(W)
    with np.errstate(divide="ignore", invalid="ignore"):
        return margin / size * least.reshape(-1, *[1] * (W.ndim - 3))
