"""Plain gradient descent on W and p with the head kept, from random W and p = 0, as the public code does it.

The gradient of W has its columns in the span of the tokens, that of p in the span of W₀ᵀ times the tokens. Outside of
these W stays, and p is zero. So descent on coordinates of both spans is descent itself; W₀ there is the factor of an LQ
decomposition, drawn as such, of Gaussian entries with the variance 1/(3d) of the code's uniform ones.
"""

import numpy as np

from attnsvm.analysis.probabilities import softmax
from attnsvm.data.bartlett import lower
from attnsvm.experiments.literature.benign_selection.layer import classes, with_signals

STREAM = 24091  # of the first W


def descent(problems, settings, progress):
    sizes, kept = np.array(settings["sizes"]), np.array(settings["kept"])
    S, n, _, k = problems.tokens.shape
    runs = [(settings["published_rate"], settings["published_size"]), *((settings["rate"], size) for size in sizes)]
    progress.expect(S * len(runs))
    found = {name: np.empty((S, len(runs), len(kept), k)) for name in ("u", "p")}
    for i, seed in enumerate(problems.seeds):
        W = lower(np.random.default_rng([STREAM, seed]), k, settings["d"]) / np.sqrt(3.0 * settings["d"])
        for r, (rate, size) in enumerate(runs):
            tokens = with_signals(problems.tokens[i], classes(n), size, settings["weak"])
            values = tokens @ problems.head[i] / size
            for j, (u, p) in enumerate(descend(tokens, values, problems.labels[i], W, rate, kept)):
                found["u"][i, r, j], found["p"][i, r, j] = u, p
            progress(1)
    rates, chosen = np.array(runs).T
    return found | {"at": kept * rates[:, None] / settings["published_rate"], "sizes": chosen}


def descend(tokens, values, labels, W, rate, kept):
    """W p and p after each of the steps `kept`, on the logistic loss.

    Args:
        tokens: (n, T, k); values: (n, T), what the head says of them; labels: (n,).
        W: (k, k) at the start; p starts at zero.
    """
    flat, W, p = tokens.reshape(-1, tokens.shape[-1]), W.copy(), np.zeros(len(W))
    moved = np.empty_like(W)
    if 0 in kept:
        yield p, p
    for step in range(1, max(kept) + 1):
        share = softmax((flat @ (W @ p)).reshape(values.shape))
        output = (share * values).sum(-1)
        pull = labels * (0.5 - 0.5 * np.tanh(0.5 * labels * output)) / len(labels)
        slope = (share * (values - output[:, None]) * pull[:, None]).ravel() @ flat
        before = rate * p
        p = p + rate * (slope @ W)
        W += np.multiply.outer(slope, before, out=moved)
        if step in kept:
            yield W @ p, p
