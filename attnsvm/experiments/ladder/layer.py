"""One attention layer with its head, for R runs at once, and the gradient of its loss free of underflow."""

import numpy as np
import torch

from attnsvm.experiments.ladder.rungs import Rung
from attnsvm.training.start import draw_initial, factored_weights, full_weights, normal

HIDDEN = 32


class Pool(torch.autograd.Function):
    """Σ_t softmax(logits)_t x_t, with a gradient that keeps its digits when the softmax saturates.

    Everything is relative to the token that wins: the share of the others is computed, never one less their complement.
    """

    @staticmethod
    def forward(ctx, logits, tokens):
        winner = logits.argmax(-1, keepdim=True)
        shares = (logits - logits.gather(-1, winner)).exp()
        shares = shares / shares.sum(-1, keepdim=True)
        ctx.save_for_backward(shares, tokens, winner)
        return (shares.unsqueeze(-2) @ tokens).squeeze(-2)

    @staticmethod
    def backward(ctx, slope):
        shares, tokens, winner = ctx.saved_tensors
        along = (tokens @ slope.unsqueeze(-1)).squeeze(-1)
        along = along - along.gather(-1, winner)
        direction = shares * (along - (shares * along).sum(-1, keepdim=True))
        direction = direction.scatter(-1, winner, 0.0)
        direction = direction.scatter(-1, winner, -direction.sum(-1, keepdim=True))
        return direction, shares.unsqueeze(-1) * slope.unsqueeze(-2) if ctx.needs_input_grad[1] else None


def start(rung: Rung, seeds: np.ndarray, v: np.ndarray, e: int) -> dict[str, torch.Tensor]:
    """Weights from which descent starts, (R, ...) by name; one run per seed.

    W, or K and Q, have the entries U(−1/√d, 1/√d) of the other experiments; embeddings start at the identity.

    Args:
        v: (R, d), the head vector; d of tokens, e of queries, equal here.
    """
    d = v.shape[1]
    if rung.parametrisation == "W":
        found = {"W": full_weights(seeds, d, "uniform")[0]}
    else:
        found = dict(zip(("K", "Q"), factored_weights(seeds, d, "uniform"), strict=True))
    if rung.head == "v":
        found["v"] = v.copy()
    if rung.head == "mlp":
        found["hidden"] = draw_initial("hidden", seeds, normal((HIDDEN, d))) * (2 / d) ** 0.5
        found["hidden_bias"] = np.zeros((len(seeds), HIDDEN))
        found["out"] = draw_initial("out", seeds, normal((HIDDEN,))) * HIDDEN**-0.5
        found["out_bias"] = np.zeros((len(seeds), 1))
    if rung.embeddings:
        found["E"], found["F"] = (np.tile(np.eye(size), (len(seeds), 1, 1)) for size in (d, e))
    return {name: torch.from_numpy(value) for name, value in found.items()}


def product(weights: dict[str, torch.Tensor]) -> torch.Tensor:
    """W, or K Qᵀ, (R, d, e)."""
    return weights["W"] if "W" in weights else weights["K"] @ weights["Q"].mT


def forward(weights, v, tokens, queries) -> tuple[torch.Tensor, torch.Tensor]:
    """The outputs f (R, n) and the logits (R, n, T); tokens (R, n, T, d), queries (R, n, e), v (R, d)."""
    R, n, T, d = tokens.shape
    if "E" in weights:
        tokens = (tokens.reshape(R, n * T, d) @ weights["E"]).reshape(R, n, T, d)
        queries = queries @ weights["F"]
    along = queries @ weights["W"].mT if "W" in weights else (queries @ weights["Q"]) @ weights["K"].mT
    logits = (tokens @ along.unsqueeze(-1)).squeeze(-1)
    mixed = Pool.apply(logits, tokens)
    if "hidden" in weights:
        inner = torch.relu(mixed @ weights["hidden"].mT + weights["hidden_bias"].unsqueeze(1))
        return along_vector(inner, weights["out"]) + weights["out_bias"], logits
    return along_vector(mixed, weights.get("v", v)), logits


def along_vector(x, v) -> torch.Tensor:
    """x_n·v of every run, (R, n). No matrix product, which rounds one run alone otherwise than several."""
    return (x * v.unsqueeze(1)).sum(-1)


def gradients(weights, v, tokens, queries, labels, relative: bool) -> dict[str, torch.Tensor]:
    """Of the mean of log(1 + exp(−Y f)) over the inputs of each run, by name.

    Args:
        relative: each run's divided by the slope of its input of least margin Y f: the direction stays, and does not
            vanish with the loss.
    """
    leaves = {name: value.detach().requires_grad_() for name, value in weights.items()}
    outputs, _ = forward(leaves, v, tokens, queries)
    margins = labels * outputs
    slopes = torch.nn.functional.logsigmoid(-margins.detach())
    if relative:
        slopes = slopes - slopes.amax(1, keepdim=True)
    loss = -(slopes.exp() * margins).sum() / labels.shape[1]
    return dict(zip(leaves, torch.autograd.grad(loss, list(leaves.values())), strict=True))
