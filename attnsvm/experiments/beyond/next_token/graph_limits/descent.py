"""Train W under the squared loss and (K, Q) under −log u, both with the gradient split."""

import numpy as np

from attnsvm.experiments.beyond.next_token.descent import NextToken, finite_part, split, split_factors, token_numbers
from attnsvm.training.log import logarithmic_steps
from attnsvm.training.start import factored_weights

LOSSES = {"squared": "squared", "factored": "nll"}  # of each run


def descent(problems, settings, progress):
    progress.expect(len(problems))
    data = NextToken.of(*token_numbers(problems))
    rate = settings["learning_rate"]
    steps = {
        "squared": logarithmic_steps(settings["steps"], settings["points"]),
        "factored": logarithmic_steps(settings["factored_steps"], settings["points"]),
    }
    factors = factored_weights(problems.seeds, problems.head.shape[2], "uniform")
    weights = {
        "squared": split(data, "squared", rate, steps["squared"]),
        "factored": split_factors(data, *factors, "nll", rate, steps["factored"]),
    }
    progress(len(problems))
    found = {}
    for run, loss in LOSSES.items():
        W, exists = finite_part(data, loss)
        found[run] = {"steps": steps[run], "weights": weights[run], "fin": W, "exists": exists}
    return found | {"cyclic": np.abs(data.basis).max((1, 2, 3)) > 0}
