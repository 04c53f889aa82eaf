"""(K, Q) with weight decay, by plain descent and by the published normalised step."""

import numpy as np

from attnsvm.experiments.literature.decay.descent import FOLDS, SHRUNK, gradient
from attnsvm.training.start import factored_weights

POINTS = 21


def descent(problems, settings, progress):
    start = factored_weights(problems.seeds, problems.tokens.shape[-1], "uniform")
    kept, rate = np.linspace(0, settings["plain_steps"], POINTS).astype(int), settings["plain_rate"]
    progress.expect(5 * len(problems))
    plain, published = {"decay": settings["plain_decay"], "no decay": 0.0}, {}
    for name, decay in plain.items():
        way = updates(problems, *start, np.full(kept[-1], rate), decay, kept, divided=False)
        plain[name] = np.stack(way, 2)
        progress(len(problems))
    for name in ("falling", "constant", "without decay"):
        (K, Q), found = start, []
        for decay in settings["decays"]:
            lengths = falling(settings["learning_rate"], decay)
            lengths = lengths if name == "falling" else np.full(len(lengths), settings["learning_rate"])
            ((K, Q),) = updates(problems, K, Q, lengths, 0.0 if name == "without decay" else decay)
            found.append(K @ Q.mT)
        published[name] = np.stack(found, 1)
        progress(len(problems))
    time = 2.0 * rate * settings["plain_decay"] * kept
    decays = np.array(settings["decays"])
    return {"steps": kept, "time": time, "plain": plain, "decays": decays, "published": published}


def falling(longest: float, decay: float) -> np.ndarray:
    """The lengths of steps, as in the experiment decay."""
    full = np.minimum(longest, 2.0 / (decay * (1.0 + np.arange(np.ceil(FOLDS / (longest * decay))))))
    return np.append(full, np.geomspace(full[-1], SHRUNK * full[-1], len(full) // 3))


def updates(problems, K, Q, lengths, decay, kept=(), divided=True) -> list[tuple[np.ndarray, np.ndarray]]:
    """K and Q (S, d, d) before the steps kept and after the last one; decoupled decay."""
    found = []
    for step, length in enumerate(lengths):
        if step in kept:
            found.append((K, Q))
        G, log_factor = gradient(problems, K @ Q.mT)
        by_K, by_Q = G @ Q, G.mT @ K
        if divided:
            by_K, by_Q = (A / np.linalg.norm(A, axis=(1, 2), keepdims=True) for A in (by_K, by_Q))
        else:
            by_K, by_Q = np.exp(log_factor) * by_K, np.exp(log_factor) * by_Q
        K, Q = (1 - length * decay) * K - length * by_K, (1 - length * decay) * Q - length * by_Q
    return [*found, (K, Q)]
