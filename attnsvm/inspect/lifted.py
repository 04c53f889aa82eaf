"""A head whose logits depend on distance: linear in the lifted tokens, so a max-margin problem; its W is not formed."""

from dataclasses import dataclass, field, replace

import numpy as np

from attnsvm.inspect.layers import Inputs
from attnsvm.inspect.positions.disentangled import Disentangled
from attnsvm.inspect.positions.rotary import Rotary


@dataclass(frozen=True)
class Norm:
    """A norm of queries or keys: rows k become gamma · k / √(mean k² + epsilon).

    Attributes:
        gamma: (r,).
    """

    gamma: np.ndarray
    epsilon: float

    def size(self, rows: np.ndarray) -> np.ndarray:
        """(...,) what the rows (..., r) are divided by."""
        return np.sqrt((rows * rows).mean(-1) + self.epsilon)


@dataclass(frozen=True)
class Head:
    """The logit of token x̃ at distance δ from the query z̃ is that of `way`, for keys K x̃ and queries Q z̃.

    Attributes:
        key, query: (r, D), the scale of the logits in `query`; rows in the order of `way`.
        norms: of queries and keys, where there are some: frozen, the lifted tokens are divided by them.
    """

    key: np.ndarray
    query: np.ndarray
    way: Rotary | Disentangled
    norms: tuple[Norm, Norm] | None = None
    _known: list = field(init=False, repr=False, compare=False, default_factory=list)

    def logits(self, inputs: Inputs) -> np.ndarray:
        """(N,) of all tokens of the inputs, one input after another; kept for inputs that were asked for."""
        for one, logits in self._known:
            if one is inputs:
                return logits
        if inputs.cut is not None:
            whole, rows = inputs.cut
            return self.logits(whole)[rows]
        k, q = self._rows_of(inputs)
        found = self._of(k, q, inputs.distance, inputs.unturned_flat) * self._frozen(k, q)
        self._known.append((inputs, found))
        return found

    def pairs(self, X: np.ndarray, Z: np.ndarray, unturned: np.ndarray | None = None) -> np.ndarray:
        """(T, T) of all queries (T, D), one in each row, with all tokens (T, D) of one text; unturned: see `Inputs`."""
        k, q = X @ self.key.T, (Z @ self.query.T)[:, None]
        place = np.arange(float(len(X)))
        return self._of(k, q, place[:, None] - place, unturned) * self._frozen(k, q)

    def scales(self, inputs: Inputs) -> np.ndarray | None:
        """(N,) what the norms multiply the lifted tokens by; None without norms."""
        if self.norms is None:
            return None
        if inputs.cut is not None:
            whole, rows = inputs.cut
            return self.scales(whole)[rows]
        return self._frozen(*self._rows_of(inputs))

    def slope(self, inputs: Inputs) -> np.ndarray:
        """(N, D) the derivative of every logit by its token, norms being frozen."""
        k, q = self._rows_of(inputs)
        gains = (1.0, 1.0) if self.norms is None else (self.norms[0].gamma, self.norms[1].gamma)
        rows = self.way.slope(gains[0] * q, inputs.distance, inputs.unturned_flat) * gains[1]
        return (rows * np.reshape(self._frozen(k, q), (-1, 1))) @ self.key

    def reduced(self) -> np.ndarray:
        """A matrix with the singular values of the lifted W."""
        query, key = self._rows()
        return self.way.reduced(key, query)

    def size(self) -> float:
        """The Frobenius norm of the lifted W."""
        return float(np.linalg.norm(self.reduced()))

    def turned(self, rng: np.random.Generator) -> "Head":
        """The null model: K and Q after rotations of uniform direction, one for all frequencies."""
        return replace(self, key=_turned(self.key, rng), query=_turned(self.query, rng))

    def mismatched(self, other: "Head") -> "Head":
        """The null model with the keys of this head and the queries of another."""
        norms = self.norms and other.norms and (other.norms[0], self.norms[1])
        return replace(self, query=other.query, norms=norms)

    def _rows_of(self, inputs):
        return inputs.along(self.key), (inputs.queries @ self.query.T)[inputs.owner]

    def _rows(self):
        """Q and K with the gains of the norms."""
        if self.norms is None:
            return self.query, self.key
        return tuple(norm.gamma[:, None] * rows for norm, rows in zip(self.norms, (self.query, self.key), strict=True))

    def _of(self, k, q, distance, unturned):
        if self.norms is not None:
            q, k = self.norms[0].gamma * q, self.norms[1].gamma * k
        return self.way.logits(k, q, distance, unturned)

    def _frozen(self, k, q):
        return 1.0 if self.norms is None else 1 / (self.norms[0].size(q) * self.norms[1].size(k))


def _turned(rows: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """rows (r, D) times a rotation of uniform direction: only where it sends their span is drawn."""
    inside = np.linalg.qr(rows.T, mode="r")
    frame, triangle = np.linalg.qr(rng.normal(size=(rows.shape[1], len(inside))))
    return inside.T @ (frame * np.sign(np.diag(triangle))).T
