"""Train the network: K and Q of every head by Muon, all other weights by AdamW; with decay on K and Q, and without."""

import numpy as np
import torch

from attnsvm.experiments.real.trained.descent import bilinear, forward, gradients, start
from attnsvm.training.adamw import AdamW
from attnsvm.training.muon import Muon, by_head

STREAM, SHOWN = 233, 32  # of the batches; inputs whose logits are looked at


def descent(problems, settings, progress):
    torch.set_num_threads(1)
    half, decays = settings["steps"] // 2, {"no decay": 0.0, "decay": settings["decay"]}
    found = {name: trained(problems, settings, decay, (half, 2 * half)) for name, decay in decays.items()}
    progress(len(problems))
    return {"travelled": np.array(settings["rate"] * half), "ball": np.array(settings["decay"] ** -2.0), "runs": found}


def trained(problems, settings, decay, looked_at) -> dict:
    """KQᵀ of the heads, ‖K‖‖Q‖, what the layers see of some inputs, and the share classified right, at both steps."""
    inputs, classes = torch.from_numpy(problems.tokens), torch.from_numpy(problems.labels).long()
    count, rows = round(2 * inputs.shape[1] / 3), torch.arange(len(inputs))[:, None]
    weights = start(problems.seeds, *inputs.shape[2:])
    layers, heads = bilinear(weights).shape[1:3]
    muon = Muon({name: w for name, w in weights.items() if name[0] in "KQ"}, heads, settings["rate"], decay)
    adamw = AdamW({name: w for name, w in weights.items() if name[0] not in "KQ"}, settings["adamw_rate"], {})
    shuffles, kept = [np.random.default_rng([STREAM, seed]) for seed in problems.seeds], []
    for step in range(1, looked_at[-1] + 1):
        batch = torch.from_numpy(np.array([rng.integers(count, size=settings["batch"]) for rng in shuffles]))
        slopes = gradients(weights, inputs[rows, batch], classes[rows, batch])
        adamw.step(slopes)
        muon.step(slopes)
        if step in looked_at:
            with torch.no_grad():
                logits, seen = (
                    forward(weights, part)[k] for k, part in ((0, inputs[:, count:]), (1, inputs[:, -SHOWN:]))
                )
                K, Q = (torch.stack([by_head(weights[f"{name}{k}"], heads) for k in range(layers)], 1) for name in "KQ")
                size = torch.linalg.matrix_norm(K, 2) * torch.linalg.matrix_norm(Q, 2)
                right = (logits.argmax(-1) == classes[:, count:]).double().mean(1)
                kept.append([bilinear(weights) * K.shape[-1] ** 0.5, torch.stack(seen, 1), size, right])
    found = [torch.stack(one, 1).numpy() for one in zip(*kept, strict=True)]
    return dict(zip(("W", "tokens", "size", "right"), found, strict=True))
