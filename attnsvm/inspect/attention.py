"""The attention of one layer of a model: the module whose input is captured, what a query sees, and its heads."""

import numpy as np

from attnsvm.inspect.families import Family
from attnsvm.inspect.lifted import Head, Norm
from attnsvm.inspect.parts import norm_of, rows_of, scale_of, split
from attnsvm.inspect.positions.rotary import Rotary, frequencies, order
from attnsvm.inspect.recent import Recent

AGREES = 1e-5  # relative difference up to which logits are those of the model
ANGLE = 2.0**-23  # what a position more adds: models keep the angle of a position in float32


class Attention:
    """The attention of a model with learned positions, or with none: one W for each head."""

    theory = "exact"
    logit = "x_tᵀ W z"

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
