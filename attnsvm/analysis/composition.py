"""What the rows of a stack compose, and what they go to: probabilities in the limit, from two steps of training.

A row that counts saturates. Of the others a *mixture* shares its probability between tokens for ever; a *held* row
saturates slowly, its smaller probabilities fall as 1/‖W‖; the rest saturates as rows that count do. Two steps tell them
apart.
"""

from typing import NamedTuple

import numpy as np

from attnsvm.analysis.probabilities import log_softmax
from attnsvm.data.architecture import Stack

SHARED = 0.01  # a token whose probability in the limit is above this is shared by its row
FALL = -1.5  # log p against log ‖W‖: nearer to −1, that of a held row, than to any steeper power
COSTS = 2.0  # a gradient that is smaller than that of the top by ‖W‖ to this power, or by less, is not lost against it


class Rows(NamedTuple):
    """What a stack computes.

    Attributes:
        below: (S, L − 1, H, n, T, T), the logarithms of the softmax of each row of the layers below the top.
        top: (S, H, n, R, T), those of the top.
        tokens: (S, L, n, T, d), what each layer sees.
    """

    below: np.ndarray
    top: np.ndarray
    tokens: np.ndarray


def forward(
    stack: Stack, tokens: np.ndarray, queries: np.ndarray, W: np.ndarray, values: np.ndarray | None = None
) -> Rows:
    """The rows of S stacks with the weights W.

    Args:
        tokens: (S, n, T, d); queries: (S, n, d), read for cross-attention only.
        W: (S, L, H, d, d).
        values: (S, L, H, d, d); None: the identity.
    """
    T, seen, below = tokens.shape[2], [tokens], []
    inside, above = stack.masks(T)
    for layer in range(stack.layers - 1):
        X = seen[-1]
        below.append(_log_softmax(X, W[:, layer], X, inside))
        value = None if values is None else values[:, layer]
        seen.append(compose(X, np.exp(below[-1]), stack.residual, value))
    X = seen[-1]
    top_queries = queries[:, :, None] if stack.attention == "cross" else X[:, :, : stack.rows(T)]
    top = _log_softmax(X, W[:, -1], top_queries, above)
    S, n, _, _ = tokens.shape
    layers = np.stack(below, axis=1) if below else np.empty((S, 0, stack.heads, n, T, T))
    return Rows(layers, top, np.stack(seen, axis=1))


def compose(X: np.ndarray, p: np.ndarray, residual: bool, values: np.ndarray | None = None) -> np.ndarray:
    """What a layer makes of its tokens X (S, n, T, d) by the rows p (S, H, n, T, T) and values (S, H, d, d)."""
    mixed = p @ X[:, None]
    if values is not None:
        mixed = mixed @ values[:, :, None]
    return X * residual + mixed.sum(1)


def in_the_limit(
    stack: Stack, early: Rows, late: Rows, norms: tuple[np.ndarray, np.ndarray], values: np.ndarray | None = None
) -> Rows:
    """The rows as they become: mixtures stay, what falls as 1/‖W‖ is gone, and tokens are those that are then composed.

    Args:
        early, late: the rows at two steps; the top stays as in `late`.
        norms: ‖W‖ at these steps, (S,) each, the second the larger.
    """
    before, after = (norm.reshape(-1, 1, 1, 1, 1, 1) for norm in norms)
    reached = (after * np.exp(late.below) - before * np.exp(early.below)) / (after - before)
    kept = np.where(_winners(late.below) | (reached > SHARED), np.maximum(reached, SHARED), 0.0)
    return _composed(stack, kept / kept.sum(-1, keepdims=True), late, values)


def of_winners(stack: Stack, rows: Rows, values: np.ndarray | None = None) -> Rows:
    """The rows as if each had all its probability at its winner."""
    return _composed(stack, _winners(rows.below).astype(float), rows, values)


def _winners(logs: np.ndarray) -> np.ndarray:
    return np.arange(logs.shape[-1]) == logs.argmax(-1)[..., None]


def _composed(stack, below, rows, values) -> Rows:
    tokens = [rows.tokens[:, 0]]
    for layer in range(stack.layers - 1):
        value = None if values is None else values[:, layer]
        tokens.append(compose(tokens[-1], below[:, layer], stack.residual, value))
    with np.errstate(divide="ignore"):
        return Rows(np.log(below), rows.top, np.stack(tokens, axis=1))


def costs(stack: Stack, rows: Rows) -> np.ndarray:
    """By how much the gradient that reaches a row of a layer below the top is smaller, (S, L − 1, n, T), in logarithms.

    The least sum of −log p over the paths from the output: a row is reached as a value of a row above, for the cost of
    its probability there, and through a residual at no cost.
    """
    S, layers, _, n, T, _ = rows.below.shape
    found, above = np.empty((S, layers, n, T)), -rows.top.max((1, 3))
    for layer in range(layers - 1, -1, -1):
        found[:, layer] = above
        read = (above[..., None] - rows.below[:, layer].max(1)).min(2)
        above = np.minimum(read, above) if stack.residual else read
    return found


def level(early: Rows, late: Rows, norms: tuple[np.ndarray, np.ndarray], near: np.ndarray) -> np.ndarray:
    """The tokens whose logits a force keeps level with the winner's, in units of ‖W‖, (S, L − 1, H, n, T, T) bool.

    Their probabilities stay, or fall as 1/‖W‖ and no faster. A row that has not saturated because hardly any gradient
    reaches it is not held.

    Args:
        early, late: the rows at two steps.
        norms: ‖W‖ at these steps, (S,) each, the second the larger.
        near: (S, L − 1, n, T) bool, the rows that a gradient of the leading size reaches, as `reached`.
    """
    stride = np.log(norms[1] / norms[0]).reshape(-1, 1, 1, 1, 1, 1)
    with np.errstate(invalid="ignore"):  # a token that is shut out
        stays = late.below - early.below >= FALL * stride
    return stays & (late.below > -np.inf) & near[:, :, None, ..., None]


def reached(cost: np.ndarray, length: np.ndarray, least: np.ndarray) -> np.ndarray:
    """The rows that a gradient of the leading size reaches, (S, L − 1, n, T) bool.

    Args:
        cost: of the rows, as `costs`.
        length: (S,) ‖W‖.
        least: (S, L − 1) the least margin of the rows of the layer that count: the exponent of what the direction has.
    """
    return cost - least[..., None, None] <= COSTS * np.log(length)[:, None, None, None]


def _log_softmax(X: np.ndarray, W: np.ndarray, queries: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """(S, H, n, R, T) for tokens (S, n, T, d), W (S, H, d, d) and queries (S, n, R, d)."""
    logits = (queries[:, None] @ W[:, :, None].swapaxes(-1, -2)) @ X[:, None].swapaxes(-1, -2)
    return log_softmax(np.where(mask, logits, -np.inf))
