"""The solutions in every norm of what each run selects; where runs select the same, solved once."""

from attnsvm.analysis.selection import selected_tokens
from attnsvm.svm.instances import certified_once

NORMS = ("linf", "fro", "spectral", "l1", "nuc")


def svm(problems, trained, settings):
    selected = {name: selected_tokens(run["probabilities"]) for name, run in trained.items()}
    return certified_once(problems, selected, NORMS)
