"""The max-margin solution of the tokens that each run selects, with its certificate."""

from attnsvm.analysis.selection import selected_tokens
from attnsvm.svm.instances import certified


def svm(problems, trained, settings):
    return certified(problems, selected_tokens(trained["probabilities"]), "fro")
