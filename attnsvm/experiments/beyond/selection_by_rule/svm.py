"""The solutions, in the norm of each rule, of the tokens that it selects where these are not the optimal ones.

Adam is judged in the max norm, that of sign descent.
"""

import numpy as np

from attnsvm.analysis.selection import optimal_tokens, selected_tokens, support_of
from attnsvm.svm.instances import certified
from attnsvm.svm.solution import proof

NORM = {"adam": "linf"}


def svm(problems, trained, settings):
    optimal = optimal_tokens(problems.tokens, problems.head, problems.labels)
    return {
        length: {name: _apart(problems, run, optimal, NORM.get(name, name)) for name, run in runs.items()}
        for length, runs in trained.items()
    }


def _apart(problems, run, optimal, norm):
    """Where (P,) a run selects other tokens than the optimal ones, what it selects, and its support indices there."""
    selected = selected_tokens(run["probabilities"])
    places = np.flatnonzero((selected != optimal).any(1))
    own = {"places": places}
    if len(places):
        some, chosen = problems[places], selected[places]
        answers = certified(some, chosen, norm)
        own["solved"] = proof(answers) | {"support": support_of(some.tokens, some.queries, answers, chosen)}
    return own
