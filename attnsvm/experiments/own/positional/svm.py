"""The solutions of the tokens selected, and of the same tokens for every variant: the first of each input."""

import numpy as np

from attnsvm.analysis.selection import selected_tokens
from attnsvm.svm.instances import certified


def svm(problems, trained, settings):
    selected = selected_tokens(trained["probabilities"])
    return {
        "selected": certified(problems, selected, "fro"),
        "first": certified(problems, np.zeros_like(selected), "fro"),
    }
