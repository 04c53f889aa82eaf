"""The graphs of a next-token data set (Li et al., "Mechanics of next token prediction", arXiv:2403.08081).

Inputs that end with token k say which tokens win under the query k: their label wins against every other token of the
input. These are the edges of a directed graph on the vocabulary, one per k. Tokens that win against each other, by a
cycle, share a strongly connected component: no weights can let both win, so they end with finite logit differences.
"""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components


@dataclass(frozen=True)
class TokenGraphs:
    """The graphs of a data set over a vocabulary of K tokens, one for each token that an input ends with.

    Attributes:
        last: (G,) int, the last token of each graph, ascending.
        edge: (G, K, K) bool, [g, a, b]: a is the label of an input that ends with last_g and holds b ≠ a.
        component: (G, K) int, equal for the tokens of one strongly connected component of graph g.
    """

    last: np.ndarray
    edge: np.ndarray
    component: np.ndarray

    @property
    def together(self) -> np.ndarray:
        """(G, K, K) bool: two different tokens of one component."""
        same = self.component[:, :, None] == self.component[:, None, :]
        return same & ~np.eye(self.component.shape[1], dtype=bool)

    @property
    def cyclic(self) -> bool:
        """Whether some component holds more than one token."""
        return bool(self.together.any())


def token_graphs(
    inputs: np.ndarray, labels: np.ndarray, vocabulary: int, last: np.ndarray | None = None
) -> TokenGraphs:
    """The graphs of a data set.

    Args:
        inputs: (n, T) int, tokens of the vocabulary.
        labels: (n,) int, the next token, one of the tokens of its input.
        vocabulary: K, how many tokens there are.
        last: (n,) int, the last token of each input, its query; that of the last column if None.

    Raises:
        ValueError: a token is not in the vocabulary, or a label not in its input.
    """
    inputs, labels = np.asarray(inputs), np.asarray(labels)
    if inputs.ndim != 2:
        raise ValueError(f"inputs: expected an array of shape (n, T), got {inputs.shape}")
    ends = inputs[:, -1] if last is None else np.asarray(last)
    for name, tokens, shape in (
        ("inputs", inputs, inputs.shape),
        ("labels", labels, inputs.shape[:1]),
        ("last", ends, inputs.shape[:1]),
    ):
        if tokens.dtype.kind not in "iu" or tokens.shape != shape or ((tokens < 0) | (tokens >= vocabulary)).any():
            raise ValueError(f"{name}: expected token numbers from 0 to {vocabulary - 1} of shape {shape}")
    holds = (inputs == labels[:, None]).any(1)
    if not holds.all():
        raise ValueError(f"labels: expected a token of its input, got {labels[~holds][0]} for input {holds.argmin()}")
    last, graph = np.unique(ends, return_inverse=True)
    edge = np.zeros((len(last), vocabulary, vocabulary), dtype=bool)
    edge[graph[:, None], labels[:, None], inputs] = True
    edge &= ~np.eye(vocabulary, dtype=bool)
    component = [connected_components(csr_array(one), directed=True, connection="strong")[1] for one in edge]
    return TokenGraphs(last, edge, np.array(component, dtype=int).reshape(len(last), vocabulary))
