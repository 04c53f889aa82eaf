"""A layer of attention with a residual, looped: each loop is a step of descent on log Σ exp(−⟨κ, w⟩)."""

import numpy as np

from attnsvm.training.log import logarithmic_steps
from attnsvm.training.softmax import softmax


def descent(problems, settings, progress):
    depth, rates = settings["depth"], np.array(settings["rates"], dtype=float)
    depths = np.unique([*logarithmic_steps(depth, settings["points"])[1:], depth // 2])
    identity = np.broadcast_to(np.eye(problems.tokens.shape[-1]), (len(problems), *problems.tokens.shape[-1:] * 2))
    progress.expect(len(problems))
    w = [looped(problems.tokens[:, :, 0], -identity, rate * identity, depths) for rate in rates]
    progress(len(problems))
    return {"depths": depths, "rates": rates, "w": np.stack(w, 1)}


def looped(examples: np.ndarray, A: np.ndarray, V: np.ndarray, depths: np.ndarray) -> np.ndarray:
    """w (S, depths, d) from zero: the query w attends to examples κ (S, n, d) with logits κᵀAw, and adds Vᵀκ."""
    w, found, keys, values = np.zeros(examples[:, 0].shape), [], examples @ A, examples @ V
    for loop in range(1, depths[-1] + 1):
        p = softmax((keys @ w[..., None])[..., 0]).p
        w = w + (p[:, None] @ values)[:, 0]
        if loop in depths:
            found.append(w)
    return np.stack(found, 1)
