"""Train W and (K, Q), (K, Q) with one norm for both gradients; those that are not global are trained longer."""

import numpy as np

from attnsvm.analysis.selection import optimal_tokens, selected_tokens
from attnsvm.training.descent import train
from attnsvm.training.heads.linear import LinearHead
from attnsvm.training.optimisers.gradient_descent import exact
from attnsvm.training.optimisers.joint import joint

ATTENTIONS = ("cross", "self")
LONGER = 20  # times as many steps, of the runs that are not global by then
SATURATED = 0.99  # the largest probability of every input of a run that is global
RULES = {"W": exact, "KQ": lambda rate: joint(exact(rate))}


def descent(problems, settings, progress):
    """By run: the instances that go on, `places`; their weights after either number of steps, and the softmax then."""
    progress.expect(2 * len(ATTENTIONS) * len(RULES) * len(problems))
    steps, longer = settings["steps"], LONGER * settings["steps"]
    optimal = optimal_tokens(problems.tokens, problems.head, problems.labels)
    runs = {}
    for attention in ATTENTIONS:
        for parametrisation, rule in RULES.items():
            how = {"rule": rule(settings["learning_rate"]), "attention": attention, "progress": progress}
            first = train(problems, LinearHead, parametrisation, steps=steps, every=steps, **how).probabilities
            ended = (selected_tokens(first) == optimal) & (first.max(-1) >= SATURATED)
            places = np.flatnonzero(~ended.all(1))
            kept = np.array([steps, longer])
            run = runs[f"{attention} {parametrisation}"] = {"places": places}
            progress(len(problems) - len(places))
            if not len(places):
                continue
            log = train(problems[places], LinearHead, parametrisation, steps=longer, every=kept, **how)
            saturated = first[places].max(-1).min(-1) >= SATURATED
            run |= {"first": selected_tokens(first[places]), "saturated": saturated}
            run |= {"steps": kept, "last": selected_tokens(log.probabilities), "weights": log.weights}
    return runs
