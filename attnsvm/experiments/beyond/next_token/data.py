"""Next-token data sets (Li et al., "Mechanics of next token prediction", arXiv:2403.08081), in coordinates that move.

Input i has the tokens x_it and the query z_i, its last token. It must predict one of its tokens: u_i is the softmax
weight of that token, wherever it stands. A gradient holds (x_it − x_il) z_iᵀ alone, x_il the token to predict: W is
followed by its coordinates along an orthonormal basis of their span, which begins with the equalities'.
"""

from dataclasses import dataclass

import numpy as np

from attnsvm.data.graphs import token_graphs

DEPENDENT = 1e-9  # relative size below which a direction follows from others


@dataclass(frozen=True)
class NextToken:
    """S data sets of n inputs of T tokens.

    Attributes:
        axes: (S, r, d, d), orthonormal, zero where a data set has fewer than r = n (T − 1): the span of all
            (x_it − x_il) z_iᵀ. The first ones span the equalities, (v_a − v_b) v_kᵀ for a, b of one component of k.
        equal: (S, r) float, one for the axes of the equalities and zero for the others.
        features: (S, n, T, r), the coordinates of (x_it − x_il) z_iᵀ.
        label: (S, n, T) bool, where the token to predict stands.
        inside: (S, n, T) bool, the tokens of the label's component, the label among them.
    """

    axes: np.ndarray
    equal: np.ndarray
    features: np.ndarray
    label: np.ndarray
    inside: np.ndarray

    @classmethod
    def of(cls, vocabulary: np.ndarray, inputs: np.ndarray, labels: np.ndarray, last: np.ndarray) -> "NextToken":
        """From the embeddings (S, K, d) of each data set's tokens, and token numbers (S, n, T), (S, n) and (S, n)."""
        (S, n, T), (K, d) = inputs.shape, vocabulary.shape[1:]
        r = n * (T - 1)
        inside, axes, equal = np.zeros(inputs.shape, dtype=bool), np.zeros((S, r, d * d)), np.zeros((S, r))
        places = np.arange(S)[:, None]
        tokens, queries = vocabulary[places[..., None], inputs], vocabulary[places, last]
        behind = tokens - vocabulary[places, labels][:, :, None]
        matrices = (behind[..., None] * queries[:, :, None, None]).reshape(S, n, T, d * d)
        for s in range(S):
            graphs = token_graphs(inputs[s], labels[s], K, last[s])
            own = graphs.component[np.searchsorted(graphs.last, last[s])]
            inside[s] = np.take_along_axis(own, inputs[s], 1) == np.take_along_axis(own, labels[s][:, None], 1)
            graph, a, b = np.nonzero(np.triu(graphs.together))
            left = vocabulary[s, a] - vocabulary[s, b]
            equalities = _span((left[:, :, None] * vocabulary[s, graphs.last[graph]][:, None, :]).reshape(-1, d * d))
            others = matrices[s][~inside[s]]
            others = _span(others - others @ equalities.T @ equalities)
            found = np.concatenate([equalities, others])
            axes[s, : len(found)], equal[s, : len(equalities)] = found, 1.0
        features = matrices @ axes.mT[:, None]
        # What follows from the equalities has no other coordinates, not even by rounding.
        features *= np.where(inside[..., None], equal[:, None, None], 1.0)
        return cls(axes.reshape(S, r, d, d), equal, features, inputs == labels[..., None], inside)

    @property
    def basis(self) -> np.ndarray:
        """The axes of the equalities (S, n, d, d), zero where a data set has fewer; there are n − 1 at most."""
        n = self.label.shape[1]
        return self.axes[:, :n] * self.equal[:, :n, None, None]

    def coordinates(self, W: np.ndarray) -> np.ndarray:
        """Those of W (S, d, d), as (S, r)."""
        S, r = self.equal.shape
        return (self.axes.reshape(S, r, -1) @ W.reshape(S, -1, 1))[..., 0]

    def matrices(self, theta: np.ndarray) -> np.ndarray:
        """The matrices (S, L, d, d) with the coordinates (S, L, r)."""
        S, L, r = theta.shape
        return (theta @ self.axes.reshape(S, r, -1)).reshape(S, L, *self.axes.shape[2:])


def _span(rows: np.ndarray) -> np.ndarray:
    """An orthonormal basis (rank, m) of the span of the rows (count, m)."""
    if not len(rows):
        return rows
    _, sizes, axes = np.linalg.svd(rows, full_matrices=False)
    return axes[: int((sizes > DEPENDENT * sizes[0]).sum())]
