"""Train W by ℓp mirror descent for several p.

apart   as published: a separate start for every p, and the steps end where the gradient's norm falls below 2.2e-16.
        (The published starts have no seed, ours have)
exact   the same starts, and every step as long as the first, however small the gradient
shared  as published, but from one start for all p
"""

from attnsvm.training.descent import train
from attnsvm.training.heads.linear import LinearHead
from attnsvm.training.log import logarithmic_steps
from attnsvm.training.rules.mirror import mirror
from attnsvm.training.start import draw_initial, normal

KEPT = ("steps", "weights", "probabilities")
RUNS = ("apart", "exact", "shared")


def descent(problems, settings, progress):
    progress.expect(len(RUNS) * len(settings["p"]) * len(problems))
    shape = problems.tokens.shape[-1], problems.tokens.shape[-1]
    trained = {}
    for kind in RUNS:
        trained[kind] = {}
        for p, steps in zip(settings["p"], settings["steps"], strict=True):
            stream = "mirror" if kind == "shared" else f"mirror {p:g}"
            trained[kind][f"{p:g}"] = train(
                problems,
                LinearHead,
                "W",
                mirror(p, settings["learning_rate"], published=kind != "exact"),
                steps,
                logarithmic_steps(steps, settings["points"]),
                start=draw_initial(stream, problems.seeds, normal(shape)),
                progress=progress,
            ).arrays(*KEPT)
    return trained
