"""The max-margin solution of the optimal tokens, in the norm of each parametrisation."""

from attnsvm.analysis.selection import optimal_tokens
from attnsvm.geometry import BIAS_NORM
from attnsvm.svm.instances import certified


def svm(problems, trained, settings):
    optimal = optimal_tokens(problems.tokens, problems.head, problems.labels)
    return {parametrisation: certified(problems, optimal, BIAS_NORM[parametrisation]) for parametrisation in trained}
