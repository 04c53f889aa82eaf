"""The solution for the optimal tokens, and whether all other tokens are its support vectors."""

import numpy as np

from attnsvm.analysis.selection import by_token, margins, optimal_tokens, support
from attnsvm.svm.instances import certified


def svm(problems, trained, settings):
    optimal = optimal_tokens(problems.tokens, problems.head, problems.labels)
    answers = certified(problems, optimal, "fro")
    margin = margins(problems.tokens, problems.queries, answers["W"], optimal)
    T = margin.shape[2]
    tight = support(margin, by_token(answers["dual"], optimal, T), optimal)
    others = np.arange(T) != optimal[..., None]
    return answers | {"all_support": (tight == others).all((1, 2)) & (answers["status"] == "solved")}
