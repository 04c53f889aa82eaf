"""The solutions of least nuclear norm for what each run selects, and of least ℓ1 norm of a diagonal W."""

import numpy as np

from attnsvm.analysis.selection import different_choices, selected_tokens
from attnsvm.experiments.literature.flow.diagonal import as_vector
from attnsvm.svm.instances import certified


def svm(problems, trained, settings):
    found = {}
    for name, norm, seen in (("runs", "nuc", problems), ("vectors", "l1", as_vector(problems))):
        ends = np.stack([selected_tokens(run["probabilities"]) for run in trained[name].values()])
        owner, tokens, place = different_choices(ends)
        found[name] = {"place": place, "selected": tokens, "solution": certified(seen[owner], tokens, norm)}
    return found
