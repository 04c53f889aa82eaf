"""The Graph-SVM of a next-token data set (Li et al., "Mechanics of next token prediction", arXiv:2403.08081).

Inputs that end with token k say which tokens win under the query k: their label wins against every other token of the
input. These are the edges of a directed graph on the vocabulary, one per k. Tokens that win against each other, by a
cycle, share a strongly connected component: they get equal logits. An edge that leaves its component asks for a margin.
"""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from attnsvm.svm.arguments import finite_array, token_indices
from attnsvm.svm.constraints import Constraints, Factors, TokenConstraints


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


def token_graphs(inputs: np.ndarray, labels: np.ndarray, vocabulary: int) -> TokenGraphs:
    """The graphs of a data set.

    Args:
        inputs: (n, T) int, tokens of the vocabulary; the last one is the query.
        labels: (n,) int, the next token, one of the tokens of its input.
        vocabulary: K, how many tokens there are.

    Raises:
        ValueError: a token is not in the vocabulary, or a label not in its input.
    """
    inputs = np.asarray(inputs)
    if inputs.ndim != 2:
        raise ValueError(f"inputs: expected an array of shape (n, T), got {inputs.shape}")
    inputs = token_indices("inputs", inputs, inputs.shape, vocabulary)
    labels = token_indices("labels", labels, inputs.shape[:1], vocabulary)
    holds = (inputs == labels[:, None]).any(1)
    if not holds.all():
        raise ValueError(f"labels: expected a token of its input, got {labels[~holds][0]} for input {holds.argmin()}")
    last, graph = np.unique(inputs[:, -1], return_inverse=True)
    edge = np.zeros((len(last), vocabulary, vocabulary), dtype=bool)
    edge[graph[:, None], labels[:, None], inputs] = True
    edge &= ~np.eye(vocabulary, dtype=bool)
    component = [connected_components(csr_array(one), directed=True, connection="strong")[1] for one in edge]
    return TokenGraphs(last, edge, np.array(component, dtype=int).reshape(len(last), vocabulary))


def graph_constraints(embeddings: np.ndarray, graphs: TokenGraphs) -> Constraints:
    """(v_a − v_b)ᵀ W v_k = 0 inside a component of graph k, ≥ 1 along every edge a → b from one to another.

    Args:
        embeddings: (K, d), the tokens v.
        graphs: see `token_graphs`.

    An order over more than one edge follows from its edges. `index` holds (k, a, b).

    Raises:
        ValueError: the embeddings are not finite, or not (K, d).
    """
    vocabulary = graphs.edge.shape[1]
    embeddings = finite_array("embeddings", embeddings, (vocabulary, None), f"({vocabulary}, d)")
    # Equality of a component: its first token against each of the others.
    first = np.argmax(graphs.component[:, :, None] == graphs.component[:, None, :], axis=2)
    graph, loser = np.nonzero(first != np.arange(vocabulary))
    equal = np.stack([graph, first[graph, loser], loser], axis=1)
    ordered = np.argwhere(graphs.edge & ~graphs.together)
    rows = np.concatenate([equal, ordered])
    equality = np.arange(len(rows)) < len(equal)
    order = np.argsort(rows[:, 0], kind="stable")
    (graph, winner, loser), equality = rows[order].T, equality[order]
    query = graphs.last[graph]
    return TokenConstraints(
        Factors(embeddings, embeddings, winner, loser, query),
        bound=np.where(equality, 0.0, 1.0),
        equality=equality,
        index=np.stack([query, winner, loser], axis=1),
    )
