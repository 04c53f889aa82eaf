"""Probabilities from logits, rounded as they come: for what is measured, and where one token does not take all.

`training.softmax` keeps every digit of what the largest probability leaves.
"""

import numpy as np


def softmax(logits: np.ndarray) -> np.ndarray:
    """Probabilities over the last axis; a logit of −∞ has none."""
    shares = np.exp(logits - logits.max(-1, keepdims=True))
    return shares / shares.sum(-1, keepdims=True)


def log_softmax(logits: np.ndarray) -> np.ndarray:
    """The logarithms of the probabilities over the last axis."""
    logits = logits - logits.max(-1, keepdims=True)
    return logits - np.log(np.exp(logits).sum(-1, keepdims=True))
