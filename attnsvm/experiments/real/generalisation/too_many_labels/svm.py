"""The Frobenius solution that selects every training token as its label asks, or a proof that there is none."""

from attnsvm.experiments.real.generalisation.too_many_labels.problems import wanted
from attnsvm.svm.instances import certified


def svm(problems, trained, settings):
    return certified(problems, wanted(problems), "fro")
