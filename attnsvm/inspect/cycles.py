"""Inputs that contradict each other: the cheap refutation, tried before a solver.

In a first layer many queries are one and the same vector, and so are many tokens. If with one query token a wins
against b, in another input b against c, and c against a, the constraints add up to zero: that cycle is a Farkas
certificate.
"""

from hashlib import blake2b

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import breadth_first_order, connected_components


def equal(rows: np.ndarray) -> np.ndarray:
    """Numbers (N,) that are equal where rows (N, d) are equal; rows are compared by their checksums, not sorted."""
    known: dict[bytes, int] = {}
    every = (blake2b(row + 0.0).digest() for row in rows)  # −0.0 becomes 0.0, which has other bytes and is equal
    return np.array([known.setdefault(one, len(known)) for one in every], dtype=int)


def contradiction(query, winner, loser, tokens, queries) -> np.ndarray | None:
    """Multipliers (m,) of a cycle of constraints, or None where there is none.

    Args:
        query, winner, loser: (m,) their rows. tokens, queries: the numbers of all rows, see `equal`.
    """
    kinds = tokens.max() + 1  # a node is a query with a token: an edge leads from the winner to the loser
    size, above, below = len(query), *(queries[query] * kinds + tokens[rows] for rows in (winner, loser))
    nodes, ends = np.unique(np.concatenate([above, below]), return_inverse=True)
    start, end = ends[:size], ends[size:]
    graph = coo_array((np.ones(size), (start, end)), shape=(len(nodes), len(nodes))).tocsr()
    _, part = connected_components(graph, connection="strong")
    inside = np.flatnonzero(part[start] == part[end])  # each of these edges lies on a cycle; a loop is a cycle
    if len(inside) == 0:
        return None
    dual = np.zeros(size)
    dual[_cycle(graph, inside, start, end)] = 1.0
    return dual / dual.sum()


def _cycle(graph, edges, start, end) -> list[int]:
    """The first of these edges, and a shortest way back from its end to its start along others of them."""
    leads = {(start[k], end[k]): k for k in edges}
    first = edges[0]
    _, came = breadth_first_order(graph, end[first])
    way, node = [first], start[first]
    while node != end[first]:
        way.append(leads[came[node], node])
        node = came[node]
    return way
