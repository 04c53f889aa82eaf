"""Rotary positions: pairs of rows of K and Q are turned by an angle that grows with the position.

A turned pair contributes cos(θδ)(k_a q_a + k_b q_b) + sin(θδ)(k_b q_a − k_a q_b) to the logit, δ being the place of the
query less that of the token. That is linear in (cos θδ, sin θδ) ⊗ x̃ and in z̃: a max-margin problem with lifted tokens.
"""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Rotary:
    """Rows in the order: first ones of the F pairs, second ones, rows that are not turned.

    Attributes:
        theta: (F,) radians per token; empty in a layer without positions.
        rest: whether there are rows that are not turned.
    """

    theta: np.ndarray
    rest: bool

    def features(self, distance: np.ndarray, unturned: np.ndarray | None = None) -> np.ndarray:
        """(N, p) for distances (N,); the lifted token is their product with x̃.

        unturned: (N,) what multiplies the last one, which belongs to the rows that are not turned.
        """
        angle = np.outer(distance, self.theta)
        last = np.ones(len(angle)) if unturned is None else unturned
        return np.column_stack([np.cos(angle), np.sin(angle), *([last] if self.rest else [])])

    def logits(
        self, k: np.ndarray, q: np.ndarray, distance: np.ndarray, unturned: np.ndarray | None = None
    ) -> np.ndarray:
        """(...,) for keys and queries (..., r) that are not yet turned, and distances (...,).

        unturned: (...,) what multiplies the part of the rows that are not turned.
        """
        F = len(self.theta)
        apart, which = np.unique(distance, return_inverse=True)
        angle, which = np.outer(apart, self.theta), which.reshape(distance.shape)
        (ka, kb, ku), (qa, qb, qu) = (np.split(rows, [F, 2 * F], axis=-1) for rows in (k, q))
        turned = np.cos(angle)[which] * (ka * qa + kb * qb) + np.sin(angle)[which] * (kb * qa - ka * qb)
        return turned.sum(-1) + (ku * qu).sum(-1) * (1.0 if unturned is None else unturned)

    def slope(self, q: np.ndarray, distance: np.ndarray, unturned: np.ndarray | None = None) -> np.ndarray:
        """(N, r) the derivative of the logits by the keys, for queries (N, r) and distances (N,)."""
        F, angle = len(self.theta), np.outer(distance, self.theta)
        qa, qb, qu = np.split(q, [F, 2 * F], axis=-1)
        cos, sin = np.cos(angle), np.sin(angle)
        rest = qu if unturned is None else qu * unturned[:, None]
        return np.hstack([cos * qa - sin * qb, cos * qb + sin * qa, rest])

    def reduced(self, K: np.ndarray, Q: np.ndarray) -> np.ndarray:
        """A matrix (at most r, D) with the singular values of the lifted W of K and Q (r, D).

        The columns of the lifted K are orthogonal: both rows of a pair have the length of the pair.
        """
        F = len(self.theta)
        pair = np.sqrt((K[:F] ** 2).sum(1) + (K[F : 2 * F] ** 2).sum(1))
        rest = np.linalg.qr(K[2 * F :].T)[1] @ Q[2 * F :]
        return np.vstack([np.tile(pair, 2)[:, None] * Q[: 2 * F], rest])


def order(pairs: str, size: int, turned: int) -> np.ndarray:
    """(size,) the rows of a head in the order of `Rotary`, of which the first 2·`turned` are pairs.

    Args:
        pairs: "half": the partner of a row lies half of the turned rows after it; "interleaved": it is the next row.
    """
    rows = np.arange(2 * turned)
    firsts = rows[:turned] if pairs == "half" else rows[::2]
    seconds = rows[turned:] if pairs == "half" else rows[1::2]
    return np.concatenate([firsts, seconds, np.arange(2 * turned, size)])


def frequencies(model, layer_type: str | None) -> tuple[np.ndarray, float]:
    """(F,) radians per token as the model keeps them, and the factor of its cosines and sines."""
    for module in model.modules():
        for name in ("", f"{layer_type}_"):
            found = getattr(module, f"{name}inv_freq", None)
            if found is not None:
                return found.detach().double().numpy(), float(getattr(module, f"{name}attention_scaling", 1.0))
    return np.zeros(0), 1.0
