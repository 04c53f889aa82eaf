"""Disentangled attention (DeBERTa): keys and queries meet vectors that belong to their distance."""

from typing import NamedTuple

import numpy as np

from attnsvm.inspect.attention import LiftedAttention
from attnsvm.inspect.families import Family
from attnsvm.inspect.lifted import Head
from attnsvm.inspect.parts import array_of, rows_of
from attnsvm.inspect.positions.disentangled import Disentangled


class LogBuckets(NamedTuple):
    """The buckets of the model: every near distance has one, and farther ones share them.

    Attributes:
        count, longest: as in config.json (position_buckets, max_relative_positions). span: half the number of buckets.
    """

    count: int
    longest: int
    span: int

    def __call__(self, distance: np.ndarray) -> np.ndarray:
        import torch
        from transformers.models.deberta_v2.modeling_deberta_v2 import make_log_bucket_position

        apart = torch.tensor(distance).long()
        if self.count > 0 and self.longest > 0:
            apart = make_log_bucket_position(apart, self.count, self.longest).long()
        return (apart + self.span).clamp(0, 2 * self.span - 1).numpy()


class DisentangledAttention(LiftedAttention):
    """The attention of one layer of an encoder."""

    def __init__(self, name: str, module, model, family: Family):
        self.name, self.module, self.model, self.family, self.causal = name, module, model, family, False
        self.heads, self.projection = module.num_attention_heads, module.value_proj  # the others also meet the places
        self.window = self.cap = None
        if module.relative_attention:
            self.bucket = LogBuckets(module.position_buckets, module.max_relative_positions, module.pos_ebd_size)
        else:
            self.bucket = LogBuckets(0, 0, 0)

    def weights(self) -> list[Head]:
        it, size = self.module, self.module.attention_head_size
        terms = [kind for kind in ("c2p", "p2c") if kind in it.pos_att_type]
        scale = 1 / float(np.sqrt(np.float32(size * (1 + len(terms)))))  # as the model rounds it
        queries, keys = (rows_of(one).reshape(self.heads, size, -1) for one in (it.query_proj, it.key_proj))
        by_query, by_key = (self._of_places(kind, terms) for kind in ("p2c", "c2p"))
        return [
            Head(keys[h], scale * queries[h], Disentangled(by_key[h], scale * by_query[h], self.bucket))
            for h in range(self.heads)
        ]

    def _of_places(self, kind, terms):
        """(heads, places, r) keys ("c2p") or queries ("p2c") of the places; none where the model has no such term."""
        it, size = self.module, self.module.attention_head_size
        count = 2 * self.bucket.span
        if kind not in terms or not it.relative_attention:
            return np.zeros((self.heads, count, size))
        shared, other = ("key_proj", "pos_key_proj") if kind == "c2p" else ("query_proj", "pos_query_proj")
        rows = rows_of(getattr(it, shared if it.share_att_key else other))
        embedded = array_of(self.model.encoder.get_rel_embedding())[:count]
        places = np.column_stack([embedded, np.ones(len(embedded))]) @ rows.T
        return places.reshape(count, self.heads, size).swapaxes(0, 1)
