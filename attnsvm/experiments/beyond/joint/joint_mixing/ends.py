"""What inputs prefer, and by how much more than others v has separated them, from W and v at late steps of a run."""

from typing import NamedTuple

import numpy as np

from attnsvm.analysis.probabilities import log_softmax

SHARED = 0.01  # a token of a probability above this takes part in its input's choice


class Choice(NamedTuple):
    """S instances at the end of some steps.

    Attributes:
        p: (S, n, T), the softmax, mean over the late steps: steps of constant length shake what an input keeps.
        score: (S, n, T), κ Y⟨v, x⟩ with v of norm one and κ = ‖v‖/‖W‖, mean over them.
        preferred: (S, n) int, of the tokens that take part that of the best score.
        lead: (S, n), its score less the least score of an input as it is, κN − κ min N.
    """

    p: np.ndarray
    score: np.ndarray
    preferred: np.ndarray
    lead: np.ndarray


def choice(problems, W: np.ndarray, v: np.ndarray) -> Choice:
    """Of weights W (S, K, d, d) and heads v (S, K, d) at K steps."""
    X, z = problems.tokens[:, None], problems.queries[:, None]
    p = np.exp(log_softmax((X @ (z @ W.swapaxes(2, 3))[..., None])[..., 0])).mean(1)
    own = problems.labels[:, None, :, None] * (X @ v[:, :, None, :, None])[..., 0]
    score = (own / np.linalg.norm(W, axis=(2, 3))[..., None, None]).mean(1)
    preferred = np.where(p > SHARED, score, -np.inf).argmax(-1)
    least = (p * score).sum(-1).min(-1, keepdims=True)
    lead = np.take_along_axis(score, preferred[..., None], 2)[..., 0] - least
    return Choice(p, score, preferred, lead)
