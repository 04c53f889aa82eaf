"""The max-margin solution of the tokens that each run selects, in the norm of its parametrisation."""

from attnsvm.selection import selected_tokens
from attnsvm.svm import certified

NORM = {"W": "fro", "KQ": "nuc"}  # the norm that belongs to a parametrisation


def svm(problems, trained, settings):
    return {
        normalisation: {
            parametrisation: certified(problems, selected_tokens(run["probabilities"]), NORM[parametrisation])
            for parametrisation, run in runs.items()
        }
        for normalisation, runs in trained.items()
    }
