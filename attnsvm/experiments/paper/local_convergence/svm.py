"""Both max-margin solutions of the tokens that each run selects."""

from attnsvm.analysis.selection import selected_tokens
from attnsvm.svm.instances import certified

NORMS = ("fro", "nuc")


def svm(problems, trained, settings):
    solved = {}
    for parametrisation, run in trained.items():
        selected = selected_tokens(run["probabilities"])
        solved[parametrisation] = {norm: certified(problems, selected, norm, settings["attention"]) for norm in NORMS}
    return solved
