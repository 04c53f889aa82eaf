"""The solutions of least nuclear and of least Frobenius norm of what each run selects."""

from attnsvm.analysis.selection import selected_tokens
from attnsvm.svm.instances import certified

NORMS = ("nuc", "fro")


def svm(problems, trained, settings):
    selected = selected_tokens(trained["probabilities"])
    return {norm: certified(problems, selected, norm) for norm in NORMS}
