"""Train every run from the same random weights, by steps of one length."""

import numpy as np

from attnsvm.data.problems import Problems
from attnsvm.experiments.beyond.induction.model import given, model
from attnsvm.experiments.beyond.induction.runs import RUNS
from attnsvm.training.log import logarithmic_steps
from attnsvm.training.optimisers.gradient_descent import exact
from attnsvm.training.optimisers.joint import joint
from attnsvm.training.start import draw_initial, normal, uniform
from attnsvm.training.tape.descent import descend


def descent(problems: Problems, settings: dict, progress) -> dict:
    progress.expect(len(RUNS) * len(problems))
    _, n, T, d = problems.tokens.shape
    start = draw_initial("induction", problems.seeds, uniform((2, d, d), d))
    false = draw_initial("induction answers", problems.seeds, normal((n, T - 1))).argmax(-1)
    trained = {}
    for name, run in RUNS.items():
        steps = settings["steps" if run.long else "short_steps"]
        kept = np.union1d(logarithmic_steps(steps, settings["points"]), settings["short_steps"])
        some = slice(run.inputs or n)
        inputs = given(problems.tokens[:, some], false[:, some] if run.permuted else None)
        rule = exact(settings["learning_rate"])
        rule = rule if run.separate else joint(rule)
        W1, W2 = start[:, 0] * run.start / run.rate, start[:, 1] * run.start
        log = descend(model(T, run.rate), {"W1": W1, "W2": W2}, inputs, rule, steps, kept, progress=progress)
        W = np.stack([log.weights["W1"] * run.rate, log.weights["W2"]], axis=2)
        trained[name] = {"steps": kept, "weights": W}
    return trained
