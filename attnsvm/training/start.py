"""The weights at which descent starts: drawn from the instance's seed, zero, or given."""

from collections.abc import Callable

import numpy as np

from attnsvm.data.streams import Streams

INITIALISATION_STREAM = 20308  # keeps initialisations apart from the data drawn with the same seed


def draw_initial(name: str, seeds: np.ndarray, draw: Callable[[Streams], np.ndarray]) -> np.ndarray:
    """`draw` from one independent stream per (parametrisation, seed), (S, ...).

    The official code leaves initialisations unseeded. Float32 draws, then float64, as there.
    """
    entropies = ([INITIALISATION_STREAM, *name.encode(), seed] for seed in seeds.tolist())
    states = [int(np.random.SeedSequence(entropy).generate_state(1, np.uint64)[0] >> 1) for entropy in entropies]
    return draw(Streams(np.array(states, dtype=np.int64))).astype(np.float64)


def uniform(shape: tuple[int, ...], d: int) -> Callable[[Streams], np.ndarray]:
    """U(−1/√d, 1/√d) entries, the default of the official code's `nn.Linear` layers."""
    return lambda streams: (streams.uniform(*shape) * 2 - 1) * np.float32(d**-0.5)


def normal(shape: tuple[int, ...]) -> Callable[[Streams], np.ndarray]:
    """N(0, 1) entries."""
    return lambda streams: streams.normal(*shape)


def full_weights(seeds: np.ndarray, d: int, start: str | np.ndarray, m: int | None = None) -> tuple[np.ndarray]:
    """W (S, d, d): U(−1/√d, 1/√d) entries, zero, or as given."""
    if not isinstance(start, str):
        return (start,)
    _check(start)
    return (np.zeros((len(seeds), d, d)) if start == "zero" else draw_initial("W", seeds, uniform((d, d), d)),)


def factored_weights(
    seeds: np.ndarray, d: int, start: str | tuple[np.ndarray, np.ndarray], m: int | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """K and Q (S, d, m), both from U(−1/√d, 1/√d), or Q = 0 and K = 0.1·N(0, 1), or as given."""
    if isinstance(start, tuple):
        return start
    if not isinstance(start, str):
        raise ValueError("start: expected 'uniform', 'zero' or a pair (K, Q) for (K, Q), got one array of weights")
    _check(start)
    m = d if m is None else m
    if start == "zero":
        K = 0.1 * draw_initial("KQ", seeds, normal((d, m)))
        return K, np.zeros_like(K)
    K, Q = np.moveaxis(draw_initial("KQ", seeds, uniform((2, d, m), d)), 1, 0)
    return K, Q


def _check(start: str) -> None:
    if start not in ("uniform", "zero"):
        raise ValueError(f"start: expected 'uniform' or 'zero', got {start!r}")


PARAMETRISATIONS = {"W": full_weights, "KQ": factored_weights}
