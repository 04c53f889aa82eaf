"""How the logits of a head depend on distance, and the features that each way lifts a token to.

Rotary: pairs of rows of K and Q are turned by an angle that grows with the position. A turned pair contributes
cos(θδ)(k_a q_a + k_b q_b) + sin(θδ)(k_b q_a − k_a q_b) to the logit, δ being the place of the query less that of the
token. That is linear in (cos θδ, sin θδ) ⊗ x̃ and in z̃: a max-margin problem with lifted tokens.

Disentangled: keys and queries meet vectors for distances, x̃ᵀKᵀQ z̃ + (Q z̃)·k_b + (K x̃)·q_b for the bucket b of a
distance. That is linear in (e_b, 1) ⊗ x̃ and in z̃, since both have a constant 1.

Added: the logit x̃ᵀ W z̃ + b(δ) is (x̃, c(δ))ᵀ W z̃ with more rows of W, which reach z̃ by its constant 1: a token gets
columns for its distance, and W stays one matrix.
"""

from collections.abc import Callable
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
                return found.detach().double().cpu().numpy(), float(getattr(module, f"{name}attention_scaling", 1.0))
    return np.zeros(0), 1.0


@dataclass(frozen=True)
class Disentangled:
    """The B buckets of a head.

    Attributes:
        keys: (B, r), what queries meet; queries: (B, r), what keys meet. B is 0 in a model without such terms.
        bucket: the number of the bucket of every distance.
    """

    keys: np.ndarray
    queries: np.ndarray
    bucket: Callable[[np.ndarray], np.ndarray]

    def features(self, distance: np.ndarray, _: np.ndarray | None = None) -> np.ndarray:
        """(N, B + 1) for distances (N,); the lifted token is their product with x̃."""
        one = np.ones((len(distance), 1))
        return np.hstack([np.eye(len(self.keys))[self.bucket(distance)], one]) if len(self.keys) else one

    def logits(self, k: np.ndarray, q: np.ndarray, distance: np.ndarray, _: np.ndarray | None = None) -> np.ndarray:
        """(...,) for keys and queries (..., r) and distances (...,)."""
        found = (k * q).sum(-1)
        if len(self.keys):
            apart, which = np.unique(distance, return_inverse=True)
            bucket = self.bucket(apart)[which.reshape(distance.shape)]
            found = found + (q * self.keys[bucket]).sum(-1) + (k * self.queries[bucket]).sum(-1)
        return found

    def slope(self, q: np.ndarray, distance: np.ndarray, _: np.ndarray | None = None) -> np.ndarray:
        """(N, r) the derivative of the logits by the keys, for queries (N, r) and distances (N,)."""
        return q + self.queries[self.bucket(distance)] if len(self.keys) else q

    def reduced(self, K: np.ndarray, Q: np.ndarray) -> np.ndarray:
        """A matrix (r + 2B, D) with the singular values of the lifted W of K and Q (r, D).

        The block of a bucket is e uᵀ + v eᵀ, e being the constant 1; its rows are those of the triangle of (e, v).
        """
        u, v, e = self.keys @ Q, self.queries @ K, np.eye(K.shape[1])[-1]
        along = v @ e
        across = np.sqrt(np.maximum((v * v).sum(1) - along**2, 0.0))
        return np.vstack([np.linalg.qr(K.T)[1] @ Q, u + np.outer(along, e), np.outer(across, e)])


class Slope:
    """b(δ) = −slope · δ: linear biases of attention (ALiBi). One column, δ.

    Attributes:
        rows: (heads, 1) what multiplies it.
    """

    def __init__(self, slopes: np.ndarray):
        self.rows = -slopes[:, None]

    def columns(self, distance: np.ndarray) -> np.ndarray:
        """(..., 1) for distances (...,)."""
        return distance[..., None].astype(float)


class Buckets:
    """b(δ) = one number for each bucket of distances. A column for each bucket.

    Attributes:
        rows: (heads, buckets).
    """

    def __init__(self, values: np.ndarray, bucket: Callable[[np.ndarray], np.ndarray]):
        self.rows, self.bucket = values.T, bucket

    def columns(self, distance: np.ndarray) -> np.ndarray:
        """(..., buckets) for distances (...,)."""
        return np.eye(self.rows.shape[1])[self.bucket(distance)]


def added(model, kind: str) -> Slope | Buckets:
    """What a model adds to its logits, from the model itself."""
    import torch

    if kind == "mpt":
        from transformers.models.mpt.modeling_mpt import build_mpt_alibi_tensor

        return Slope(build_mpt_alibi_tensor(model.config.num_attention_heads, 2)[:, 0].diff()[:, 0].double().numpy())
    if kind == "bloom":
        from transformers.models.bloom.modeling_bloom import build_alibi_tensor

        heads = model.config.num_attention_heads
        return Slope(build_alibi_tensor(torch.ones(1, 2), heads, torch.float64)[:, 0, 1].numpy())
    (found,) = (module for module in model.modules() if hasattr(module, "relative_attention_bias"))
    weight = found.relative_attention_bias.weight
    some = {"num_buckets": len(weight)}
    if kind != "mpnet":
        some["max_distance"] = found.relative_attention_max_distance
    make = found.relative_position_bucket if kind == "mpnet" else found._relative_position_bucket

    def bucket(distance):
        return make(torch.tensor(-distance.astype(int)), **some).numpy()

    return Buckets(weight.detach().double().cpu().numpy(), bucket)
