"""Train W and (K, Q) with a query at every position: every token competes, or those up to the query."""

from attnsvm.training.descent import train
from attnsvm.training.heads.linear import LinearHead
from attnsvm.training.log import logarithmic_steps
from attnsvm.training.settings import how_to_train

ATTENTIONS = ("sequence", "causal")
PARAMETRISATIONS = ("W", "KQ")
KEPT = ("steps", "weights", "probabilities")


def descent(problems, settings, progress):
    progress.expect(len(ATTENTIONS) * len(PARAMETRISATIONS) * len(problems))
    every = logarithmic_steps(settings["steps"], settings["points"])
    how = how_to_train(settings) | {"every": every, "progress": progress}
    return {
        attention: {
            name: train(problems, LinearHead, name, attention=attention, **how).arrays(*KEPT)
            for name in PARAMETRISATIONS
        }
        for attention in ATTENTIONS
    }
