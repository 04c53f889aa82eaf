"""The attention layer, with W and the head v trained together on the square loss."""

import numpy as np

from attnsvm.analysis.probabilities import softmax


def fit(problems, v: np.ndarray, size: float, rate: float, steps: int) -> np.ndarray:
    """The probabilities (S, n, T) after plain steps on ½ Σ (vᵀXᵀp − size·Y)², from W = 0 and v (S, d)."""
    tokens, queries = problems.tokens, problems.queries
    wanted = size * problems.labels[..., None]
    W = np.zeros((*v.shape, v.shape[-1]))
    for _ in range(steps):
        p = attention(tokens, queries, W)
        values = (tokens @ v[:, None, :, None])[..., 0]
        output = (p * values).sum(-1, keepdims=True)
        to_head, to_logits = (wanted - output) * p, (wanted - output) * p * (values - output)
        v = v + rate * (to_head[:, :, None] @ tokens)[:, :, 0].sum(1)
        W = W + rate * (to_logits[:, :, None] @ tokens)[:, :, 0].swapaxes(1, 2) @ queries
    return attention(tokens, queries, W)


def attention(tokens: np.ndarray, queries: np.ndarray, W: np.ndarray) -> np.ndarray:
    """p = softmax(X W z), (S, n, T)."""
    return softmax((tokens @ (queries @ W.swapaxes(1, 2))[..., None])[..., 0])
