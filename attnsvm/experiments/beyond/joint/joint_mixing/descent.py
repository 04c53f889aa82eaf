"""Train W and v together, v at several rates, and keep both at the late steps up to two numbers of steps."""

import numpy as np

from attnsvm.data.architecture import Stack
from attnsvm.training.heads.linear import LinearHead
from attnsvm.training.late import parted, to_log
from attnsvm.training.optimisers.gradient_descent import exact
from attnsvm.training.stack.descent import train_stack


def descent(problems, settings, progress):
    progress.expect(len(problems) * len(settings["head_rates"]))
    rule, kept = exact(settings["learning_rate"]), np.array([settings["fewer"], settings["steps"]])
    trained = {}
    for rate in settings["head_rates"]:
        how = {"head_rate": rate, "progress": progress}
        log = train_stack(problems, Stack(), LinearHead, rule, settings["steps"], to_log(kept, kept), **how)
        late = {"W": log.weights[:, :, 0, 0], "v": log.head}
        trained[f"{rate:g}"] = {name: parted(log.steps, of, kept, kept)["late"] for name, of in late.items()}
        trained[f"{rate:g}"]["steps"] = kept
    return trained
