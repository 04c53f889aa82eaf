"""Train W and (K, Q) with a query at every position: every token competes, or those up to the query."""

from attnsvm.training.descent import train
from attnsvm.training.runs import how_to_train, train_each

ATTENTIONS = ("sequence", "causal")
PARAMETRISATIONS = ("W", "KQ")


def descent(problems, settings, progress):
    runs = {
        (attention, name): {"attention": attention, "parametrisation": name}
        for attention in ATTENTIONS
        for name in PARAMETRISATIONS
    }
    return train_each(train, problems, runs, progress, settings["points"], **how_to_train(settings))
