"""The max-margin solution of the optimal tokens, of each parametrisation in its own norm."""

from attnsvm.selection import optimal_tokens
from attnsvm.svm import certified

NORM = {"W": "fro", "KQ": "nuc"}  # the norm that belongs to a parametrisation


def svm(problems, trained, settings):
    optimal = optimal_tokens(problems.tokens, problems.head, problems.labels)
    return {parametrisation: certified(problems, optimal, NORM[parametrisation]) for parametrisation in trained}
