"""The generalised SVM of the sets that each run selects."""

from attnsvm.experiments.paper.multi_token.svm import generalised


def svm(problems, trained, settings):
    return {penalty: generalised(problems, run["probabilities"]) for penalty, run in trained.items()}
