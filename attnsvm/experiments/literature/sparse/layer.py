"""One attention layer whose softmax is replaced by α-entmax, with its loss and its gradient in W.

α-entmax (arXiv:1905.05702) is [(α − 1)s − τ]₊^{1/(α − 1)}, with τ for which the sum is one: softmax in the limit α → 1,
sparsemax (arXiv:1602.02068) at α = 2. One token has everything as soon as it leads by 1/(α − 1) (arXiv:1805.09717).
"""

import numpy as np

from attnsvm.analysis.probabilities import softmax
from attnsvm.data.problems import Problems

ATTENTIONS = {"sparsemax": 2.0, "1.5-entmax": 1.5, "softmax": 1.0}  # the α of each
RUNS = ("plain", "decayed")
NEAR_KINK = (0.9, 1.1)  # times the decay up to which sparsemax stays at the solution


def entmax(logits: np.ndarray, alpha: float) -> np.ndarray:
    """Probabilities over the last axis, for α = 1, 1.5 or 2."""
    if alpha == 1.0:
        return softmax(logits)
    y = (alpha - 1.0) * (logits - logits.max(-1, keepdims=True))
    falling, k = -np.sort(-y, axis=-1), np.arange(1, y.shape[-1] + 1)
    mean = falling.cumsum(-1) / k
    if alpha == 2.0:
        levels = mean - 1.0 / k
    else:
        spread = (falling**2).cumsum(-1) / k - mean**2
        levels = mean - np.sqrt(np.maximum(1.0 / k - spread, 0.0))
    inside = (falling > levels).sum(-1, keepdims=True)
    above = np.maximum(y - np.take_along_axis(levels, inside - 1, -1), 0.0)
    return above if alpha == 2.0 else above**2


class Layer:
    """The layer on S instances (n inputs of T tokens), and the mean of log(1 + exp(−Y vᵀXᵀp))."""

    def __init__(self, problems: Problems, alpha: float):
        self.alpha = alpha
        self.tokens, self.queries = problems.tokens, problems.queries
        values = (problems.tokens @ problems.head[:, None, :, None])[..., 0]
        self.scores = problems.labels[..., None] * values

    def probabilities(self, W: np.ndarray) -> np.ndarray:
        """(S, n, T), for W (S, d, d)."""
        along = self.queries @ W.swapaxes(1, 2)
        return entmax((self.tokens @ along[..., None])[..., 0], self.alpha)

    def gradient(self, W: np.ndarray) -> np.ndarray:
        """∂L/∂W (S, d, d): exactly zero where α > 1 and each input has one token."""
        p = self.probabilities(W)
        output = (p * self.scores).sum(-1, keepdims=True)
        # ∂p_t/∂s_u = w_t (1[t = u] − w_u/Σw) with w = p^{2 − α} on the support.
        w = {1.0: p, 1.5: np.sqrt(p), 2.0: np.where(p > 0.0, 1.0, 0.0)}[self.alpha]
        mean = (w * self.scores).sum(-1, keepdims=True) / w.sum(-1, keepdims=True)
        slope = -1.0 / (1.0 + np.exp(output)) / p.shape[1]
        mixed = ((slope * w * (self.scores - mean))[:, :, None] @ self.tokens)[:, :, 0]
        return mixed.swapaxes(1, 2) @ self.queries
