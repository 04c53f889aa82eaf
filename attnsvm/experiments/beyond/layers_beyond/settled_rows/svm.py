"""The corrected problems of both layers at half of the steps and after the last, and margin 1 in all rows below."""

import numpy as np

from attnsvm.experiments.beyond.layers_beyond.kinds import seen, stack_of
from attnsvm.experiments.beyond.layers_beyond.settled_rows.ends import KINDS, PLACES, ends_at
from attnsvm.svm.instances import answers
from attnsvm.svm.law import constraints_below, layer_problems


def svm(problems, trained, settings):
    return {name: of_kind(seen(kind, problems), trained[name], kind) for name, kind in KINDS.items()}


def of_kind(problems, run, kind):
    stack, found = stack_of(kind), {}
    for place in PLACES:
        ends = ends_at(problems, run, kind, place)
        layers = layer_problems(stack, ends, problems.queries)
        found[str(run["steps"][place])] = {str(k): answers(c) for k, c in layers.items()}
    free = ends._replace(level=np.zeros_like(ends.level))
    everywhere = constraints_below(stack, free, 1, np.ones(ends.counts[:, 0].shape))
    return found | {"all": {"1": answers(everywhere)}}
