"""Operations between layers of attention: nonlinearities, normalisations."""

import numpy as np
from scipy.special import erfcx, ndtr

from attnsvm.training.tape.node import Node, mapped
from attnsvm.training.tape.scaled import Scaled, by_rows, from_log, tidy

SQRT_2, SQRT_HALF_PI, SQRT_2PI = np.sqrt(2.0), np.sqrt(0.5 * np.pi), np.sqrt(2.0 * np.pi)


def relu(a: Node) -> Node:
    """max(a, 0), with slope 0 at 0."""
    return mapped(a, np.maximum(a.value, 0.0), (a.value > 0.0).astype(float))


def tanh(a: Node) -> Node:
    """The hyperbolic tangent."""
    twice = np.exp(-2.0 * np.abs(a.value))
    m, k = from_log(-2.0 * np.abs(a.value))
    return mapped(a, np.tanh(a.value), 4.0 * m / (1.0 + twice) ** 2, k)


def gelu(a: Node) -> Node:
    """a·Φ(a), Φ the distribution function of the standard normal (arXiv 1606.08415)."""
    share, density = ndtr(a.value), np.exp(-0.5 * a.value**2) / SQRT_2PI
    # The slope is Φ + a·density; on the left the density is taken out of both, and keeps its power.
    m, k = from_log(-0.5 * a.value**2)
    left = a.value < -1.0
    tail = (a.value + SQRT_HALF_PI * erfcx(-np.minimum(a.value, 0.0) / SQRT_2)) * m / SQRT_2PI
    return mapped(a, a.value * share, np.where(left, tail, share + a.value * density), np.where(left, k, 0))


def layer_norm(a: Node, eps: float = 1e-5) -> Node:
    """(a − mean)/√(variance + eps) over the last axis (arXiv 1607.06450), without gain and bias."""
    return _normalised(a, a.value - a.value.mean(-1, keepdims=True), eps, centred=True)


def rms_norm(a: Node, eps: float = 1e-5) -> Node:
    """a/√(mean of a² + eps) over the last axis (arXiv 1910.07467), without gain."""
    return _normalised(a, a.value, eps, centred=False)


def _normalised(a: Node, x: np.ndarray, eps: float, centred: bool) -> Node:
    size = np.sqrt((x * x).mean(-1, keepdims=True) + eps)
    unit = x / size

    def pull(g: Scaled) -> Scaled:
        g = by_rows(g)
        m = g.m - unit * (g.m * unit).mean(-1, keepdims=True)
        m = m - g.m.mean(-1, keepdims=True) if centred else m
        return tidy(Scaled(m / size, g.k))

    return Node(unit, (a, pull))
