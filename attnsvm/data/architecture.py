"""What a stack of attention layers looks like, and which rows of its softmax count."""

from dataclasses import dataclass

import numpy as np

ATTENTIONS = ("cross", "self", "sequence", "causal")


@dataclass(frozen=True)
class Stack:
    """L layers of H heads, X¹ = X (n, T, d) the tokens of one instance.

    A layer below the top has a query at every position q:
        x^{l+1}_q = [x^l_q +] Σ_h V_lhᵀ X^lᵀ softmax(X^l W_lh x^l_q), with the first term if `residual`.
    The top layer gives f = h(Σ_h V_Lhᵀ X^Lᵀ softmax(X^L W_Lh z)), h the prediction head; it has no residual.

    Attributes:
        layers: L, at least 1. heads: H, at least 1.
        residual: whether a layer below the top adds its input.
        attention: the query z of the top: "cross" (given), "self" (x^L_1), "sequence" (one per position, x^L_k) or
            "causal" (the same, and only tokens t ≤ k compete there).
        causal: whether in the layers below only tokens t ≤ q compete.
        parametrisation: "W", or "KQ": W = K Qᵀ with K and Q (d, m).
        m: columns of K and Q; None: d. It has no meaning when W is trained.
        normalisation: "joint": one norm, of the gradient of all weights together, divides the step of each; or
            "separate": the norm of each weight divides its step (K and Q separately). It has no meaning in a rule that
            does not divide by a Frobenius norm.

    Raises:
        ValueError: an attribute has another value.
    """

    layers: int = 1
    heads: int = 1
    residual: bool = True
    attention: str = "cross"
    causal: bool = False
    parametrisation: str = "W"
    m: int | None = None
    normalisation: str = "joint"

    def __post_init__(self):
        for name, known in (
            ("attention", ATTENTIONS),
            ("parametrisation", ("W", "KQ")),
            ("normalisation", ("joint", "separate")),
        ):
            if getattr(self, name) not in known:
                choices = ", ".join(map(repr, known))
                raise ValueError(f"{name}: expected one of {choices}, got {getattr(self, name)!r}")
        for name in ("layers", "heads"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name}: expected a number from 1 on, got {getattr(self, name)}")

    def rows(self, T: int) -> int:
        """How many queries the top has per input of T tokens."""
        return T if self.attention in ("sequence", "causal") else 1

    def masks(self, T: int) -> tuple[np.ndarray, np.ndarray]:
        """Which tokens compete for the query of each row: below the top (T, T), at the top (rows, T); bool."""
        everywhere, behind = np.ones((T, T), dtype=bool), np.tri(T, dtype=bool)
        top = behind if self.attention == "causal" else everywhere[: self.rows(T)]
        return behind if self.causal else everywhere, top


def counting_rows(below: np.ndarray, top: np.ndarray, passed: bool) -> np.ndarray:
    """Which rows of the layers below the top count, (S, L − 1, n, T) bool.

    The gradient that reaches a row has a factor for every softmax between it and the output. Where this factor is of
    order one, descent widens the row's margin as it does that of the top: the row counts. That is so if a counting
    row of the layer above selects the row's composed token, or if that counting row stands at the same position and a
    residual passes the token on to it. Every other row is held to its winner, and to no margin.

    Args:
        below: (S, L − 1, H, n, T) int, the token selected by the row of each position, head by head; or
            (S, L − 1, H, n, T, T) bool, a set of equal tokens for each row.
        top: (S, H, n, R, T) bool, the tokens selected by each row of the top.
        passed: whether the position of a counting row counts in the layer below, as with a residual.
    """
    S, layers, _, n, T = below.shape[:5]
    counts = np.zeros((S, layers, n, T), dtype=bool)
    above = np.asarray(top.any((1, 3)))
    for layer in range(layers - 1, -1, -1):
        counts[:, layer] = above
        chosen = below[:, layer]  # (S, H, n, T rows[, T tokens])
        chosen = chosen if chosen.dtype == bool else chosen[..., None] == np.arange(T)
        read = np.asarray((chosen & above[:, None, :, :, None]).any((1, 3)))
        above = read | above if passed else read
    return counts
