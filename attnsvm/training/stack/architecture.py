"""What a stack of attention layers looks like, and the weights at which its training starts."""

from dataclasses import dataclass

import numpy as np

from attnsvm.training.start import draw_initial, uniform

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
        m: columns of K and Q; None: d. Of no meaning when W is trained.
        normalisation: "joint": one norm, of the gradient of all weights together, divides the step of each; or
            "separate": each weight's own (K and Q each for itself). Of no meaning in a rule that does not normalise.

    Raises:
        ValueError: one of them is not among these.
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

    def start(self, seeds: np.ndarray, d: int) -> tuple[np.ndarray, ...]:
        """Initial weights from the seeds (S,), every entry U(−1/√d, 1/√d): W (S, L, H, d, d), or K, Q (S, L, H, d, m).

        They are drawn head by head from the bottom up: a deeper stack starts with the weights of a shallower one.
        """
        if self.parametrisation == "W":
            return (draw_initial("stack W", seeds, uniform((self.layers, self.heads, d, d), d)),)
        m = d if self.m is None else self.m
        both = draw_initial("stack KQ", seeds, uniform((self.layers, self.heads, 2, d, m), d))
        return np.ascontiguousarray(both[:, :, :, 0]), np.ascontiguousarray(both[:, :, :, 1])
