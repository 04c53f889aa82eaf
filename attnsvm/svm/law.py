"""The problems of all layers of a stack, from what its rows go to: see `attnsvm.analysis.ends`."""

import numpy as np

from attnsvm.analysis.ends import Ends
from attnsvm.data.architecture import Stack
from attnsvm.svm.constraints import Constraints, separation, sequence
from attnsvm.svm.stacks import graded, layer_constraints, without_copies


def top_constraints(stack: Stack, tokens: np.ndarray, queries: np.ndarray, selected: np.ndarray) -> list[Constraints]:
    """The problems of the top, head by head, (S·H,).

    Args:
        tokens: (S, n, T, d), what the top sees; queries: (S, n, d), read for cross-attention only.
        selected: (S, H, n, R) int.
    """
    if stack.attention in ("sequence", "causal"):
        causal = stack.attention == "causal"
        return [sequence(X, one, causal) for X, heads in zip(tokens, selected, strict=True) for one in heads]
    first = tokens[:, :, 0] if stack.attention == "self" else queries
    triples = zip(tokens, first, selected, strict=True)
    return [separation(X, z, one[:, 0]) for X, z, heads in triples for one in heads]


def constraints_below(stack: Stack, ends: Ends, layer: int, bound: np.ndarray | None = None) -> list[Constraints]:
    """The problems of a layer below the top, head by head, (S·H,).

    Args:
        layer: its number, 1 at the bottom.
        bound: (S, n, T), the margins of its rows; None: 1 in rows that count, 0 in the others.
    """
    at = layer - 1
    bound = ends.counts[:, at].astype(float) if bound is None else bound
    return [
        without_copies(layer_constraints(ends.rows.tokens[s, at], one, bound[s], stack.causal, ends.level[s, at, h]))
        for s in range(len(bound))
        for h, one in enumerate(ends.chosen[s, at])
    ]


def layer_problems(stack: Stack, ends: Ends, queries: np.ndarray) -> dict[int, list[Constraints]]:
    """The problems of every layer by its number, head by head; copies are no boundary."""
    found = {layer: constraints_below(stack, ends, layer) for layer in range(1, stack.layers)}
    top = top_constraints(stack, ends.rows.tokens[:, -1], queries, ends.rows.top.argmax(-1))
    return found | {stack.layers: [without_copies(one) for one in top]}


def graded_bounds(ends: Ends, queries: np.ndarray, top: np.ndarray, length: np.ndarray, rate: np.ndarray) -> np.ndarray:
    """The margins of the bottom of two layers with one head that take steps of different lengths, (S, n, T).

    The cost of a row is the margin of its composed token above: by the solution of the top, at the length of W there.

    Args:
        queries: (S, n, d); top: (S, d, d), the solutions of the top.
        length: (S,) ‖W‖ of the top; rate: (S,) ρ of the bottom, its least margin in the rows that count.
    """
    logits = (ends.rows.tokens[:, 1] @ (queries @ top.swapaxes(1, 2))[..., None])[..., 0]
    above = logits.max(-1, keepdims=True) - logits
    cost = above * (length / np.linalg.norm(top, axis=(1, 2)))[:, None, None]
    return np.where(ends.counts[:, 0], 1.0, graded(cost, rate[:, None, None]))
