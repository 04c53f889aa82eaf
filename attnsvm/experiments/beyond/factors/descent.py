"""Train (K, Q) by every rule: the two rules that are compared for the longest time, the others as long as they need."""

import numpy as np

from attnsvm.training.descent import train
from attnsvm.training.optimisers.balanced import balanced
from attnsvm.training.optimisers.gradient_descent import exact, plain
from attnsvm.training.optimisers.joint import joint
from attnsvm.training.optimisers.schedule import schedule
from attnsvm.training.optimisers.steepest import steepest
from attnsvm.training.runs import train_each
from attnsvm.training.start import factored_weights

OTHERS = {"spectral": "spectral", "sign": "linf"}


def descent(problems, settings, progress):
    plan = planned(settings, problems.tokens.shape[-1])
    runs = {
        name: {"rule": rule, "steps": steps, "start": _start(problems, m, scale)}
        for name, (rule, steps, m, scale) in plan.items()
    }
    trained = train_each(train, problems, runs, progress, settings["points"], parametrisation="KQ")
    for name, (_, _, m, scale) in plan.items():
        trained[name] |= {"m": np.array(m), "scale": np.array(float(scale))}
    return trained


def planned(settings, d) -> dict:
    """What is trained: {name: (rule, steps, columns, factor of the start)}; a name is the rule, m and the factor."""
    rate, smaller = settings["learning_rate"], settings["shrinking_rate"]
    longest, cause, short = (settings[key] for key in ("steps", "cause_steps", "short_steps"))
    compared = {"published": exact(rate), "joint": joint(exact(rate))}
    switched = {
        "balanced": balanced(exact(rate)),
        "published_shrinking": schedule(exact(smaller), "shrinking"),
        "joint_shrinking": schedule(joint(exact(smaller)), "shrinking"),
        "plain": plain(rate),
    }
    others = {name: schedule(steepest(norm, smaller), "shrinking") for name, norm in OTHERS.items()}
    runs = [(name, rule, longest, d, 1) for name, rule in compared.items()]
    runs += [(name, rule, cause, d, 1) for name, rule in switched.items()]
    runs += [(name, rule, short, d, 1) for name, rule in others.items()]
    runs += [(name, rule, short, m, 1) for name, rule in compared.items() for m in settings["columns"] if m != d]
    runs += [(name, rule, short, d, x) for name, rule in compared.items() for x in settings["scales"] if x != 1]
    return {f"{name}_m{m}_x{scale:g}": (rule, steps, m, scale) for name, rule, steps, m, scale in runs}


def _start(problems, m, scale):
    return tuple(scale * factor for factor in factored_weights(problems.seeds, problems.tokens.shape[-1], "uniform", m))
