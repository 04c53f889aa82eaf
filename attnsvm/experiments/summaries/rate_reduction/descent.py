"""Train both layers with Adam on the first half of the inputs, all seeds side by side; in float64, on one thread."""

import numpy as np
import torch

from attnsvm.experiments.summaries.rate_reduction.layers import CRATE, LAYERS, moving, scoring, sizes
from attnsvm.training.log import logarithmic_steps

START_STREAM, BATCH_STREAM = 51408, 51409  # keep starts and batches apart from the images of the same seed


def descent(problems, settings, progress):
    progress.expect(len(LAYERS) * len(problems))
    torch.set_num_threads(1)
    kept = logarithmic_steps(settings["steps"], settings["points"])
    logs = {}
    for kind in LAYERS:
        logs[kind] = trained(kind, problems, settings, kept)
        progress(len(problems))
    ista = {name: np.array(settings[name]) for name in ("ista_step", "sparsity")}
    return {"steps": kept, "layers": logs, "ista": ista}


def start(kind, problems, heads) -> dict[str, np.ndarray]:
    """Entries N(0, 1/d), the readout as drawn with the problem; by name (S, ...)."""
    d = problems.tokens.shape[-1]
    draws = [np.random.default_rng([START_STREAM, seed, LAYERS.index(kind)]) for seed in problems.seeds.tolist()]
    shapes = sizes(kind, d, heads)
    first = {name: np.stack([draw.normal(size=shape) / d**0.5 for draw in draws]) for name, shape in shapes.items()}
    return first | {"v": problems.head.copy(), "b": np.zeros(len(problems))}


def trained(kind, problems, settings, kept) -> dict[str, np.ndarray]:
    """The layer's arrays at the logged steps, (S, L, ...)."""
    half = problems.tokens.shape[1] // 2
    batch = min(settings["batch"], half)
    layer = {name: torch.tensor(x).requires_grad_() for name, x in start(kind, problems, settings["heads"]).items()}
    adam = torch.optim.Adam(list(layer.values()), lr=settings["learning_rate"])
    tokens, queries, labels = (torch.tensor(x) for x in (problems.tokens, problems.queries, problems.labels))
    draws = [np.random.default_rng([BATCH_STREAM, seed]) for seed in problems.seeds.tolist()]
    every, log = torch.arange(len(problems))[:, None], []
    for step in range(kept[-1] + 1):
        if step in kept:
            log.append({name: x.detach().clone().numpy() for name, x in layer.items()})
        rows = torch.tensor(np.stack([draw.permutation(half)[:batch] for draw in draws]))
        f = predicted(kind, layer, tokens[every, rows], queries[every, rows], settings)
        adam.zero_grad()
        # The sum over the seeds: nothing is shared, each has its own gradient. torch's softplus would round an entry by
        # its place in the batch, logsigmoid does not.
        (-torch.nn.functional.logsigmoid(labels[every, rows] * f)).mean(1).sum().backward()
        adam.step()
    return {name: np.stack([one[name] for one in log], 1) for name in layer}


def predicted(kind, layer, tokens, queries, settings):
    """f (S, n): `layers.attended` and `layers.read_out`, for one query per input."""
    along = queries[:, None] @ scoring(kind, layer).swapaxes(-1, -2)  # (S, H, n, d)
    p = torch.softmax(torch.einsum("sntd,shnd->shnt", tokens, along), -1)
    mixed = torch.einsum("shnt,sntd->shnd", p, tokens)
    z = queries + (mixed @ moving(kind, layer).swapaxes(-1, -2)).sum(1)
    if kind == CRATE:
        D, eta = layer["D"], settings["ista_step"]
        z = torch.relu(z + eta * ((z - z @ D.swapaxes(-1, -2)) @ D) - eta * settings["sparsity"])
    # No matrix product: that of one seed alone would round otherwise than that of several.
    return (z * layer["v"][:, None]).sum(-1) + layer["b"][:, None]
