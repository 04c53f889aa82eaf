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
        how = norm, settings["attention"]
        own = {"selected": selected, "places": places, "optimal": judged(problems, optimal, *how, weights)}
        if len(places):
            own["apart"] = judged(problems[places], selected[places], *how, weights[places])
        solved[parametrisation] = own
    return solved


def judged(problems, selected, norm, attention, weights):
    """Proofs, each solution's correlation with the weights, and whether each token is a support index (S, n, T)."""
    answers = certified(problems, selected, norm, attention)
    queries = ATTENTIONS[attention](problems).queries
    tight = support_of(problems.tokens, queries, answers, selected)
    return proof(answers) | {"correlation": correlation(weights, answers["W"]), "support": tight}
