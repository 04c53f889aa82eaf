"""Two layers that copy what followed a symbol: their gradient by looking weights up, and its mean over symbols' names.

Tokens are one-hot in three blocks: the symbol, the place, and what the layer below carries. Input k of a batch repeats
its symbol k, counted without end: there is an input for each place of the first A.
"""

import numpy as np

from attnsvm.training.softmax import softmax


def drawn(generator: np.random.Generator, N: int, n: int) -> np.ndarray:
    """The symbols (n, N) of n random inputs."""
    order = generator.permuted(np.tile(np.arange(N - 1), (n, 1)), axis=1)
    return np.column_stack([order, order[np.arange(n), np.arange(n) % (N - 2)]])


def forces(W: np.ndarray, symbols: np.ndarray, given: bool = False) -> tuple[float, np.ndarray]:
    """The mean weight of the answers at the top, and minus the gradient of the mean cross-entropy, (2, d, d).

    Args:
        W: (2, d, d), the weights of both layers.
        symbols: (n, N) of the inputs.
        given: whether every row of the layer below attends to the place before it, whatever its weights.
    """
    (n, N), d, S, every = symbols.shape, W.shape[-1], np.eye(symbols.shape[1] - 1)[symbols], np.arange(len(symbols))
    answer = every % (N - 2) + 1
    C, place = N - 1, np.arange(N - 1, 2 * N - 1)
    rows = W[0].T[symbols] + W[0].T[C : C + N]
    logits = np.take_along_axis(rows, symbols[:, None], -1) + rows[..., C : C + N]
    P = softmax(np.where(np.tri(N, dtype=bool), logits, -np.inf)).p
    P = np.broadcast_to(np.eye(N)[np.maximum(np.arange(N) - 1, 0)], P.shape) if given else P

    def named(x):
        return (x[:, None] @ S)[:, 0]

    query = np.concatenate([S[:, -1], np.eye(N)[np.full(n, N - 1)], named(P[:, -1])], 1)
    keys = query @ W[1].T
    carried = np.take_along_axis(keys[:, C + N :], symbols, 1)
    p = softmax(np.take_along_axis(keys, symbols, 1) + keys[:, C : C + N] + (P @ carried[..., None])[..., 0]).p
    wrong = softmax(named(p)).p
    wrong[every, symbols[every, answer]] -= 1.0
    gain = -np.take_along_axis(wrong, symbols, 1)
    gain = p * (gain - (p * gain).sum(1, keepdims=True)) / n
    keys = np.concatenate([named(gain), gain, named((gain[:, None] @ P)[:, 0])], 1)
    below = gain[..., None] * carried[:, None]
    below[:, -1] += np.take_along_axis(keys @ W[1][:, C + N :], symbols, 1)
    below = P * (below - (P * below).sum(-1, keepdims=True))
    t, q = symbols[:, None], symbols[..., None]
    at = (d * t + q, d * t + place[:, None], d * place + q)
    first = np.sum([np.bincount(where.ravel(), below.ravel(), d * d) for where in at], axis=0).reshape(d, d)
    first[C : C + N, C : C + N] += below.sum(0).T
    return p[every, answer].mean(), np.stack([first, keys.T @ query])


def averaged(W: np.ndarray, N: int) -> np.ndarray:
    """The mean of W (..., d, d) over all names of the N − 1 symbols."""
    parts, out = np.split(np.arange(W.shape[-1]), [N - 1, 2 * N - 1]), np.empty_like(W)
    for i, j in np.ndindex(3, 3):
        block = W[..., parts[i][:, None], parts[j]]
        if i != 1 and j != 1:
            equal = np.trace(block, axis1=-2, axis2=-1)[..., None, None] / (N - 1)
            other = (block.sum((-2, -1), keepdims=True) - (N - 1) * equal) / ((N - 1) * (N - 2))
            block = other + (equal - other) * np.eye(N - 1)
        elif i != 1 or j != 1:
            block = block.mean(-1 if i == 1 else -2, keepdims=True)
        out[..., parts[i][:, None], parts[j]] = block
    return out
