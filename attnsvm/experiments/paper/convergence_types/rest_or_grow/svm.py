"""The solutions for what a run selects after either number of steps, and for the optimal tokens."""

import numpy as np

from attnsvm.analysis.selection import locally_optimal, optimal_tokens, scores
from attnsvm.experiments.paper.convergence_types.svm import judged
from attnsvm.geometry import BIAS_NORM
from attnsvm.svm.instances import certified
from attnsvm.svm.solution import proof


def svm(problems, trained, settings):
    solved = {}
    for name, run in trained.items():
        if not len(run["places"]):
            continue
        attention, parametrisation = name.split()
        given = problems[run["places"]], BIAS_NORM[parametrisation], attention
        optimal = optimal_tokens(given[0].tokens, given[0].head, given[0].labels)
        ends = {when: _judged(*given, run[when], run["weights"][:, k]) for k, when in enumerate(("first", "last"))}
        solved[name] = ends | {"optimal": proof(certified(given[0], optimal, *given[1:]))}
        solved[name]["global"] = (run["last"] == optimal).all(1)
    return solved


def _judged(problems, norm, attention, selected, weights):
    """Proofs, each solution's correlation with the weights, and whether the tokens are locally optimal."""
    found = judged(problems, selected, norm, attention, weights)
    score = scores(problems.tokens, problems.head, problems.labels)
    local = locally_optimal(score, selected, found.pop("support")) & (found["status"] == "solved")
    return found | {"local": np.asarray(local)}
