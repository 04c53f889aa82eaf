"""The solutions of both layers: of the layer below among positions, of the top without names of symbols."""

import numpy as np

from attnsvm.svm.constraints import Constraints, separation, sequence
from attnsvm.svm.instances import answers

KEPT = ("W",)  # of an answer, in addition to its proof


def svm(problems, trained, settings):
    starts, _, N, _ = problems.tokens.shape  # whose solutions are the same: counted for each, however they are cut
    return {"below": answers([below(N)] * starts), "top": answers([top(N)] * starts)}


def below(N: int) -> Constraints:
    """Each position selects the place before it."""
    return sequence(np.eye(N)[None], np.maximum(np.arange(N) - 1, 0)[None], causal=True)


def top(N: int) -> Constraints:
    """The answer's place wins where each row below attends to the place before.

    The solution over all inputs is the same for all names of symbols. Such a W adds to a logit: four multiples of
    whether two symbols are equal, the key's or the one it carries and the query's or the one it carries; and a number
    for the key's place. Each is divided by the norm of the W that adds one.
    """
    C, place, A = N - 1, np.arange(N), np.arange(N - 2)[:, None]
    symbol, carried = np.where(place == C, A, place), np.maximum(place - 1, 0)
    equal = [symbol == A, carried == A + 0 * place, symbol == C - 1, carried == C - 1 + 0 * A]
    positions = np.broadcast_to(np.eye(N) * np.sqrt((C + 2) / C), (N - 2, N, N))
    tokens = np.concatenate([np.stack(equal, -1) / np.sqrt(C - 1), positions], -1)
    return separation(tokens, np.broadcast_to(np.eye(N + 4)[0], (N - 2, N + 4)), A[:, 0] + 1)
