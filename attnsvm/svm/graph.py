"""The Graph-SVM of a next-token data set (Li et al., "Mechanics of next token prediction", arXiv:2403.08081)."""

import numpy as np

from attnsvm.data.graphs import TokenGraphs
from attnsvm.svm.arguments import finite_array
from attnsvm.svm.constraints import Constraints, Factors, TokenConstraints


def graph_constraints(embeddings: np.ndarray, graphs: TokenGraphs, bound: float | np.ndarray = 1.0) -> Constraints:
    """(v_a − v_b)ᵀ W v_k = 0 inside a component of graph k, ≥ bound along every edge a → b that leaves one.

    Args:
        embeddings: (K, d), the tokens v.
        graphs: see `token_graphs`.
        bound: the margins, at least 0: a number, or (K, K, K) with the entry [k, a, b] for the edge a → b of graph k.

    The order along a path of several edges follows from the edges. `index` holds (k, a, b).

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
    margins = np.broadcast_to(bound, (vocabulary,) * 3)[query, winner, loser]
    return TokenConstraints(
        Factors(embeddings, embeddings, winner, loser, query),
        bound=np.where(equality, 0.0, margins),
        equality=equality,
        index=np.stack([query, winner, loser], axis=1),
    )
