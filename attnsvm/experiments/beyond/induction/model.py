"""The two layers on the tape: the first writes into the third block of tokens, the second reads symbols."""

import numpy as np

from attnsvm.experiments.beyond.induction.task import carried, first_place, read, symbols_of
from attnsvm.training.tape.attention import scores, softmax
from attnsvm.training.tape.losses import cross_entropy
from attnsvm.training.tape.node import Node


def model(T: int, rate: float):
    """The loss on the tape, from W1 and W2 (d, d); rate·W1 stands in the layer below."""

    def loss(weights: dict[str, Node], given: dict[str, Node]) -> Node:
        X = given["tokens"]
        Y = X + softmax(scores(X, weights["W1"] * rate, X), mask=np.tri(T)) @ given["carried"]
        seen = softmax(scores(Y, weights["W2"], Y[:, -1:])) @ X
        return cross_entropy(given["answers"], seen @ read(T))

    return loss


def given(tokens: np.ndarray, permuted: np.ndarray | None = None) -> dict[str, np.ndarray]:
    """What is not trained, for tokens (S, n, T, d): by name, `permuted` (S, n) the places of answers that are false."""
    T, symbols = tokens.shape[2], symbols_of(tokens)
    places = first_place(tokens) + 1 if permuted is None else permuted
    answers = np.take_along_axis(symbols, places[..., None], -1)
    return {"tokens": tokens, "carried": tokens @ carried(T), "answers": answers.astype(float)}
