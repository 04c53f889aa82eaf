"""The Frobenius and the max-norm solution of what each run selects; where runs select the same, solved once."""

import numpy as np

from attnsvm.analysis.selection import different_choices
from attnsvm.experiments.decay.svm import selected
from attnsvm.svm.instances import certified

NORMS = ("fro", "linf")


def svm(problems, trained, settings):
    ends = np.stack([selected(problems, run["weights"][:, -1]) for run in trained.values()])
    owner, tokens, place = different_choices(ends)
    return {
        "place": dict(zip(trained, place, strict=True)),
        "selected": tokens,
        "solutions": {norm: certified(problems[owner], tokens, norm) for norm in NORMS},
    }
