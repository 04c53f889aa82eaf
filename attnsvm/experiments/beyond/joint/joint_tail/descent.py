"""Train W and v together for two numbers of steps, v at several rates."""

from attnsvm.experiments.beyond.joint.descent import ends
from attnsvm.training.rules.gradient_descent import exact


def descent(problems, settings, progress):
    lengths = settings["fewer"], settings["steps"]
    progress.expect(len(problems) * len(settings["head_rates"]) * len(lengths))
    rule = exact(settings["learning_rate"])
    return {
        f"{rate:g} {steps}": ends(problems, rule, steps, rate, progress)
        for rate in settings["head_rates"]
        for steps in lengths
    }
