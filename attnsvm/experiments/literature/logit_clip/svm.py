"""The max-margin solutions of what each run selects at its last level, in its norm; the same solved once."""

from attnsvm.experiments.literature.decay.svm import selected
from attnsvm.svm.instances import certified_once


def svm(problems, trained, settings):
    found = {}
    for run, ends in trained["runs"].items():
        chosen = {kind: selected(problems, W[:, -1]) for kind, W in ends.items()}
        found[run] = certified_once(problems, chosen, ["linf" if run == "AdamW" else run])
    return found
