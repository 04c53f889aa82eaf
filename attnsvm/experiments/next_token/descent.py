"""Train W as published and by the split rule under both losses, and (K, Q) by the split rule."""

import numpy as np

from attnsvm.experiments.next_token.problems import token_numbers
from attnsvm.training.log import logarithmic_steps
from attnsvm.training.next_token import LOSSES, NextToken, finite_part, train_KQ, train_W
from attnsvm.training.start import factored_weights


def descent(problems, settings, progress):
    progress.expect(len(problems))
    data = NextToken.of(*token_numbers(problems))
    zero = np.zeros((len(problems), *problems.head.shape[1:]))
    rate, steps = settings["learning_rate"], logarithmic_steps(settings["steps"], settings["points"])
    own = {"nll": (settings["global_rate"], settings["global_steps"])}
    own["squared"] = settings["local_rate"], settings["local_steps"]
    found = {"published": {}, "split": {}, "finite": {}}
    for loss in LOSSES:
        theirs = logarithmic_steps(own[loss][1], settings["points"])
        published = train_W(data, zero, loss, "published", own[loss][0], theirs)
        found["published"][loss] = {"steps": theirs, "weights": published}
        found["split"][loss] = {"steps": steps, "weights": train_W(data, zero, loss, "split", rate, steps)}
        W, exists = finite_part(data, loss)
        found["finite"][loss] = {"W": W, "exists": exists}
    factors = factored_weights(problems.seeds, problems.head.shape[2], "uniform")
    steps = logarithmic_steps(settings["factored_steps"], settings["points"])
    found["factored"] = {"steps": steps, "weights": train_KQ(data, *factors, "nll", rate, steps)}
    progress(len(problems))
    return found | {"basis": data.basis}
