"""Softmax regression on the right answers: the control that the max-margin solution has to beat."""

import numpy as np
from scipy.optimize import minimize

from attnsvm.analysis.trees import stacked
from attnsvm.experiments.real.known_answers.asked import Asked, asked, right, sizes

STEPS, GRADIENT = 1500, 1e-7  # default tolerances end long before the least loss, at solutions that predict better


def descent(problems, settings, progress):
    found = []
    for s in range(len(problems)):
        fit, held = asked(problems, s)
        few = sizes(problems, s, settings)
        found.append({str(n): _regressions(fit.of_reactions(n), held, settings["ridges"]) for n in few})
        progress(1)
    return stacked(found)


def _regressions(fit, held, ridges):
    """{ridge: {quantity: array}}."""
    found = {}
    for ridge in ridges:
        W, slope = regression(fit, ridge)
        found[f"{ridge:g}"] = {"right": right(held.selections(W), held.answer), "slope": np.array(slope)}
    return found


def regression(fit: Asked, ridge: float) -> tuple[np.ndarray, float]:
    """The W of least mean log-loss + ½ ridge ‖W‖², tokens and queries having mean square length one; its slope.

    The slope is the largest entry of the gradient. W (d, e) is for tokens and queries of their own length.
    """
    scales = [np.sqrt((X**2).sum(1).mean()) for X in (fit.tokens, fit.queries)]
    X, Z = fit.tokens / scales[0], fit.queries / scales[1]
    bounds = np.searchsorted(fit.reaction, np.unique(fit.reaction))
    parts = np.split(np.arange(len(fit)), bounds[1:])
    shape = X.shape[1], Z.shape[1]

    def loss(flat):
        W = flat.reshape(shape)
        directions = Z @ W.T
        total, slope = 0.5 * ridge * (W * W).sum(), np.zeros((len(Z), shape[0]))
        for rows in parts:
            a, T = fit.first[rows[0]], fit.counts[rows[0]]
            logits = directions[rows] @ X[a : a + T].T
            logits -= logits.max(1, keepdims=True)
            every, answers = np.arange(len(rows)), fit.answer[rows]
            chances = np.exp(logits)
            sums = chances.sum(1, keepdims=True)
            total += (np.log(sums[:, 0]) - logits[every, answers]).sum() / len(Z)
            chances /= sums
            chances[every, answers] -= 1
            slope[rows] = chances @ X[a : a + T]
        return total, (slope.T @ Z / len(Z) + ridge * W).ravel()

    options = {"maxiter": STEPS, "maxfun": 2 * STEPS, "gtol": GRADIENT, "ftol": 0.0, "maxcor": 20}
    found = minimize(loss, np.zeros(shape[0] * shape[1]), jac=True, method="L-BFGS-B", options=options)
    return found.x.reshape(shape) / (scales[0] * scales[1]), float(np.abs(found.jac).max())
