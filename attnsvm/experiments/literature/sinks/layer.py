"""The trigger task of arXiv:2603.11487, and one causal layer of softmax or ReLU attention on it.

Coordinates of a token: 0 marks the first one, 1 the trigger, the last one content; those between are uniform noise, of
the trigger, too, and zero for the first token.
"""

import numpy as np

FIRST, TRIGGER, CONTENT = 0, 1, -1
ATTENTIONS = ("softmax", "ReLU")
FIXED, SHUFFLED = VARIANTS = ("fixed", "shuffled")  # the first token: the same, or permuted in each sequence
PUBLISHED = "published"  # the first token is the same, the sequences are longer, and every batch is new


def sequences(stream, n: int, T: int, d: int, shuffled: bool = False, least: float = -1.0) -> np.ndarray:
    """n sequences (n, T, d); `shuffled`: the first token's one is at a random coordinate; `least`: of the noise."""
    x, rows = np.zeros((n, T, d)), np.arange(n)
    x[rows, 0, stream.integers(0, d, n) if shuffled else FIRST] = 1.0
    x[:, 1:, 2:-1] = stream.uniform(least, 1.0, (n, T - 1, d - 3))
    x[:, 1:, CONTENT] = 1.0
    trigger = stream.integers(2, T, n)
    x[rows, trigger, TRIGGER], x[rows, trigger, CONTENT] = 1.0, 0.0
    return x


def triggers(x: np.ndarray) -> np.ndarray:
    """Which rows (..., T) are those of a trigger."""
    found = x[..., TRIGGER] == 1.0
    found[..., 0] = False
    return found


def targets(x: np.ndarray) -> np.ndarray:
    """At a trigger the mean of all tokens up to it but the first, elsewhere zero."""
    count = np.maximum(np.arange(x.shape[-2]), 1)[:, None]
    mean = (x.cumsum(-2) - x[..., :1, :]) / count
    return np.where(triggers(x)[..., None], mean, 0.0)


def attend(x: np.ndarray, W: np.ndarray, attention: str) -> np.ndarray:
    """Weights (..., n, T, T) of row i on tokens t ≤ i from logits x_tᵀ W x_i; of ReLU divided by i."""
    T = x.shape[-2]
    logits = (x @ W.swapaxes(-1, -2)[..., None, :, :]) @ x.swapaxes(-1, -2)
    if attention == "ReLU":
        return np.maximum(np.tril(logits), 0.0) / np.maximum(np.arange(T), 1)[:, None]
    shares = np.exp(np.where(np.tri(T, dtype=bool), logits - logits.max(-1, keepdims=True), -np.inf))
    return shares / shares.sum(-1, keepdims=True)


def loss_and_gradients(x, y, W, V, attention):
    """The mean of ½‖Σ_t a_it V x_t − y_i‖² over all rows but the first, (S,), and its gradients in W and in V."""
    weights, values = attend(x, W, attention), x @ V.swapaxes(-1, -2)[..., None, :, :]
    missing, count = weights @ values - y, x.shape[-3] * (x.shape[-2] - 1)
    missing[..., 0, :] = 0.0
    loss = 0.5 * (missing**2).sum((-3, -2, -1)) / count
    back = missing @ values.swapaxes(-1, -2) / count
    if attention == "ReLU":
        slope = np.where(weights > 0.0, back, 0.0) / np.maximum(np.arange(x.shape[-2]), 1)[:, None]
    else:
        slope = weights * (back - (weights * back).sum(-1, keepdims=True))
    return loss, _outer(slope @ x, x), _outer(missing, weights @ x) / count


def _outer(a, b):
    """Σ over sequences and rows of a bᵀ, (S, d, d)."""
    flat = (*a.shape[:-3], -1, a.shape[-1])
    return a.reshape(flat).swapaxes(-1, -2) @ b.reshape(flat)
