"""Certified solutions for the tokens that a softmax selects, and for the predictions of models without a softmax."""

import numpy as np

from attnsvm.experiments.summaries.attention_variants.merged import shortened
from attnsvm.experiments.summaries.attention_variants.predictions import LINEAR, MIXER, features, token_weights
from attnsvm.svm.constraints import Constraints
from attnsvm.svm.instances import answers, certified


def svm(problems, trained, settings):
    tokens = {
        name: certified(shortened(problems, name), run["selected"], "fro") for name, run in trained["runs"].items()
    }
    largest = token_weights(problems, LINEAR, trained["linear"][LINEAR][:, -1:])[:, 0].argmax(2)
    tokens[LINEAR] = certified(problems, largest, "fro")
    found = {name: predictions(*features(problems, name), problems.labels) for name in (LINEAR, MIXER)}
    return {"tokens": tokens, "predictions": found}


def predictions(left, right, labels) -> dict:
    """min ‖w‖ with Y_i leftᵢᵀ w rightᵢ ≥ 1 for every input: the margins of predictions, not of tokens."""
    n = left.shape[1]
    same = np.ones(n), np.zeros(n, dtype=bool), np.stack([np.arange(n), np.zeros(n, int), np.zeros(n, int)], 1)
    batch = [Constraints(a * y[:, None], b, *same) for a, b, y in zip(left, right, labels, strict=True)]
    return answers(batch, "fro")
