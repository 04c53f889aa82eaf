"""The solutions of least nuclear norm, with their ranks, of what each run selects in the end; the same solved once."""

import numpy as np

from attnsvm.analysis.selection import different_choices
from attnsvm.experiments.literature.decay.svm import selected
from attnsvm.svm.instances import certified

KEPT = ("W", "rank")  # of an answer, in addition to its proof


def svm(problems, trained, settings):
    owner, tokens, place = different_choices(np.stack([selected(problems, W[:, -1]) for W in trained["ends"].values()]))
    solution = certified(problems[owner], tokens, "nuc", ranks=True)
    return {"place": dict(zip(trained["ends"], place, strict=True)), "solution": solution}
