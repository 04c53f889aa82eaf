"""Train W by ℓp mirror descent for several p.

apart   as published: a separate start for every p, and the steps end where the gradient's norm falls below 2.2e-16.
        (The published starts have no seed, ours have)
exact   the same starts, and every step as long as the first, however small the gradient
shared  as published, but from one start for all p
"""

from attnsvm.training.descent import train
from attnsvm.training.optimisers.mirror import mirror
from attnsvm.training.runs import train_each
from attnsvm.training.start import draw_initial, normal

RUNS = ("apart", "exact", "shared")


def descent(problems, settings, progress):
    shape = problems.tokens.shape[-1], problems.tokens.shape[-1]
    runs = {}
    for kind in RUNS:
        for p, steps in zip(settings["p"], settings["steps"], strict=True):
            rule = mirror(p, settings["learning_rate"], published=kind != "exact")
            start = draw_initial("mirror" if kind == "shared" else f"mirror {p:g}", problems.seeds, normal(shape))
            runs[kind, f"{p:g}"] = {"rule": rule, "steps": steps, "start": start}
    return train_each(train, problems, runs, progress, settings["points"], parametrisation="W")
