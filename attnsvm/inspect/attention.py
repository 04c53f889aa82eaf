"""The attention of one layer of a model: the module whose input is captured, what a query sees, and its heads.

`attentions` finds those of a model by the names of their parts; a class stands for each way to make logits.
"""

from typing import Any, NamedTuple

import numpy as np

from attnsvm.inspect import positions
from attnsvm.inspect.families import ADDED, DISENTANGLED, LATENT, LAYOUTS, PLAIN, Family
from attnsvm.inspect.layers import Recent
from attnsvm.inspect.lifted import Head, Norm
from attnsvm.inspect.positions import Disentangled, Rotary, frequencies, order

SIZES = ("head_dim", "head_size", "key_value_proj_dim", "attention_head_size")  # names of the rows of a head
AGREES = 1e-5  # relative difference up to which logits are those of the model
ANGLE = 2.0**-23  # what a position more adds: models keep the angle of a position in float32


class Attention:
    """The attention of a model with learned positions, or with none: one W for each head."""

    theory = "exact"
    logit = "x_tᵀ W z"
    window: int | None = None  # how far a query sees; None: to the ends of the text

    def __init__(self, name: str, module, family: Family, heads: int):
        self.name, self.module, self.family, self.heads = name, module, family, heads
        self.causal, self.projection = family.causal, getattr(module, family.projections[0])

    def weights(self) -> list:
        """The W (D + 1, D + 1) of every head."""
        pairs = zip(*split(self.module, self.family, self.heads, self.heads), strict=True)
        return [key.T @ query * self.module.scaling for query, key in pairs]

    def logits(self, W, X: np.ndarray) -> np.ndarray:
        """(T, T) of all queries, one in each row, with all tokens of one text (T, D + 1)."""
        return X @ W.T @ X.T

    def tokens(self, X: np.ndarray, _: np.ndarray) -> np.ndarray:
        """What a query selects from, for tokens (T, D + 1) at distances (T,)."""
        return X

    def asks(self, X: np.ndarray) -> np.ndarray:
        """What asks, for tokens (..., D + 1)."""
        return X

    def unturned(self, X: np.ndarray) -> np.ndarray | None:
        """(T,) what multiplies rows of tokens (T, D + 1) that no rotation turns; None for nothing."""
        return None

    def sees(self, T: int) -> np.ndarray:
        """(T, T) bool, which tokens a query sees."""
        return np.tri(T, dtype=bool) if self.causal else np.ones((T, T), dtype=bool)

    def tolerance(self, _: int) -> float:
        """The relative difference of logits that rounding in the model can cause, for a text of so many tokens."""
        return AGREES


class LiftedAttention(Attention):
    """The attention of a model with rotary positions: a `Head` for each head, with its window, groups and norms."""

    logit = "its lifted W"

    def __init__(self, name: str, module, number: int, model, family: Family):
        config = model.config
        super().__init__(name, module, family, config.num_attention_heads)
        kinds = getattr(config, "layer_types", None)
        still = family.still is not None and family.still(module)
        self.theta, self.factor = (np.zeros(0), 1.0) if still else frequencies(model, kinds and kinds[number])
        window = getattr(module, "sliding_window", None if kinds else getattr(config, "sliding_window", None))
        self.window = window if getattr(module, "is_sliding", True) else None
        self.cap = getattr(module, family.cap) if family.cap else None
        groups = getattr(module, "num_kv_heads", None) or getattr(config, "num_key_value_heads", None)
        self.groups = groups or self.heads
        self.theory = "frozen norms" if family.norms else "selections" if self.cap else "exact"
        self._kept = Recent(), Recent()

    def weights(self) -> list:
        queries, keys = split(self.module, self.family, self.heads, self.groups)
        size, turned = queries.shape[1], len(self.theta)
        rows = order(self.family.pairs, size, turned)
        scale = np.full(size, scale_of(self.module, self.family, size))
        scale[: 2 * turned] *= self.factor**2
        norms = None
        if self.family.joint:
            gains = [norm_of(getattr(self.module, name)) for name in self.family.norms]
            queries, keys = (
                rows * norm.gamma.reshape(len(rows), size, 1) for rows, norm in zip((queries, keys), gains, strict=True)
            )
        elif self.family.norms:
            # the factor of cosines cannot pass a norm as one of the rows would
            query, key = (norm_of(getattr(self.module, name)) for name in self.family.norms)
            norms = Norm(query.gamma[rows] * scale, query.epsilon), Norm(key.gamma[rows], key.epsilon)
            scale = np.ones(size)
        way, share = Rotary(self.theta, 2 * turned < size), self.heads // self.groups
        return [Head(keys[h // share][rows], queries[h][rows] * scale[:, None], way, norms) for h in range(self.heads)]

    def logits(self, W, X: np.ndarray) -> np.ndarray:
        logits = W.pairs(self.tokens(X, np.zeros(0)), self.asks(X), self.unturned(X))
        return logits if self.cap is None else self.cap * np.tanh(logits / self.cap)

    def tokens(self, X: np.ndarray, _: np.ndarray) -> np.ndarray:
        return self._normed(X, 1)

    def asks(self, X: np.ndarray) -> np.ndarray:
        return self._normed(X, 0)

    def _normed(self, X, which):
        """Tokens divided by a norm that all heads share."""
        if not self.family.joint:
            return X
        norm = getattr(self.module, self.family.norms[which])
        projection = getattr(self.module, self.family.projections[which])
        return self._kept[which].of(X, lambda: X / norm_of(norm).size(X @ rows_of(projection).T)[..., None])

    def sees(self, T: int) -> np.ndarray:
        apart = np.arange(T)[:, None] - np.arange(T)
        near = np.abs(apart) < (self.window or T)
        return near & (apart >= 0) if self.causal else near

    def tolerance(self, T: int) -> float:
        return AGREES + ANGLE * T


class AddedAttention(Attention):
    """The attention of a model that adds a term of distance to its logits: one W a head, for longer tokens."""

    def __init__(self, name: str, module, family: Family, heads: int, added):
        super().__init__(name, module, family, heads)
        self.added = added

    def weights(self) -> list:
        """The W (D + 1 + columns, D + 1) of every head."""
        queries, keys = split(self.module, self.family, self.heads, self.heads)
        scale = scale_of(self.module, self.family, queries.shape[1])
        constant = np.eye(queries.shape[2])[-1]
        return [
            np.vstack([scale * key.T @ query, np.outer(row, constant)])
            for query, key, row in zip(queries, keys, self.added.rows, strict=True)
        ]

    def logits(self, W, X: np.ndarray) -> np.ndarray:
        own, more = np.split(W, [X.shape[1]])
        place = np.arange(len(X))
        columns = self.added.columns(place[:, None] - place)
        return X @ own.T @ X.T + (columns * (X @ more.T)[:, None]).sum(-1)

    def tokens(self, X: np.ndarray, apart: np.ndarray) -> np.ndarray:
        return np.column_stack([X, self.added.columns(apart)])


class LatentAttention(LiftedAttention):
    """Latent attention (DeepSeek): keys and queries pass a narrow layer with a norm, but for rows that are turned.

    With the norms frozen a key is linear in x̃, its turned rows as they are and the others over the norm ρ of the
    latent, so that the lifted token is (cos θδ, sin θδ, 1/ρ) ⊗ x̃. A query is divided by the norm of its latent as a
    whole. Its theory is that of frozen norms.
    """

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
    """Disentangled attention (DeBERTa): keys and queries meet vectors that belong to their distance."""

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


def attentions(model, kind: str) -> list[Attention]:
    """Those of every layer, in their order; none where the model does not look as its kind does."""
    family, found, heads = (PLAIN | LAYOUTS)[kind], modules(model, kind), model.config.num_attention_heads
    if kind in PLAIN:
        return [Attention(name, module, family, heads) for name, module in found]
    if kind in ADDED:
        added = positions.added(model, kind)
        return [AddedAttention(name, module, family, heads, added) for name, module in found]
    if kind in DISENTANGLED:
        return [DisentangledAttention(name, module, model, family) for name, module in found]
    made = LatentAttention if kind in LATENT else LiftedAttention
    return [made(name, module, number, model, family) for number, (name, module) in enumerate(found)]


def modules(model, kind: str) -> list[tuple[str, Any]]:
    """Their names and modules, in the order in which they are applied."""
    wanted = (PLAIN | LAYOUTS)[kind].projections
    found = [
        (name, module)
        for name, module in model.named_modules()
        if all(hasattr(module, part) for part in wanted) and "cross" not in name
    ]
    if kind == "albert":  # a few layers, each applied several times
        depth = model.config.num_hidden_layers
        found = [found[layer * len(found) // depth] for layer in range(depth)]
    return found


def split(module, family: Family, heads: int, groups: int) -> tuple[np.ndarray, np.ndarray]:
    """The rows of queries (heads, r, D + 1) and of keys (groups, r, D + 1)."""
    rows = [rows_of(getattr(module, name)) for name in family.projections]
    size = next((getattr(module, name) for name in SIZES if hasattr(module, name)), 0)
    match family.fused:
        case "blocks":
            query, key, _ = np.split(rows[0], [heads * size, (heads + groups) * size])
        case "groups":
            parts = rows[0].reshape(groups, heads // groups + 2, size, -1)
            query, key = parts[:, :-2], parts[:, -2]
        case _:
            query, key = rows
    width = query.shape[-1]
    return query.reshape(heads, -1, width), key.reshape(groups, -1, width)


def scale_of(module, family: Family, size: int) -> float:
    return getattr(module, family.scale, size**-0.5) if family.scale else size**-0.5


def rows_of(linear) -> np.ndarray:
    """Weight and bias of a linear map as rows (out, in + 1); those of GPT-2 keep their weight transposed, as Conv1D."""
    weight = array_of(linear.weight).T if type(linear).__name__ == "Conv1D" else array_of(linear.weight)
    return np.column_stack([weight, np.zeros(len(weight)) if linear.bias is None else array_of(linear.bias)])


def norm_of(module) -> Norm:
    """What a norm of root mean square does, from the module itself: some keep their gain less one."""
    import torch

    epsilon = float(getattr(module, "variance_epsilon", None) or module.eps)
    with torch.no_grad():
        ones = module(torch.ones_like(module.weight, dtype=torch.float64)).double().cpu().numpy()
    return Norm(ones * np.sqrt(1 + epsilon), epsilon)


def array_of(parameter) -> np.ndarray:
    return parameter.detach().cpu().numpy().astype(np.float64)
