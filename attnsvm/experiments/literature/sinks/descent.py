"""Factors of W and V trained by Adam on the trigger task, softmax and ReLU; and the regularisation path of W alone."""

import numpy as np
from scipy.optimize import minimize

from attnsvm.experiments.literature.sinks.layer import ATTENTIONS, FIRST, attend, loss_and_gradients, sequences, targets
from attnsvm.training.start import draw_initial, normal

BETAS, TINY = (0.9, 0.95), 1e-8  # as published
STREAM = 11488  # of new batches


def descent(problems, settings, progress):
    published = bool(len(problems)) and problems.labels[0, 0] < 0
    progress.expect((len(ATTENTIONS) + (not published)) * len(problems))
    x, levels, trained = problems.tokens, np.array(settings["decays"]), {}
    start = settings["spread"] * draw_initial("sinks", problems.seeds, normal((4, *problems.head.shape[1:])))
    if published:
        return {"adam": as_published(problems, start, settings, progress)}
    for attention in ATTENTIONS:
        W, V = adam(x, np.moveaxis(start, 1, 0), attention, settings["rate"], settings["steps"])
        trained[attention] = {"W": W, "V": V}
        progress(len(problems))
    fixed = bool((x[:, :, 0, FIRST] == 1.0).all())
    paths = np.zeros((len(x), len(levels), *problems.head.shape[1:]))
    for i, one in enumerate(zip(x, problems.head, strict=True)):
        if fixed:  # there is no solution to go to otherwise
            paths[i] = path(*one, levels, settings["iterations"])
        progress(1)
    return {"adam": trained, "decays": levels, "path": paths}


def adam(x, factors, attention, rate, steps):
    """W = KᵀQ and V = OU (S, d, d) after updates of `factors` K, Q, O, U, (4, S, d, d), on all sequences x.

    The rate falls to zero along a cosine.
    """
    y, memories = targets(x), (np.zeros_like(factors), np.zeros_like(factors))
    for step in range(1, steps + 1):
        slope = slopes(x, y, factors, attention)
        now = 0.5 * rate * (1.0 + np.cos(np.pi * (step - 1) / steps))
        factors, memories = moved(factors, slope, memories, now, step)
    return product(factors)


def slopes(x, y, factors, attention):
    """The gradient in K, Q, O and U, (4, S, d, d)."""
    key, query, out, value = factors
    _, to_W, to_V = loss_and_gradients(x, y, *product(factors), attention)
    return np.stack([query @ to_W.mT, key @ to_W, to_V @ value.mT, out.mT @ to_V])


def moved(factors, slope, memories, rate, step):
    """The factors and memories of Adam after step number `step`."""
    first, second = (b * old + (1.0 - b) * new for b, old, new in zip(BETAS, memories, (slope, slope**2), strict=True))
    size = np.sqrt(second / (1.0 - BETAS[1] ** step)) + TINY
    return factors - rate * first / (1.0 - BETAS[0] ** step) / size, (first, second)


def product(factors):
    """W = KᵀQ and V = OU."""
    key, query, out, value = factors
    return key.mT @ query, out @ value


def as_published(problems, start, settings, progress):
    """Adam at one rate on new batches, each seed until no entry of a batch is wrong by more than the published limit.

    By attention W and V (S, d, d) and the number of updates, "steps" (S,).
    """
    size, ended = problems.tokens.shape[1:], {}
    for attention in ATTENTIONS:
        found = []
        for seed, one in zip(problems.seeds, start, strict=True):
            stream, factors = np.random.default_rng([STREAM, seed]), one[:, None]
            memories = np.zeros_like(factors), np.zeros_like(factors)
            for step in range(1, settings["published_steps"] + 1):
                x = sequences(stream, *size, least=settings["noise"])[None]
                y = targets(x)
                W, V = product(factors)
                wrong = np.abs(attend(x, W, attention) @ (x @ V.mT[:, None]) - y).max()
                factors, memories = moved(
                    factors, slopes(x, y, factors, attention), memories, settings["published_rate"], step
                )
                if wrong < settings["published_limit"]:
                    break
            found.append((*(weights[0] for weights in product(factors)), step))
            progress(1)
        ended[attention] = {
            name: np.array(of) for name, of in zip(("W", "V", "steps"), zip(*found, strict=True), strict=True)
        }
    return ended


def path(x, V, levels, iterations):
    """The minimisers W (K, d, d) of loss + ½λ‖W‖² for falling λ, each from the one before; x (n, T, d), V kept.

    The logarithm of that sum is what L-BFGS is given: it falls by as much for every λ.
    """
    y, shape = targets(x), V.shape
    W, found = np.zeros(V.size), []
    for decay in levels:

        def logarithm(flat, decay=decay):
            loss, slope, _ = loss_and_gradients(x[None], y[None], flat.reshape(1, *shape), V[None], "softmax")
            total = loss[0] + 0.5 * decay * (flat @ flat)
            return np.log(total), (slope.ravel() + decay * flat) / total

        W = minimize(logarithm, W, jac=True, method="L-BFGS-B", options={"maxiter": iterations, "ftol": 1e-15}).x
        W = at_rest(x, y, W, V, decay).ravel()
        found.append(W.reshape(shape))
    return np.array(found)


MOST, REST, HALVINGS = 60, 1e-9, 20  # Newton steps; where they end; how often a step is halved until the slope falls
DIFFERENCE = 1e-4  # of an entry of W: logits change by as little, and their second derivatives by its square


def at_rest(x, y, W, V, decay) -> np.ndarray:
    """Where loss + ½λ‖W‖² has no slope, (d, d), by Newton steps from W: L-BFGS sees a sum that rounding has ended.

    The second derivatives are central differences of the gradient.
    """

    def slopes(points):
        same = [np.broadcast_to(one, (len(points), *one.shape)) for one in (x, y, V)]
        _, found, _ = loss_and_gradients(*same[:2], points.reshape(-1, *V.shape), same[2], "softmax")
        return found.reshape(len(points), -1) + decay * points.reshape(len(points), -1)

    now, units = W.ravel(), DIFFERENCE * np.eye(W.size)
    slope = slopes(now[None])[0]
    for _ in range(MOST):
        if np.linalg.norm(slope) <= REST * decay * np.linalg.norm(now):
            break
        curvature = (slopes(now + units) - slopes(now - units)) / (2.0 * DIFFERENCE)
        step = np.linalg.lstsq(0.5 * (curvature + curvature.T), slope)[0]
        for shorter in 0.5 ** np.arange(HALVINGS):
            tried = slopes((now - shorter * step)[None])[0]
            if np.linalg.norm(tried) < np.linalg.norm(slope):
                break
        else:
            break
        now, slope = now - shorter * step, tried
    return now.reshape(V.shape)
