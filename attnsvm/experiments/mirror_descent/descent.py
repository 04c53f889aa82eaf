"""Train W by ℓp mirror descent for several p: from a start for each p, as published, and from one start for all."""

from attnsvm.training import LinearHead, logarithmic_steps, mirror, train
from attnsvm.training.start import draw_initial, normal

KEPT = ("steps", "weights", "probabilities")
STARTS = ("apart", "shared")  # the published runs draw W(0) anew, unseeded: apart; ours are seeded


def descent(problems, settings, progress):
    progress.expect(len(STARTS) * len(settings["p"]) * len(problems))
    shape = problems.tokens.shape[-1], problems.tokens.shape[-1]
    trained = {}
    for starts in STARTS:
        trained[starts] = {}
        for p, steps in zip(settings["p"], settings["steps"], strict=True):
            stream = f"mirror {p:g}" if starts == "apart" else "mirror"
            trained[starts][f"{p:g}"] = train(
                problems,
                LinearHead,
                "W",
                mirror(p, settings["learning_rate"], published=True),
                steps,
                logarithmic_steps(steps, settings["points"]),
                start=draw_initial(stream, problems.seeds, normal(shape)),
                progress=progress,
            ).arrays(*KEPT)
    return trained
