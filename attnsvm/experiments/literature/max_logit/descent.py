"""Train by every rule from the same random weights, and keep W at the last step, at half of it, and so on."""

from attnsvm.experiments.literature.max_logit.runs import BETA1, EDGE, RUNS
from attnsvm.training.descent import train
from attnsvm.training.optimisers.adam import adam
from attnsvm.training.optimisers.steepest import steepest
from attnsvm.training.runs import train_each


def descent(problems, settings, progress):
    runs = {}
    for name, run in (RUNS | EDGE).items():
        steps = settings["adam_steps" if run.beta2 else "steps"]
        rule = adam(run.rate, BETA1, run.beta2) if run.beta2 else steepest(run.norm, run.rate)
        kept = sorted(steps >> k for k in range(settings["halvings"]))
        runs[name] = {"rule": rule, "parametrisation": "KQ" if run.factors else "W", "steps": steps, "every": kept}
    return train_each(train, problems, runs, progress)
