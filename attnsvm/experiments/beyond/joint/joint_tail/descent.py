"""Train W and v together for a quarter of the steps and for all of them, v at several rates."""

from attnsvm.experiments.beyond.joint.descent import ends
from attnsvm.training.optimisers.gradient_descent import exact

FEWER = 4  # by how many times the first number of steps is smaller


def descent(problems, settings, progress):
    lengths = settings["steps"] // FEWER, settings["steps"]
    progress.expect(len(problems) * len(settings["head_rates"]) * len(lengths))
    rule = exact(settings["learning_rate"])
    return {
        f"{rate:g} {steps}": ends(problems, rule, steps, rate, progress)
        for rate in settings["head_rates"]
        for steps in lengths
    }
