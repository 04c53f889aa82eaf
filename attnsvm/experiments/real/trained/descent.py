"""Train the network by AdamW on its digits, and keep every head with what it sees at some checkpoints."""

import numpy as np
import torch

from attnsvm.data.digits import images
from attnsvm.experiments.real.trained.network import bilinear, forward, start
from attnsvm.experiments.real.trained.problems import order, trained_on
from attnsvm.training.adamw import AdamW

STREAM = 15024  # of the batches


def descent(problems, settings, progress):
    torch.set_num_threads(1)
    seeds, (R, N, T, pixels) = problems.seeds.tolist(), problems.tokens.shape
    drawn = [order(seed, N) for seed in seeds]
    digits = torch.from_numpy(images()[1][np.array([numbers for numbers, _ in drawn])])
    patches, count = torch.from_numpy(problems.tokens), trained_on(N)
    shown = slice(count, count + settings["inspected"])
    places = torch.from_numpy(np.array([positions for _, positions in drawn])[:, shown])
    weights = start(problems.seeds, T, pixels)
    adamw = AdamW(weights, settings["adamw_rate"], dict.fromkeys(weights, settings["weight_decay"]))
    shuffles = [np.random.default_rng([STREAM, seed]) for seed in seeds]
    checkpoints, kept = np.array(settings["checkpoints"]), []
    progress.expect(R * len(checkpoints))
    for step in range(checkpoints[-1] + 1):
        if step in checkpoints:
            kept.append(look(weights, patches, digits, count, shown, places))
            progress(R)
        batch = torch.from_numpy(np.array([rng.integers(count, size=settings["batch"]) for rng in shuffles]))
        rows = torch.arange(R).unsqueeze(1)
        adamw.step(gradients(weights, patches[rows, batch], digits[rows, batch]))
    return {"steps": checkpoints} | {name: np.stack([one[name] for one in kept], axis=1) for name in kept[0]}


def gradients(weights, patches, digits):
    """The gradients of the mean cross-entropy of each run, by the name of the weights."""
    leaves = {name: value.detach().requires_grad_() for name, value in weights.items()}
    logits, _ = forward(leaves, patches)
    loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), digits.flatten(), reduction="sum")
    return dict(zip(leaves, torch.autograd.grad(loss / digits.shape[1], list(leaves.values())), strict=True))


@torch.no_grad()
def look(weights, patches, digits, count, shown, places):
    """The heads, the inputs `shown` as each layer sees them with the token that asks, and the accuracies."""
    right = (forward(weights, patches)[0].argmax(-1) == digits).double().numpy()
    tokens = torch.stack(forward(weights, patches[:, shown])[1], dim=1)  # (R, layers, n, T, d)
    which = places[:, None, :, None, None].expand(*tokens.shape[:3], 1, tokens.shape[-1])
    return {
        "W": bilinear(weights).numpy().copy(),
        "tokens": tokens.numpy(),
        "queries": tokens.gather(3, which).squeeze(3).numpy(),
        "train": right[:, :count].mean(1),
        "held_out": right[:, count:].mean(1),
    }
