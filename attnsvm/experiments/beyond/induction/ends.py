"""What the rows of both layers go to, and what the answer's margin gains by each token of each row below."""

from typing import NamedTuple

import numpy as np

from attnsvm.analysis.composition import SHARED
from attnsvm.analysis.probabilities import log_softmax
from attnsvm.analysis.stacked import norms
from attnsvm.experiments.beyond.induction.task import carried, first_place

FALLS = -1.0  # log p against log ‖W‖: nearer to 0, that of a mixture, than to −2, that of a token that has to go
NEEDED = 1e-6  # least gain, relative to the largest of an instance, that is not zero


class Rows(NamedTuple):
    """What two layers compute.

    Attributes:
        below: (S, n, T, T), the logarithms of the softmax of each row of the layer below; −∞ ahead of the row.
        composed: (S, n, T, d), what the top sees.
        top: (S, n, T), the logarithms of its softmax, for the query at the last position.
    """

    below: np.ndarray
    composed: np.ndarray
    top: np.ndarray


def rows_at(tokens: np.ndarray, W: np.ndarray) -> Rows:
    """What the rows of both layers choose, for tokens (S, n, T, d) and weights (S, 2, d, d)."""
    T = tokens.shape[2]
    logits = tokens @ W[:, :1].swapaxes(-1, -2) @ tokens.swapaxes(-1, -2)
    below = log_softmax(np.where(np.tri(T, dtype=bool), logits, -np.inf))
    composed = composed_by(tokens, np.exp(below))
    query = composed[:, :, -1:] @ W[:, 1:].swapaxes(-1, -2)
    return Rows(below, composed, log_softmax(query @ composed.swapaxes(-1, -2))[:, :, 0])


def composed_by(tokens: np.ndarray, p: np.ndarray) -> np.ndarray:
    """What rows p (S, n, T, T) of the layer below make of tokens (S, n, T, d)."""
    return tokens + p @ (tokens @ carried(tokens.shape[2]))


def half(run) -> np.ndarray:
    """For each instance the last logged step with at most half of the final norm, (S,) int; the first if none has."""
    length = norms(run["weights"])
    return np.maximum((length <= length[:, -1:] / 2).sum(1) - 1, 0)


def kept(tokens: np.ndarray, run) -> np.ndarray:
    """The tokens that rows below keep, (S, n, T, T) bool: they win, or share a row and do not fall as ‖W‖ grows."""
    place, length = half(run), norms(run["weights"])
    every = np.arange(len(place))
    late = rows_at(tokens, run["weights"][:, -1]).below
    early = rows_at(tokens, run["weights"][every, place]).below
    stride = np.log(length[:, -1] / length[every, place])[:, None, None, None]
    with np.errstate(invalid="ignore"):  # tokens ahead of the row
        stays = late - early >= FALLS * stride
    return (stays & (late > np.log(SHARED))) | (np.arange(late.shape[-1]) == late.argmax(-1)[..., None])


def in_the_limit(tokens: np.ndarray, run) -> np.ndarray:
    """The probabilities that the rows below go to, (S, n, T, T)."""
    p = np.where(kept(tokens, run), np.exp(rows_at(tokens, run["weights"][:, -1]).below), 0.0)
    return p / p.sum(-1, keepdims=True)


def answer_place(tokens: np.ndarray) -> np.ndarray:
    """Where the answer stands, (S, n) int."""
    return first_place(tokens) + 1


def gains(tokens: np.ndarray, composed: np.ndarray, W: np.ndarray, dual: np.ndarray) -> np.ndarray:
    """The derivative of Σ λ⟨y_α − y_j, W y_T⟩ with respect to the probability of each token of each row below.

    Args:
        tokens, composed: (S, n, T, d).
        W: (S, d, d) and dual: (S, n, T), λ at the tokens j and 0 at α: the top's solution.

    Returns:
        (S, n, T, T).
    """
    places = np.arange(tokens.shape[2]) == answer_place(tokens)[..., None]
    weight = np.where(places, dual.sum(-1, keepdims=True), -dual)
    along = weight[..., None] * (composed[:, :, -1:] @ W[:, None].swapaxes(-1, -2))
    along[:, :, -1] += (weight[..., None] * composed).sum(2) @ W
    return along @ (tokens @ carried(tokens.shape[2])).swapaxes(-1, -2)
