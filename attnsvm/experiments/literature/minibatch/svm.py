"""The Frobenius and the max-norm solution of what each run selects; where runs select the same, solved once."""

from attnsvm.experiments.literature.decay.svm import selected
from attnsvm.svm.instances import certified_once

NORMS = ("fro", "linf")


def svm(problems, trained, settings):
    ends = {name: selected(problems, run["weights"][:, -1]) for name, run in trained.items()}
    return certified_once(problems, ends, NORMS)
