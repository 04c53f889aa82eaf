"""Operations between layers of attention: nonlinearities, normalisations, rotation by position."""

import numpy as np

from attnsvm.training.tape.node import Node, mapped
from attnsvm.training.tape.scaled import Scaled, by_rows, from_log, tidy


def relu(a: Node) -> Node:
    """max(a, 0), with slope 0 at 0."""
    return mapped(a, np.maximum(a.value, 0.0), (a.value > 0.0).astype(float))


def tanh(a: Node) -> Node:
    """The hyperbolic tangent."""
    twice = np.exp(-2.0 * np.abs(a.value))
    m, k = from_log(-2.0 * np.abs(a.value))
    return mapped(a, np.tanh(a.value), 4.0 * m / (1.0 + twice) ** 2, k)


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


def rotated(a: Node, positions: np.ndarray, base: float = 1e4) -> Node:
    """Rotary positions (arXiv 2104.09864): the entries f and f + d/2 of a (..., T, d) turned by the angle position·θ_f.

    Args:
        positions: (T,); θ_f = base^(−2f/d).

    Raises:
        ValueError: d is odd, or there is not one position for each row.
    """
    half, odd = divmod(a.shape[-1], 2)
    if odd:
        raise ValueError(f"a: expected an even number of entries to rotate in pairs, got {a.shape[-1]}")
    positions = np.asarray(positions, dtype=float)
    if positions.shape != a.shape[-2:-1]:
        raise ValueError(f"positions: expected {a.shape[-2:-1]}, one for each row, got {positions.shape}")
    angle = positions[:, None] * base ** (-np.arange(half) / half)
    cos, sin = np.cos(angle), np.sin(angle)

    def turned(x: np.ndarray, sign: float) -> np.ndarray:
        first, second = x[..., :half], x[..., half:]
        return np.concatenate([first * cos - sign * second * sin, sign * first * sin + second * cos], -1)

    def pull(g: Scaled) -> Scaled:
        g = by_rows(g)
        return Scaled(turned(g.m, -1.0), g.k)

    return Node(turned(a.value, 1.0), (a, pull))
