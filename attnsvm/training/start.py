"""The weights at which descent starts: drawn from the instance's seed, zero, or given."""

from collections.abc import Callable

import numpy as np
import torch

from attnsvm.training.steps import Rule
from attnsvm.training.weights import FactoredWeights, FullWeights

INITIALISATION_STREAM = 20308  # keeps initialisations apart from the data drawn with the same seed


def draw_initial(name: str, seeds: np.ndarray, draw_one: Callable) -> torch.Tensor:
    """`draw_one(generator)` once per seed, stacked: one independent stream per (parametrisation, seed).

    The official code leaves initialisations unseeded. Float32 draws, then float64, as there.
    """
    generator = torch.Generator()
    draws = []
    for seed in seeds.tolist():
        entropy = [INITIALISATION_STREAM, *name.encode(), seed]
        generator.manual_seed(int(np.random.SeedSequence(entropy).generate_state(1, np.uint64)[0] >> 1))
        draws.append(draw_one(generator))
    if not draws:
        return draw_one(generator).double()[None][:0]
    return torch.stack(draws).double()


def uniform(shape: tuple[int, ...], d: int) -> Callable:
    """U(−1/√d, 1/√d) entries, the default of the official code's `nn.Linear` layers."""
    return lambda generator: (torch.rand(shape, generator=generator) * 2 - 1) * d**-0.5


def normal(shape: tuple[int, ...]) -> Callable:
    """N(0, 1) entries."""
    return lambda generator: torch.randn(shape, generator=generator)


def full_weights(tokens, queries, seeds, start, rule: Rule, m: int | None = None) -> FullWeights:
    """W from U(−1/√d, 1/√d) entries, from zero, or as given."""
    if not isinstance(start, str):
        return FullWeights(tokens, queries, torch.from_numpy(start).to(tokens))
    _check(start)
    d = tokens.shape[-1]
    W = draw_initial("W", seeds, uniform((d, d), d)).to(tokens.device)
    return FullWeights(tokens, queries, torch.zeros_like(W) if start == "zero" else W)


def factored_weights(tokens, queries, seeds, start, rule: Rule, m: int | None = None) -> FactoredWeights:
    """(K, Q), both from U(−1/√d, 1/√d), or from Q = 0 and K = 0.1·N(0, 1); the rule's penalty."""
    if not isinstance(start, str):
        raise ValueError("start: expected 'uniform' or 'zero' for (K, Q), got an array of weights")
    _check(start)
    d = tokens.shape[-1]
    m = d if m is None else m
    if start == "zero":
        K = 0.1 * draw_initial("KQ", seeds, normal((d, m)))
        Q = torch.zeros_like(K)
    else:
        K, Q = draw_initial("KQ", seeds, uniform((2, d, m), d)).unbind(1)
    return FactoredWeights(tokens, queries, K.to(tokens.device), Q.to(tokens.device), rule.penalty)


def _check(start: str) -> None:
    if start not in ("uniform", "zero"):
        raise ValueError(f"start: expected 'uniform' or 'zero', got {start!r}")


PARAMETRISATIONS = {"W": full_weights, "KQ": factored_weights}
