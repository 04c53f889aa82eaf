"""The max-margin solution of the tokens that each run selects, in the norm of its parametrisation."""

from attnsvm.analysis.selection import selected_tokens
from attnsvm.geometry import BIAS_NORM
from attnsvm.svm.instances import certified


def svm(problems, trained, settings):
    return {
        normalisation: {
            parametrisation: certified(problems, selected_tokens(run["probabilities"]), BIAS_NORM[parametrisation])
            for parametrisation, run in runs.items()
        }
        for normalisation, runs in trained.items()
    }
