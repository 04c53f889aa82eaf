"""The certified solution of what each run selects; where runs select the same, solved once."""

import numpy as np

from attnsvm.analysis.selection import different_choices
from attnsvm.svm.instances import certified


def svm(problems, trained, settings):
    runs = trained["runs"]
    owner, tokens, place = different_choices(np.stack([run["selected"] for run in runs.values()]))
    return {"place": dict(zip(runs, place, strict=True)), "fro": certified(problems[owner], tokens, "fro")}
