"""The solutions of least nuclear and of least spectral norm of what each run selects; equal selections solved once."""

from attnsvm.analysis.selection import selected_tokens
from attnsvm.svm.instances import certified_once

NORMS = ("nuc", "spectral")


def svm(problems, trained, settings):
    selected = {name: selected_tokens(run["probabilities"]) for name, run in trained.items()}
    return certified_once(problems, selected, NORMS)
