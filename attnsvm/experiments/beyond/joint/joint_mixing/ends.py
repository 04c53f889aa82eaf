"""What inputs prefer, and by how much more than others v has separated them, from trained W and v."""

from typing import NamedTuple

import numpy as np

from attnsvm.analysis.probabilities import log_softmax

SHARED = 0.01  # a token of a probability above this takes part in its input's choice


class Choice(NamedTuple):
    """S instances at one step.

    Attributes:
        p: (S, n, T), the softmax.
        score: (S, n, T), κ Y⟨v, x⟩ with v of norm one and κ = ‖v‖/‖W‖.
        preferred: (S, n) int, of the tokens that take part that of the best score.
        lead: (S, n), its score less the least score of an input as it is, κN − κ min N.
    """

    p: np.ndarray
    score: np.ndarray
    preferred: np.ndarray
    lead: np.ndarray


def choice(problems, W: np.ndarray, v: np.ndarray) -> Choice:
    """Of weights W (S, d, d) and heads v (S, d)."""
    p = np.exp(log_softmax((problems.tokens @ (problems.queries @ W.swapaxes(1, 2))[..., None])[..., 0]))
    own = problems.labels[..., None] * (problems.tokens @ v[:, None, :, None])[..., 0]
    score = own / np.linalg.norm(W, axis=(1, 2))[:, None, None]
    preferred = np.where(p > SHARED, score, -np.inf).argmax(-1)
    least = (p * score).sum(-1).min(-1, keepdims=True)
    lead = np.take_along_axis(score, preferred[..., None], 2)[..., 0] - least
    return Choice(p, score, preferred, lead)
