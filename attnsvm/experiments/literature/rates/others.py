"""How much the softmax leaves to the tokens that do not win."""

import numpy as np

from attnsvm.training.softmax import softmax, with_winner


def logarithm_of_others(problems, W: np.ndarray) -> np.ndarray:
    """log(1 − p) of the winning token of the input that lags most, (S, K), for weights (S, K, d, d)."""
    logits = (problems.tokens[:, None] @ (problems.queries[:, None] @ W.swapaxes(2, 3))[..., None])[..., 0]
    at = softmax(logits)
    return np.logaddexp.reduce(with_winner(at.log, at.winner, -np.inf), axis=-1).max(-1)
