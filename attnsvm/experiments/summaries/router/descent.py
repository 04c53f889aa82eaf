"""Plain attention, and routers with several selectors, from the same random weights on the same problems."""

from attnsvm.experiments.summaries.router.routing import Router, descend
from attnsvm.training.descent import train
from attnsvm.training.heads.linear import LinearHead
from attnsvm.training.log import logarithmic_steps
from attnsvm.training.optimisers.gradient_descent import exact
from attnsvm.training.start import full_weights

PLAIN = "attention"


def routers(settings) -> dict[str, Router]:
    """What is trained in addition to plain attention, by name."""
    penalties = {f"entropy {weight:g}": Router(entropy=weight) for weight in settings["penalties"]}
    return penalties | {
        "gumbel": Router(temperature=settings["temperature"]),
        "dirichlet": Router(dirichlet=settings["dirichlet"]),
        "reward": Router(entropy=-settings["reward"]),
    }


def descent(problems, settings, progress):
    found = routers(settings)
    progress.expect((1 + len(found)) * len(problems))
    kept, rate = logarithmic_steps(settings["steps"], settings["points"]), settings["learning_rate"]
    log = train(problems, LinearHead, "W", exact(rate), settings["steps"], kept, progress=progress)
    runs = {PLAIN: {"weights": log.weights, "largest": log.largest, "selected": log.probabilities.argmax(2)}}
    (start,) = full_weights(problems.seeds, problems.tokens.shape[-1], "uniform")
    for name, router in found.items():
        runs[name] = descend(problems, router, start, rate, kept)
        progress(len(problems))
    return {"steps": kept, "runs": runs}
