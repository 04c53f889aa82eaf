"""Train two layers of every kind from the same random weights, by steps of one length."""

import numpy as np

from attnsvm.data.problems import Problems
from attnsvm.experiments.layers_beyond.kinds import KINDS
from attnsvm.experiments.layers_beyond.models import fixed, model
from attnsvm.training.log import logarithmic_steps
from attnsvm.training.rules.gradient_descent import exact
from attnsvm.training.rules.joint import joint
from attnsvm.training.start import draw_initial, uniform
from attnsvm.training.tape.data import inputs_of
from attnsvm.training.tape.descent import descend


def descent(problems: Problems, settings: dict, progress) -> dict:
    progress.expect(len(KINDS) * len(problems))
    d, steps = problems.tokens.shape[-1], settings["steps"]
    kept = np.union1d(logarithmic_steps(steps, settings["points"]), [steps // 2])
    start, drawn = draw_initial("layers_beyond", problems.seeds, uniform((2, d, d), d)), fixed(problems)
    given = inputs_of(problems) | drawn
    given["classes"] = drawn["classes"][..., None]
    trained = {}
    for name, kind in KINDS.items():
        first = {"W1": start[:, 0], "W2": start[:, 1]}
        log = descend(
            model(kind), first, given, joint(exact(settings["learning_rate"])), steps, kept, progress=progress
        )
        W = np.stack([log.weights["W1"], log.weights["W2"]], axis=2)
        trained[name] = {"steps": kept, "weights": W[:, :, :, None]}
        if kind.between == "mlp":
            trained[name] |= {of: drawn[of] for of in ("A", "B")}
    return trained
