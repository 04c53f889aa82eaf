"""Attention with latents (DeepSeek): keys and queries pass a narrow layer with a norm, but for rows that are turned.

With the norms frozen a key is linear in x̃, its turned rows as they are and the others over the norm ρ of the latent, so
that the lifted token is (cos θδ, sin θδ, 1/ρ) ⊗ x̃. A query is divided by the norm of its latent as a whole.
"""

import numpy as np

from attnsvm.inspect.attention import LiftedAttention
from attnsvm.inspect.lifted import Head
from attnsvm.inspect.parts import array_of, norm_of, rows_of
from attnsvm.inspect.positions.rotary import Rotary, order


class LatentAttention(LiftedAttention):
    """The latent attention of one layer; its theory is that of frozen norms."""

    def weights(self) -> list[Head]:
        it, heads = self.module, self.heads
        still, turned = it.qk_nope_head_dim, it.qk_rope_head_dim
        latent, shared = self._latent()
        keys = array_of(it.kv_b_proj.weight).reshape(heads, still + it.v_head_dim, -1)[:, :still]
        keys = keys @ (norm_of(it.kv_a_layernorm).gamma[:, None] * latent)
        queries = self._queries().reshape(heads, still + turned, -1) * it.scaling
        pairs = self.family.pairs if getattr(it.config, "rope_interleave", True) else "half"
        rows, way = order(pairs, turned, turned // 2), Rotary(self.theta, True)
        return [
            Head(np.vstack([shared[rows], key]), np.vstack([self.factor**2 * query[still:][rows], query[:still]]), way)
            for key, query in zip(keys, queries, strict=True)
        ]

    def asks(self, X: np.ndarray) -> np.ndarray:
        if self.module.q_lora_rank is None:
            return X
        norm, projection = self.module.q_a_layernorm, self.module.q_a_proj
        return self._kept[0].of(X, lambda: X / norm_of(norm).size(X @ rows_of(projection).T)[..., None])

    def unturned(self, X: np.ndarray) -> np.ndarray:
        norm = self.module.kv_a_layernorm
        return self._kept[1].of(X, lambda: 1 / norm_of(norm).size(X @ self._latent()[0].T))

    def _queries(self):
        """The rows of all heads, of x̃ once its latent has been divided by the norm."""
        it = self.module
        if it.q_lora_rank is None:
            return rows_of(it.q_proj)
        latent = norm_of(it.q_a_layernorm).gamma[:, None] * rows_of(it.q_a_proj)
        return array_of(it.q_b_proj.weight) @ latent

    def _latent(self):
        """The rows of the latent of keys and values, and those of the keys that are turned, the same for all heads."""
        return np.split(rows_of(self.module.kv_a_proj_with_mqa), [self.module.kv_lora_rank])
