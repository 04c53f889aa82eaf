"""Train W from random weights; only its end is kept."""

from attnsvm.training.descent import train
from attnsvm.training.heads.linear import LinearHead
from attnsvm.training.runs import how_to_train


def descent(problems, settings, progress):
    how = how_to_train(settings) | {"every": settings["steps"], "progress": progress}
    return train(problems, LinearHead, "W", **how).end()
