"""Train W from zero under a head that prefers mixtures, h(x) = vᵀx − λ‖x‖², once per penalty λ.

The penalties share the instances and their initial weights.
"""

from functools import partial

from attnsvm.training.descent import train
from attnsvm.training.heads.penalised import PenalisedHead
from attnsvm.training.settings import how_to_train


def descent(problems, settings, progress):
    progress.expect(len(settings["penalties"]) * len(problems))
    how = how_to_train(settings) | {"every": settings["steps"], "start": "zero"}
    return {
        str(penalty): train(problems, partial(PenalisedHead, penalty=penalty), "W", progress=progress, **how).end()
        for penalty in settings["penalties"]
    }
