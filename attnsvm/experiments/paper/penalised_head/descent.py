"""Train W from zero under a head that prefers mixtures, h(x) = vᵀx − λ‖x‖², once per penalty λ.

The penalties share the instances and their initial weights.
"""

from functools import partial

from attnsvm.training.descent import train
from attnsvm.training.heads.penalised import PenalisedHead
from attnsvm.training.runs import how_to_train, train_each


def descent(problems, settings, progress):
    runs = {str(penalty): {"head": partial(PenalisedHead, penalty=penalty)} for penalty in settings["penalties"]}
    how = how_to_train(settings) | {"parametrisation": "W", "every": settings["steps"], "start": "zero"}
    return train_each(train, problems, runs, progress, kept=None, **how)
