"""The solutions in every norm for the tokens that each run ends on, with the least decay; the same are solved once."""

import numpy as np

from attnsvm.analysis.selection import different_choices
from attnsvm.experiments.decay.layer import selected
from attnsvm.experiments.decay.rules import NORMS
from attnsvm.svm.instances import certified


def svm(problems, trained, settings):
    ends = np.stack([selected(problems, run["weights"][:, -1]) for run in trained.values()])
    owner, tokens, place = different_choices(ends)
    return {
        "place": dict(zip(trained, place, strict=True)),
        "selected": tokens,
        "solutions": {norm: certified(problems[owner], tokens, norm) for norm in NORMS},
    }
