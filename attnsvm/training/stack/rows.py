"""The rows of softmax that a layer of a stack has, and what they ask."""

from numba import njit

from attnsvm.batch.arithmetic import INNER


@njit(**INNER, inline="always")
def mask(model, layer):
    """The mask of a layer's rows; its length is their number per input."""
    return model.top if layer == model.factors.shape[0] - 1 else model.below


@njit(**INNER, inline="always")
def query(model, at, layer, i, q):
    """The query (d, LANES) of row q of input i."""
    if model.cross and layer == at.W.shape[0] - 1:
        return model.queries[i]
    return at.tokens[layer, i, q]
