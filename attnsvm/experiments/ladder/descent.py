"""Train the layer of every rung from the same kind of start; then with several weight decays on its attention weights.

A stage of torch: the compiled engine knows neither an MLP nor embeddings. Every run sees its own inputs only.
"""

import numpy as np
import torch

from attnsvm.experiments.ladder.layer import forward, gradients, product, start
from attnsvm.experiments.ladder.rungs import ATTENTION, DECAYING, RUNGS, SATURATED, fitted
from attnsvm.selection import selected_tokens
from attnsvm.training.adamw import AdamW


def descent(problems, settings, progress):
    torch.set_num_threads(1)
    decays = np.array(settings["decays"], dtype=float)
    progress.expect((len(RUNGS) + len(DECAYING) * len(decays)) * len(problems))
    trained = {"rungs": {}, "decays": {}, "each": {"decay": decays}}
    for name, rung in RUNGS.items():
        trained["rungs"][name] = train(problems, rung, settings, settings["weight_decay"])
        progress(len(problems))
    # All decays of one parametrisation advance together: run k·S + s has decay k and the data of instance s.
    copies = problems[np.tile(np.arange(len(problems)), len(decays))]
    each = torch.from_numpy(np.repeat(decays, len(problems)))
    for name, rung in DECAYING.items():
        trained["decays"][name] = {"end": train(copies, rung, settings, each, only=ATTENTION)["end"]}
        progress(len(copies))
    return trained


def train(problems, rung, settings, decay, only=None):
    """The layer before and after training.

    Args:
        decay: of AdamW, a number or one per run; `only`: the names of the weights that decay, None: all.
    """
    arrays = (problems.head, problems.tokens, problems.queries, problems.labels)
    v, tokens, queries, labels = map(torch.from_numpy, arrays)
    n = fitted(labels.shape[1])
    weights = start(rung, problems.seeds, problems.head, problems.queries.shape[-1])
    before = seen(weights, v, tokens, queries, labels, n)
    inputs = tokens[:, :n].contiguous(), queries[:, :n].contiguous(), labels[:, :n].contiguous()
    if rung.rule == "adamw":
        adamw = AdamW(
            weights, settings["adamw_rate"], {name: decay for name in weights if only is None or name in only}
        )
        for _ in range(settings["adamw_steps"]):
            adamw.step(gradients(weights, v, *inputs, relative=False))
    else:
        for _ in range(settings["steps"]):
            normalised_step(weights, gradients(weights, v, *inputs, relative=True), settings["learning_rate"])
    return {"start": before, "end": seen(weights, v, tokens, queries, labels, n)}


def normalised_step(weights, slopes, rate):
    """W ← W − η ∇/‖∇‖ for all weights of a run together."""
    # One after another: torch's sum of a stack takes another order for another number of runs.
    length = sum(slope.flatten(1).square().sum(1) for slope in slopes.values()).sqrt()
    for name, weight in weights.items():
        weight -= rate * slopes[name] / length.reshape(-1, *[1] * (weight.dim() - 1))


def seen(weights, v, tokens, queries, labels, n):
    """What later stages need: W, the embeddings, what the first n inputs select, and how often the layer is right."""
    outputs, logits = forward(weights, v, tokens, queries)
    right = (outputs * labels > 0).double().numpy()
    probabilities = torch.softmax(logits[:, :n], dim=-1).numpy()
    found = {"W": product(weights).numpy().copy(), "selected": selected_tokens(probabilities)}
    found |= {name: weights[name].numpy().copy() for name in ("E", "F") if name in weights}
    found |= {"train": right[:, :n].mean(1), "held_out": right[:, n:].mean(1)}
    return found | {"saturated": (probabilities.max(-1) >= SATURATED).mean(1)}
