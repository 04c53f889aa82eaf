"""Both stages by normalised descent; the same by plain descent, with the published rates, and both layers at once."""

import numpy as np

from attnsvm.experiments.literature.stages.first import first_stage
from attnsvm.experiments.literature.stages.layer import next_words
from attnsvm.training.log import logarithmic_steps
from attnsvm.training.rules.gradient_descent import exact, plain
from attnsvm.training.rules.joint import joint
from attnsvm.training.tape import descent as tape
from attnsvm.training.tape.attention import scores, softmax
from attnsvm.training.tape.losses import cross_entropy


def descent(problems, settings, progress):
    steps = logarithmic_steps(settings["steps"], settings["points"])
    E, published = problems.head, np.array(settings["published"]) / problems.head.shape[-1]
    rates = {
        "normalised": (settings["first_rate"], exact(settings["rate"])),
        "plain": (settings["first_rate"], plain(settings["rate"])),
        "published": (published[0], exact(published[1])),
    }
    progress.expect((1 + len(rates)) * len(problems))
    given, S, d = inputs(problems), *E.shape[:2]
    first, second = {}, {}
    V = first_stage(E, settings["first_rate"], np.array([settings["handover"]]))[:, 0]
    given_second = given | {"values": problems.tokens @ V.swapaxes(1, 2)[:, None]}
    for name, (rate, rule) in rates.items():
        first[name] = first_stage(E, rate, steps, normalised=name != "plain")
        log = tape.descend(second_stage, {"W": np.zeros((S, d, d))}, given_second, rule, steps[-1], steps)
        second[name] = log.weights["W"]
        progress(len(problems))
    start = {name: np.zeros((S, d, d)) for name in ("W", "V")}
    few = logarithmic_steps(settings["together"], settings["points"])
    log = tape.descend(together, start, given, joint(exact(settings["rate"])), few[-1], few)
    progress(len(problems))
    return {
        "steps": steps,
        "kept": V,
        "first": first,
        "second": second,
        "together": {"steps": few, "first": log.weights["V"], "second": log.weights["W"]},
    }


def inputs(problems) -> dict[str, np.ndarray]:
    """tokens (S, n, T, d), queries (S, n, 1, d), and the next words (S, n, 1)."""
    return {
        "tokens": problems.tokens,
        "queries": problems.queries[:, :, None],
        "next": next_words(problems)[..., None].astype(float),
    }


def second_stage(weights, given):
    """The loss of W (d, d) with values V x_t (n, T, words) that are kept."""
    return cross_entropy(given["next"], _attention(weights, given) @ given["values"])


def together(weights, given):
    """The loss of W and V, (d, d) each."""
    return cross_entropy(given["next"], (_attention(weights, given) @ given["tokens"]) @ weights["V"].T)


def _attention(weights, given):
    return softmax(scores(given["tokens"], weights["W"], given["queries"]))
