"""The max-margin solutions in every norm of what each run selects; where runs select the same, solved once."""

import numpy as np

from attnsvm.analysis.selection import different_choices, selected_tokens
from attnsvm.svm.instances import certified


def svm(problems, trained, settings):
    owner, tokens, place = different_choices(np.stack([selected_tokens(x["probabilities"]) for x in trained.values()]))
    return {
        "place": {rule: place[r] for r, rule in enumerate(trained)},
        "selected": tokens,
        "solutions": {norm: certified(problems[owner], tokens, norm) for norm in trained},
    }
