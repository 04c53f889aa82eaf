"""What training a batch of stacks leaves behind."""

from dataclasses import dataclass

import numpy as np

from attnsvm.training.log import Runs


@dataclass(frozen=True)
class StackLog(Runs):
    """S runs of stacks with L layers of H heads, logged at K steps; R queries per input at the top.

    Attributes:
        steps: (K,) the logged steps; step k means: after k updates.
        weights: (S, K, L, H, d, d), W or K Qᵀ.
        head: (S, K, q), the parameters of the prediction head; (S, K, 0) where they are not trained.
        largest: (S, K, L), mean over all rows of a layer of the largest softmax probability.
        loss: (S, K).
        gradient_norm: (S, K), Frobenius norm of the gradient of all attention weights together.
        below: (S, L − 1, H, n, T, T), the softmax of the layers below the top at the last step; [..., q, t] is what
            position q takes from token t.
        top: (S, H, n, R, T), the softmax of the top layer at the last step.
        tokens: (S, L, n, T, d), what each layer sees at the last step: the data, then composed tokens.
        outputs: (S, n, R), f at the last step.
    """

    steps: np.ndarray
    weights: np.ndarray
    head: np.ndarray
    largest: np.ndarray
    loss: np.ndarray
    gradient_norm: np.ndarray
    below: np.ndarray
    top: np.ndarray
    tokens: np.ndarray
    outputs: np.ndarray
