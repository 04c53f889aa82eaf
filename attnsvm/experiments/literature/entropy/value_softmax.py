"""The value-softmax model L(V σ(a)) of arXiv:2603.06248: V (C, C) and a (C,) descend together.

With y = V σ and s β = −∂L/∂y for a fixed unit vector β, u = Vᵀβ and a obey u̇ = s σ, ȧ = s σ(u − σᵀu): the loss enters
by the factor s alone, which is a change of time.
"""

import numpy as np

from attnsvm.analysis.probabilities import softmax
from attnsvm.training.start import draw_initial, normal

GROWTH = 0.01  # of the steps along the margin: their length over one plus the time that has passed


def start(seeds: np.ndarray, C: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """V (S, C, C) and a (S, C), Gaussian, and the unit vectors β (S, C)."""
    drawn = draw_initial("value-softmax", seeds, normal((C + 2, C)))
    a, target = drawn[:, C], drawn[:, C + 1]
    return drawn[:, :C], a, target / np.linalg.norm(target, axis=-1, keepdims=True)


def square(V: np.ndarray, a: np.ndarray, target: np.ndarray, rate: float, steps: int) -> np.ndarray:
    """The logits (..., C) after plain steps on ½‖Vσ(a) − target‖²; V (..., C, C), target (..., C)."""
    for _ in range(steps):
        p = softmax(a)
        missing = target - (V @ p[..., None])[..., 0]
        slope = (missing[..., None, :] @ V)[..., 0, :]
        V = V + rate * missing[..., None] * p[..., None, :]
        a = a + rate * p * (slope - (p * slope).sum(-1, keepdims=True))
    return a


def logistic(u: np.ndarray, a: np.ndarray, rate: float, steps: int) -> np.ndarray:
    """The logits (S, C) after plain steps on log(1 + exp(−βᵀVσ(a))): V moves along β alone, so u = Vᵀβ suffices."""
    for _ in range(steps):
        p = softmax(a)
        margin = (u * p).sum(-1, keepdims=True)
        length = rate / (1.0 + np.exp(margin))
        u, a = u + length * p, a + length * p * (u - margin)
    return a


def along_the_margin(u: np.ndarray, a: np.ndarray, times: np.ndarray, trained: bool) -> np.ndarray:
    """The logits (S, K, C) at the times τ (K,) of the gradient flow of the margin uᵀσ(a), with u trained or not.

    It is that of every loss of the margin, in a time of its own: for the logistic loss τ grows like log t where u is
    trained, and like t where it is not.
    """
    now, found = 0.0, []
    for time in times:
        while now < time:
            length = min(GROWTH * (1.0 + now), time - now)
            p = softmax(a)
            a = a + length * p * (u - (u * p).sum(-1, keepdims=True))
            u = u + length * p if trained else u
            now = time if length == time - now else now + length
        found.append(a)
    return np.stack(found, 1)
