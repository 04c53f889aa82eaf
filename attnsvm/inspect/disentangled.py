"""Disentangled attention (DeBERTa): keys and queries meet vectors that belong to their distance."""

import numpy as np

from attnsvm.inspect.attention import LiftedAttention
from attnsvm.inspect.families import Family
from attnsvm.inspect.lifted import Head
from attnsvm.inspect.parts import array_of, rows_of
from attnsvm.inspect.positions.disentangled import Disentangled


class DisentangledAttention(LiftedAttention):
    """Of one layer of an encoder."""

    def __init__(self, name: str, module, model, family: Family):
        self.name, self.module, self.model, self.family, self.causal = name, module, model, family, False
        self.heads, self.projection = module.num_attention_heads, module.value_proj  # the others also meet the places
        self.window = self.cap = None

    def weights(self) -> list[Head]:
        it, size = self.module, self.module.attention_head_size
        terms = [kind for kind in ("c2p", "p2c") if kind in it.pos_att_type]
        scale = 1 / float(np.sqrt(np.float32(size * (1 + len(terms)))))  # as the model rounds it
        queries, keys = (rows_of(one).reshape(self.heads, size, -1) for one in (it.query_proj, it.key_proj))
        asked, met = (self._of_places(kind, terms) for kind in ("p2c", "c2p"))
        return [
            Head(keys[h], scale * queries[h], Disentangled(met[h], scale * asked[h], self._bucket))
            for h in range(self.heads)
        ]

    def _of_places(self, kind, terms):
        """(heads, places, r) keys ("c2p") or queries ("p2c") of the places; none where the model has no such term."""
        it, size = self.module, self.module.attention_head_size
        if not it.relative_attention:
            return np.zeros((self.heads, 0, size))
        count = 2 * it.pos_ebd_size
        if kind not in terms:
            return np.zeros((self.heads, count, size))
        shared, other = ("key_proj", "pos_key_proj") if kind == "c2p" else ("query_proj", "pos_query_proj")
        rows = rows_of(getattr(it, shared if it.share_att_key else other))
        embedded = array_of(self.model.encoder.get_rel_embedding())[:count]
        places = np.column_stack([embedded, np.ones(len(embedded))]) @ rows.T
        return places.reshape(count, self.heads, size).swapaxes(0, 1)

    def _bucket(self, distance):
        import torch
        from transformers.models.deberta_v2.modeling_deberta_v2 import make_log_bucket_position

        it, apart = self.module, torch.tensor(distance).long()
        if it.position_buckets > 0 and it.max_relative_positions > 0:
            apart = make_log_bucket_position(apart, it.position_buckets, it.max_relative_positions).long()
        return (apart + it.pos_ebd_size).clamp(0, 2 * it.pos_ebd_size - 1).numpy()
