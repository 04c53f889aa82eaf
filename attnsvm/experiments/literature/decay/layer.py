"""The gradient of one layer in W, and what W selects: for a batch of matrices at once."""

import numpy as np

from attnsvm.training.softmax import derivative, softmax


def gradient(problems, W: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """∂L/∂W as exp(log_factor)·G, G (S, d, d) and log_factor (S, 1, 1): free of underflow."""
    scores = problems.labels[..., None] * (problems.tokens @ problems.head[:, None, :, None])[..., 0]
    at = softmax((problems.tokens @ (problems.queries @ W.swapaxes(1, 2))[..., None])[..., 0])
    direction, logs = derivative(at, scores)
    common = logs.max(1, keepdims=True)
    output = (at.p * scores).sum(-1, keepdims=True)
    slope = -np.exp(logs - common) / (1.0 + np.exp(output)) / scores.shape[1]
    mixed = ((slope * direction)[:, :, None] @ problems.tokens)[:, :, 0]
    return mixed.swapaxes(1, 2) @ problems.queries, common


def selected(problems, W):
    """The tokens (S, ..., n) of largest logit, for weights W (S, ..., d, d)."""
    flat = W.reshape(len(W), -1, *W.shape[-2:])
    along = problems.queries[:, None] @ flat.swapaxes(2, 3)
    logits = (problems.tokens[:, None] @ along[..., None])[..., 0]
    return logits.argmax(-1).reshape(*W.shape[:-2], -1)
