"""Train the layer of every rung from the same kind of start; then with several weight decays on its attention weights.

A run sees only the inputs of its instance.
"""

import numpy as np
import torch

from attnsvm.analysis.selection import selected_tokens
from attnsvm.experiments.real.ladder.layer import layer, product, start
from attnsvm.experiments.real.ladder.rungs import ATTENTION, DECAYING, RUNGS, SATURATED, fitted
from attnsvm.training.adamw import AdamW
from attnsvm.training.rules.gradient_descent import exact
from attnsvm.training.rules.joint import joint
from attnsvm.training.tape.descent import descend
from attnsvm.training.tape.gradient import gradient
from attnsvm.training.tape.node import Node

TOGETHER = 20  # runs on one tape of AdamW's: their arrays stay in the cache


def descent(problems, settings, progress):
    torch.set_num_threads(1)  # of AdamW
    decays = np.array(settings["decays"], dtype=float)
    progress.expect((len(RUNGS) + len(DECAYING) * len(decays)) * len(problems))
    trained = {"rungs": {}, "decays": {}, "each": {"decay": decays}}
    for name, rung in RUNGS.items():
        trained["rungs"][name] = train(problems, rung, settings, settings["weight_decay"])
        progress(len(problems))
    # All decays of one parametrisation advance together: run k·S + s has decay k and the data of instance s.
    copies = problems[np.tile(np.arange(len(problems)), len(decays))]
    each = np.repeat(decays, len(problems))
    for name, rung in DECAYING.items():
        trained["decays"][name] = {"end": train(copies, rung, settings, each, only=ATTENTION)["end"]}
        progress(len(copies))
    return trained


def train(problems, rung, settings, decay, only=None):
    """The layer before and after training.

    Args:
        decay: of AdamW, a number or one per run; `only`: the names of the weights that decay, None: all.
    """
    inputs = inputs_of(problems, fitted(problems.labels.shape[1]))
    weights = start(rung, problems.seeds, problems.head, problems.queries.shape[-1])
    if rung.rule == "adamw":
        decays = {name: np.broadcast_to(decay, len(problems)) for name in weights if only is None or name in only}
        after = by_adamw(weights, inputs, settings["adamw_rate"], decays, settings["adamw_steps"])
    else:
        steps = settings["steps"]
        log = descend(layer, weights, inputs, joint(exact(settings["learning_rate"])), steps, steps)
        after = {name: kept[:, -1] for name, kept in log.weights.items()}
    return {"start": seen(weights, problems), "end": seen(after, problems)}


def by_adamw(weights, inputs, rate, decays, steps):
    """The weights after `steps` updates by AdamW; decays (R,) by name."""
    after = {name: value.copy() for name, value in weights.items()}
    for first in range(0, len(inputs["labels"]), TOGETHER):
        runs = slice(first, first + TOGETHER)
        own = {name: value[runs] for name, value in after.items()}
        constants = {name: Node(value[runs]) for name, value in inputs.items()}
        shares = {name: torch.from_numpy(decay[runs].copy()) for name, decay in decays.items()}
        adamw = AdamW({name: torch.from_numpy(value) for name, value in own.items()}, rate, shares)
        for _ in range(steps):
            nodes = {name: Node(value, weight=True) for name, value in own.items()}
            found = gradient(layer(nodes, constants)[0], nodes)
            adamw.step({name: torch.from_numpy(found[name].value().reshape(x.shape)) for name, x in own.items()})
    return after


def inputs_of(problems, n=None):
    """The inputs of `layer`, (R, ...) by name: the first n of every run, or all."""
    arrays = {"tokens": problems.tokens, "queries": problems.queries, "labels": problems.labels}
    return {name: array[:, :n] for name, array in arrays.items()} | {"v": problems.head}


def seen(weights, problems):
    """What later stages need: W, the embeddings, what the first n inputs select, and how often the layer is right."""
    inputs, n = inputs_of(problems), fitted(problems.labels.shape[1])
    _, found = layer({name: Node(x) for name, x in weights.items()}, {name: Node(x) for name, x in inputs.items()})
    right = (found["outputs"].value * inputs["labels"] > 0).astype(float)
    probabilities = found["p"].value[:, :n, 0]
    kept = {"W": product(weights), "selected": selected_tokens(probabilities)}
    kept |= {name: weights[name] for name in ("E", "F") if name in weights}
    kept |= {"train": right[:, :n].mean(1), "held_out": right[:, n:].mean(1)}
    return kept | {"saturated": (probabilities.max(-1) >= SATURATED).mean(1)}
