"""The solutions in every norm for the tokens that each run ends on, with the least decay; the same are solved once."""

from attnsvm.experiments.literature.decay.layer import selected
from attnsvm.experiments.literature.decay.rules import NORMS
from attnsvm.svm.instances import certified_once


def svm(problems, trained, settings):
    ends = {name: selected(problems, run["weights"][:, -1]) for name, run in trained.items()}
    return certified_once(problems, ends, NORMS)
