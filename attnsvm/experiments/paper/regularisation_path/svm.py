"""The max-margin solutions for the optimal tokens, in the norm of every ball."""

from attnsvm.analysis.selection import optimal_tokens
from attnsvm.svm.instances import certified


def svm(problems, trained, settings):
    optimal = optimal_tokens(problems.tokens, problems.head, problems.labels)
    return {norm: certified(problems, optimal, norm) for norm in trained["balls"]}
