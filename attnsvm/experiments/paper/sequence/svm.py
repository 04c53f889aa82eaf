"""The max-margin solution with the constraints of every position, in the norm of each run's parametrisation."""

from attnsvm.analysis.selection import selected_tokens
from attnsvm.geometry import BIAS_NORM
from attnsvm.svm.instances import certified


def svm(problems, trained, settings):
    return {
        attention: {
            parametrisation: certified(
                problems, selected_tokens(run["probabilities"]), BIAS_NORM[parametrisation], attention
            )
            for parametrisation, run in runs.items()
        }
        for attention, runs in trained.items()
    }
