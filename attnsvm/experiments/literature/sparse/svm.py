"""The solution of smallest norm for the tokens that each run ends on; where runs select the same, solved once."""

import numpy as np

from attnsvm.analysis.selection import different_choices, selected_tokens
from attnsvm.experiments.literature.sparse.layer import ATTENTIONS, RUNS
from attnsvm.svm.instances import certified


def svm(problems, trained, settings):
    ends = [selected_tokens(trained[run][name]["probabilities"]) for run in RUNS for name in ATTENTIONS]
    owner, tokens, place = different_choices(np.stack(ends))
    shaped = place.reshape(len(RUNS), len(ATTENTIONS), len(problems))
    return {"place": shaped, "selected": tokens, "solution": certified(problems[owner], tokens, "fro")}
