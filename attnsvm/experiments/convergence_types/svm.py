"""The solutions for the optimal tokens, and for the selected ones where they differ; in the norm of what is trained."""

import numpy as np

from attnsvm.analysis.directions import correlation
from attnsvm.analysis.selection import optimal_tokens, selected_tokens, support_of
from attnsvm.data.inputs import ATTENTIONS
from attnsvm.geometry import BIAS_NORM
from attnsvm.svm.instances import certified
from attnsvm.svm.solution import proof


def svm(problems, trained, settings):
    optimal = optimal_tokens(problems.tokens, problems.head, problems.labels)
    solved = {"optimal": optimal}
    for parametrisation, run in trained.items():
        selected, norm = selected_tokens(run["probabilities"]), BIAS_NORM[parametrisation]
        places = np.flatnonzero((selected != optimal).any(1))
        weights = run["weights"]
        own = {"selected": selected, "places": places, "optimal": _solve(problems, optimal, norm, settings, weights)}
        if len(places):
            own["apart"] = _solve(problems[places], selected[places], norm, settings, weights[places])
        solved[parametrisation] = own
    return solved


def _solve(problems, selected, norm, settings, weights):
    """Proofs, each solution's correlation with the weights, and whether each token is a support index (S, n, T)."""
    answers = certified(problems, selected, norm, settings["attention"])
    queries = ATTENTIONS[settings["attention"]](problems).queries
    tight = support_of(problems.tokens, queries, answers, selected)
    return proof(answers) | {"correlation": correlation(weights, answers["W"]), "support": tight}
