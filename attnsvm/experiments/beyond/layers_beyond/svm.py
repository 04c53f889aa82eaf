"""The SVMs of both layers of every kind: with a winner in every row, and corrected; and a control.

all   the layer below with margin 1 in all rows
"""

import numpy as np

from attnsvm.experiments.beyond.layers_beyond.ends import corrected, stated
from attnsvm.experiments.beyond.layers_beyond.kinds import KINDS, seen, stack_of
from attnsvm.svm.instances import answers
from attnsvm.svm.law import constraints_below, layer_problems


def svm(problems, trained, settings):
    solved = {}
    for name, run in trained.items():
        kind = KINDS[name]
        own, stack = seen(kind, problems), stack_of(kind)
        ends = {"stated": stated(own, run, kind), "corrected": corrected(own, run, kind)}
        found = solved[name] = {
            rule: {str(k): answers(c) for k, c in layer_problems(stack, end, problems.queries).items()}
            for rule, end in ends.items()
        }
        everywhere = constraints_below(stack, ends["stated"], 1, np.ones(ends["stated"].counts[:, 0].shape))
        found["all"] = {"1": answers(everywhere)}
    return solved
