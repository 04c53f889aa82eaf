"""The attention of one layer of a model: the module whose input is captured, what a query sees, and its heads."""

import numpy as np

from attnsvm.inspect.families import ADDED, ROTARY, Family
from attnsvm.inspect.lifted import Head, Norm
from attnsvm.inspect.positions import distance
from attnsvm.inspect.positions.rotary import Rotary, frequencies, order

AGREES = 1e-5  # relative difference up to which logits are those of the model
SIZES = ("head_dim", "head_size", "key_value_proj_dim", "attention_head_size")  # names of the rows of a head
ANGLE = 2.0**-23  # what a position more adds: models keep the angle of a position in float32


class Attention:
    """Of a model whose positions are learned, or of none: one W for each head."""

    theory = "exact"
    logit = "x_tᵀ W z"

    def __init__(self, name: str, module, causal: bool):
        self.name, self.module, self.causal = name, module, causal
        self.heads = module.num_heads if causal else module.num_attention_heads
        self.projection = module.c_attn if causal else module.key

    def weights(self) -> list:
        """The W (D + 1, D + 1) of every head."""
        if self.causal:
            D = self.module.embed_dim
            weight = _rows(self.module.c_attn, transposed=True)
            query, key = weight[:D], weight[D : 2 * D]
        else:
            query, key = _rows(self.module.query), _rows(self.module.key)
        size = len(query) // self.heads
        parts = (slice(h * size, (h + 1) * size) for h in range(self.heads))
        return [key[part].T @ query[part] * self.module.scaling for part in parts]

    def logits(self, W, X: np.ndarray) -> np.ndarray:
        """(T, T) of all queries, one in each row, with all tokens of one text (T, D + 1)."""
        return X @ W.T @ X.T

    def tokens(self, X: np.ndarray, _: np.ndarray) -> np.ndarray:
        """What a query selects from, for tokens (T, D + 1) at distances (T,)."""
        return X

    def sees(self, T: int) -> np.ndarray:
        """(T, T) bool, which tokens a query sees."""
        return np.tri(T, dtype=bool) if self.causal else np.ones((T, T), dtype=bool)

    def tolerance(self, _: int) -> float:
        """The relative difference of logits that rounding in the model can cause, for a text of so many tokens."""
        return AGREES


class LiftedAttention(Attention):
    """Of a model with rotary positions: a `Head` for each head, with its window, its groups and its norms."""

    logit = "its lifted W"

    def __init__(self, name: str, module, number: int, model, family: Family):
        config = model.config
        self.name, self.module, self.family, self.causal = name, module, family, family.causal
        self.heads = config.num_attention_heads
        self.projection = getattr(module, family.projections[0])
        kinds = getattr(config, "layer_types", None)
        still = bool(family.still) and not getattr(module, family.still)
        self.theta, self.factor = (np.zeros(0), 1.0) if still else frequencies(model, kinds and kinds[number])
        self.window = getattr(module, "sliding_window", None if kinds else getattr(config, "sliding_window", None))
        self.cap = getattr(module, family.cap) if family.cap else None
        self.groups = getattr(config, "num_key_value_heads", None) or self.heads
        self.theory = "frozen norms" if family.norms else "selections" if self.cap else "exact"

    def weights(self) -> list:
        queries, keys = _split(self.module, self.family, self.heads, self.groups)
        size, turned = queries.shape[1], len(self.theta)
        rows = order(self.family.pairs, size, turned)
        scale = np.full(size, getattr(self.module, "scaling", size**-0.5))
        scale[: 2 * turned] *= self.factor**2
        norms = None
        if self.family.norms:
            # the factor of cosines cannot pass a norm as one of the rows would
            norms = tuple(_norm(getattr(self.module, name), size, rows) for name in self.family.norms)
            norms = (Norm(norms[0].gamma * scale, norms[0].epsilon), norms[1])
            scale = np.ones(size)
        way, share = Rotary(self.theta, 2 * turned < size), self.heads // self.groups
        return [Head(keys[h // share][rows], queries[h][rows] * scale[:, None], way, norms) for h in range(self.heads)]

    def logits(self, W, X: np.ndarray) -> np.ndarray:
        logits = W.pairs(X)
        return logits if self.cap is None else self.cap * np.tanh(logits / self.cap)

    def sees(self, T: int) -> np.ndarray:
        apart = np.arange(T)[:, None] - np.arange(T)
        near = np.abs(apart) < (self.window or T)
        return near & (apart >= 0) if self.causal else near

    def tolerance(self, T: int) -> float:
        return AGREES + ANGLE * T


class AddedAttention(Attention):
    """Of a model that adds a term of distance to its logits: one W for each head, for tokens with more columns."""

    def __init__(self, name: str, module, family: Family, heads: int, added):
        self.name, self.module, self.family, self.causal = name, module, family, family.causal
        self.heads, self.added = heads, added
        self.projection = getattr(module, family.projections[0])

    def weights(self) -> list:
        """The W (D + 1 + columns, D + 1) of every head."""
        queries, keys = _split(self.module, self.family, self.heads, self.heads)
        scale = getattr(self.module, "scaling", queries.shape[1] ** -0.5)
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


def attentions(model, kind: str, causal: bool) -> list[Attention]:
    """Those of every layer, in their order; none where the model does not look as its kind does."""
    family = ROTARY.get(kind) or ADDED.get(kind)
    if family is not None:
        wanted = family.projections
    else:
        wanted = ("c_attn", "scaling") if causal else ("query", "key", "scaling")
    found = [
        (name, module)
        for name, module in model.named_modules()
        if all(hasattr(module, part) for part in wanted) and "cross" not in name
    ]
    if kind == "albert":  # a few layers, each applied several times
        depth = model.config.num_hidden_layers
        found = [found[layer * len(found) // depth] for layer in range(depth)]
    if family is None:
        return [Attention(name, module, causal) for name, module in found]
    if kind in ADDED:
        added, heads = distance.of(model, kind), model.config.num_attention_heads
        return [AddedAttention(name, module, family, heads, added) for name, module in found]
    return [LiftedAttention(name, module, number, model, family) for number, (name, module) in enumerate(found)]


def _split(module, family: Family, heads: int, groups: int) -> tuple[np.ndarray, np.ndarray]:
    """The rows of queries (heads, r, D + 1) and of keys (groups, r, D + 1)."""
    rows = [_rows(getattr(module, name)) for name in family.projections]
    size = next((getattr(module, name) for name in SIZES if hasattr(module, name)), 0)
    match family.fused:
        case "blocks":
            query, key, _ = np.split(rows[0], [heads * size, (heads + groups) * size])
        case "heads":
            query, key, _ = np.split(rows[0].reshape(heads, 3 * size, -1), 3, axis=1)
        case _:
            query, key = rows
    return query.reshape(heads, size, -1), key.reshape(groups, size, -1)


def _rows(linear, transposed: bool = False) -> np.ndarray:
    """Weight and bias of a linear map as rows (out, in + 1)."""
    weight = _array(linear.weight).T if transposed else _array(linear.weight)
    return np.column_stack([weight, np.zeros(len(weight)) if linear.bias is None else _array(linear.bias)])


def _norm(module, size: int, rows: np.ndarray) -> Norm:
    """What a norm of root mean square does, from the module itself: some keep their gain less one."""
    import torch

    epsilon = float(getattr(module, "variance_epsilon", None) or module.eps)
    with torch.no_grad():
        ones = module(torch.ones(size, dtype=torch.float64)).double().numpy()
    return Norm(ones[rows] * np.sqrt(1 + epsilon), epsilon)


def _array(parameter) -> np.ndarray:
    return parameter.detach().numpy().astype(np.float64)
