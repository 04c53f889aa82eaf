"""The softmax of arrays, and its derivative that keeps every digit as one token takes all: for NumPy and PyTorch alike.

Everything is relative to the winning token. The probabilities of the others stand as logarithms, and the winner's own
share of a derivative is minus the sum of theirs: nothing is one less its complement.
"""

import sys
from typing import NamedTuple

import numpy as np


class Softmax(NamedTuple):
    """A softmax over the last axis, of length T.

    Attributes:
        winner: (..., 1) int, the token of largest logit, the first of equals.
        behind: (..., T), the logits less the winner's.
        log: (..., T), the logarithms of the probabilities; −∞ for a token that is shut out.
        p: (..., T), the probabilities.
    """

    winner: np.ndarray
    behind: np.ndarray
    log: np.ndarray
    p: np.ndarray


def softmax(logits) -> Softmax:
    """The softmax of logits (..., T); −∞ shuts a token out."""
    xp = _namespace(logits)
    winner = logits.argmax(-1)[..., None]
    behind = logits - _at(xp, logits, winner)
    shares = xp.exp(behind)
    others = _with_winner(xp, shares, winner, 0.0).sum(-1)[..., None]
    return Softmax(winner, behind, behind - xp.log1p(others), shares / (1.0 + others))


def relative(at: Softmax, slope):
    """c_t = slope_t − slope_winner, of derivatives (..., T) with respect to the probabilities."""
    return slope - _at(_namespace(slope), slope, at.winner)


def balanced(at: Softmax, coefficients):
    """Derivatives (..., T) with respect to the logits: those given, and for the winner minus the sum of the others."""
    xp = _namespace(coefficients)
    others = _with_winner(xp, coefficients, at.winner, 0.0)
    return _with_winner(xp, others, at.winner, -others.sum(-1)[..., None])


def _namespace(array):
    return np if isinstance(array, np.ndarray) else sys.modules["torch"]


def _at(xp, array, winner):
    if xp is np:
        return array.reshape(-1)[_places(winner, array)].reshape(winner.shape)
    return xp.take_along_dim(array, winner, -1)


def _with_winner(xp, array, winner, value):
    """A copy with `value`, a number or (..., 1), in the winner's place."""
    if xp is np:
        copy = array.copy(order="C")
        copy.reshape(-1)[_places(winner, array)] = np.ravel(value)
        return copy
    value = xp.as_tensor(value, dtype=array.dtype, device=array.device)
    return array.scatter(-1, winner, value.expand(winner.shape))


def _places(winner, array):
    """Of the winners in the flat array: in a third of the time that NumPy's functions along an axis take."""
    T = array.shape[-1]
    return winner.reshape(-1) + np.arange(0, array.size, T)
