"""A small transformer, for R runs at once: two layers of two heads, each with a residual and an MLP, then a mean.

x ← x + Σ_h softmax(a_i Q_h (a_t K_h)ᵀ/√m) a_t V_h O_h, x ← x + MLP(a), with a = x of mean zero and variance one in
every token. The tokens are linear maps of patches plus a learned vector per place; ten logits follow from their mean.
"""

import numpy as np
import torch

from attnsvm.training.start import draw_initial, normal

LAYERS, HEADS, WIDTH, PER_HEAD, HIDDEN, CLASSES = 2, 2, 24, 12, 48, 10


def start(seeds: np.ndarray, tokens: int, pixels: int) -> dict[str, torch.Tensor]:
    """Weights (R, ...) by name, N(0, 1/size of what they are multiplied with); one run per seed."""
    both = HEADS * PER_HEAD
    shapes = {"embed": (pixels, WIDTH), "place": (tokens, WIDTH), "classes": (WIDTH, CLASSES)}
    for layer in range(LAYERS):
        shapes |= {f"{name}{layer}": (WIDTH, both) for name in ("K", "Q", "V")}
        shapes |= {f"O{layer}": (both, WIDTH), f"up{layer}": (WIDTH, HIDDEN), f"down{layer}": (HIDDEN, WIDTH)}
    drawn = {name: draw_initial(name, seeds, normal(shape)) for name, shape in shapes.items()}
    return {name: torch.from_numpy(value / np.sqrt(value.shape[1])) for name, value in drawn.items()}


def forward(weights, patches) -> tuple[torch.Tensor, list[torch.Tensor]]:
    """Logits of the classes (R, n, 10), and what each layer attends to (R, n, T, d), for patches (R, n, T, 4)."""
    R, n, T, _ = patches.shape
    x = linear(patches, weights["embed"]) + weights["place"].unsqueeze(1)
    seen = []
    for layer in range(LAYERS):
        a = normalised(x)
        seen.append(a)
        queries, keys, values = (
            linear(a, weights[f"{name}{layer}"]).reshape(R, n, T, HEADS, PER_HEAD).transpose(2, 3) for name in "QKV"
        )
        shares = torch.softmax(queries @ keys.mT * PER_HEAD**-0.5, dim=-1)
        mixed = (shares @ values).transpose(2, 3).reshape(R, n, T, HEADS * PER_HEAD)
        x = x + linear(mixed, weights[f"O{layer}"])
        x = x + linear(torch.relu(linear(normalised(x), weights[f"up{layer}"])), weights[f"down{layer}"])
    return normalised(x).mean(2) @ weights["classes"], seen


def linear(x, weight):
    """x (R, n, T, a) times weight (R, a, b)."""
    R, n, T, a = x.shape
    return (x.reshape(R, n * T, a) @ weight).reshape(R, n, T, weight.shape[-1])


def normalised(x):
    return torch.nn.functional.layer_norm(x, x.shape[-1:])


def bilinear(weights) -> torch.Tensor:
    """W = K_h Q_hᵀ/√m of every head, (R, layers, heads, d, d): the logit of token t for query z is x_tᵀ W z."""
    found = []
    for layer in range(LAYERS):
        keys, queries = (weights[f"{name}{layer}"].unflatten(-1, (HEADS, PER_HEAD)).transpose(1, 2) for name in "KQ")
        found.append(keys @ queries.mT * PER_HEAD**-0.5)
    return torch.stack(found, dim=1)
