"""The solution for the optimal tokens, and whether all other tokens are its support vectors."""

import numpy as np

from attnsvm.analysis.selection import optimal_tokens, support_of
from attnsvm.svm.instances import certified


def svm(problems, trained, settings):
    optimal = optimal_tokens(problems.tokens, problems.head, problems.labels)
    answers = certified(problems, optimal, "fro")
    tight = support_of(problems.tokens, problems.queries, answers, optimal)
    others = np.arange(tight.shape[2]) != optimal[..., None]
    return answers | {"all_support": (tight == others).all((1, 2)) & (answers["status"] == "solved")}
