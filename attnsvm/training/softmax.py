"""The softmax of arrays, and its derivative that keeps every digit as one token takes all: for NumPy and PyTorch alike.

Everything is relative to the winning token. The probabilities of the others stand as logarithms, and the winner's
share of a derivative is minus the sum of theirs. So nothing is one minus a number close to one.
"""

import sys
from typing import Any, NamedTuple

import numpy as np

SHORT = 8  # NumPy adds up rows shorter than this one by one, and is slow in it: column by column the bits are the same


Array = Any  # NumPy's or torch's


class Softmax(NamedTuple):
    """A softmax over the last axis, of length T.

    Attributes:
        winner: (..., 1) int, the token of largest logit, the first of equals.
        behind: (..., T), the logits less the winner's.
        log: (..., T), the logarithms of the probabilities; −∞ for a token that is shut out.
        p: (..., T), the probabilities.
    """

    winner: Array
    behind: Array
    log: Array
    p: Array


def softmax(logits: Array) -> Softmax:
    """The softmax of logits (..., T); −∞ shuts a token out."""
    xp = _namespace(logits)
    winner = logits.argmax(-1)[..., None]
    behind = logits - at_winner(logits, winner)
    shares = xp.exp(behind)
    others = added(with_winner(shares, winner, 0.0))
    return Softmax(winner, behind, behind - xp.log1p(others), shares / (1.0 + others))


def relative(at: Softmax, slope: Array) -> Array:
    """c_t = slope_t − slope_winner, of derivatives (..., T) with respect to the probabilities."""
    return slope - at_winner(slope, at.winner)


def balanced(at: Softmax, coefficients: Array) -> Array:
    """Derivatives (..., T) with respect to the logits: those given, and for the winner minus the sum of the others."""
    others = with_winner(coefficients, at.winner, 0.0)
    return with_winner(others, at.winner, -added(others))


def derivative(at: Softmax, slope: Array) -> tuple[Array, Array]:
    """The derivative of Σ_t p_t slope_t with respect to the logits, as exp(log_factor)·direction: no underflow.

    Returns:
        direction (..., T), and log_factor (..., 1), the logarithm of the largest probability behind the winner's; at
        least −1e300, where no other token takes part and the direction is zero.
    """
    xp = _namespace(slope)
    c = relative(at, slope)
    others = with_winner(at.log, at.winner, -np.inf)
    log_factor = xp.amax(others, -1)[..., None].clip(-1e300)
    direction = xp.exp(others - log_factor) * (c - (at.p * c).sum(-1)[..., None])
    return balanced(at, direction), log_factor


def at_winner(array: Array, winner: Array) -> Array:
    """The winners' entries (..., 1) of an array (..., T)."""
    if _namespace(array) is np:
        return array.reshape(-1)[_places(array, winner)].reshape(winner.shape)
    return array.take_along_dim(winner, -1)


def with_winner(array: Array, winner: Array, value: Array) -> Array:
    """A copy of an array (..., T) with `value`, a number or (..., 1), in the winners' places."""
    if _namespace(array) is np:
        copy = array.copy(order="C")
        copy.reshape(-1)[_places(copy, winner)] = value.reshape(-1) if np.ndim(value) else value
        return copy
    if isinstance(value, float):  # made a tensor, it would travel to the device, and the program would wait for it
        return array.scatter(-1, winner, value)
    return array.scatter(-1, winner, value.expand(winner.shape))


def added(array: Array) -> Array:
    """The sums of the rows (..., T) of an array, (..., 1)."""
    if array.shape[-1] < SHORT and _namespace(array) is np:
        columns = np.ascontiguousarray(array.reshape(-1, array.shape[-1]).T)
        return columns.sum(0).reshape(*array.shape[:-1], 1)
    return array.sum(-1)[..., None]


def _places(array, winner):
    """Where the winners stand in the flat array; NumPy's take_along_axis takes longer to find out."""
    return np.arange(0, array.size, array.shape[-1]) + winner.reshape(-1)


def _namespace(array: Array) -> Any:
    return np if isinstance(array, np.ndarray) else sys.modules["torch"]
