"""Plain gradient descent on p and v together, from zero: after two steps, and after many."""

import numpy as np

from attnsvm.experiments.literature.benign.layer import SIGNS, parts


def descent(problems, settings, progress):
    multiples, kept = np.array(settings["multiples"]), np.array([2, settings["steps"]])
    true, _, noise, length = parts(problems.tokens, problems.labels)
    S, n, M = *problems.labels.shape, len(multiples)
    progress.expect(S * M)
    v, p = np.empty((S, M, len(kept), n + 2)), np.empty((S, M, len(kept), n + 2))
    for i in range(S):
        data = noise[i], true[i], problems.labels[i], length[i] * multiples[:, None]
        for k, weights in enumerate(descend(*data, settings["rate"], kept)):
            v[i, :, k], p[i, :, k] = weights
        progress(M)
    return {"multiples": multiples, "steps": kept, "v": v, "p": p}


def descend(noise, true, labels, lengths, rate, kept):
    """v and p, (M, 2 + m) each, after each of the steps `kept`, on the logistic loss.

    Args:
        noise: (n, m) the noise tokens; true: (n,) the classes; labels: (n,).
        lengths: (M, 1) of the signal: M runs on the same inputs.
    """
    shape = len(lengths), noise.shape[1] + 2
    v, p, of_class = np.zeros(shape), np.zeros(shape), true == np.arange(len(SIGNS))[:, None]
    for step in range(1, kept[-1] + 1):
        signal, other = (lengths * w[:, true] for w in (v, p)), (w[:, 2:] @ noise.T for w in (v, p))
        (at_signal, to_signal), (at_noise, to_noise) = signal, other
        share = 0.5 + 0.5 * np.tanh(0.5 * (to_signal - to_noise))
        pull = labels * falling(labels * (share * at_signal + (1.0 - share) * at_noise)) / len(labels)
        v = v + rate * combined(pull * share, pull * (1.0 - share), noise, of_class, lengths)
        turn = pull * share * (1.0 - share) * (at_signal - at_noise)
        p = p + rate * combined(turn, -turn, noise, of_class, lengths)
        if step in kept:
            yield v, p


def falling(margin: np.ndarray) -> np.ndarray:
    """1/(1 + exp(margin)), minus the derivative of the logistic loss."""
    return 0.5 - 0.5 * np.tanh(0.5 * margin)


def combined(signal, other, noise, of_class, lengths):
    """Σ_i signal_i μ_i + other_i ξ_i, (M, 2 + m), for coefficients (M, n)."""
    return np.concatenate([lengths * (signal @ of_class.T), other @ noise], axis=1)
