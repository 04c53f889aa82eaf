"""W_fin: where the loss inside the components is least, by Newton from zero, in the span of the equalities."""

import numpy as np

from attnsvm.experiments.beyond.next_token.data import NextToken
from attnsvm.training.softmax import softmax

STEPS, ENDS, FLAT, LONGEST, HALVINGS = 100, 1e-9, 1e-12, 2.0, 60  # LONGEST: of a step
CURVED = 1e-6  # least curvature at a minimum that is not at infinity: shares of 1e-6 and less have none


def finite_part(data: NextToken, loss: str) -> tuple[np.ndarray, np.ndarray]:
    """W_fin (S, d, d), and whether it exists, (S,) bool.

    It is the minimiser of the loss inside the components, of least norm. Zero where a data set has no component of two
    tokens. (1 − u)² is not convex, and may be least at infinity: eigenvalues of the Hessian are taken by their size,
    steps are halved until the loss falls, and a minimum has to be curved.
    """
    theta, found = np.zeros(data.equal.shape), np.ones(len(data.equal), dtype=bool)
    for s in range(len(theta)):
        rank = int(data.equal[s].sum())
        if rank:
            rows = np.moveaxis(data.features[s, ..., :rank], -1, 0)  # the logits of each axis
            best, found[s] = _newton(rows, data.label[s], data.inside[s], loss == "squared")
            theta[s, :rank] = best if found[s] else 0.0
    return data.matrices(theta[:, None])[:, 0], found


def _newton(rows, label, inside, squared):
    """(coefficients of the rows, whether they are a curved minimum)."""
    theta = np.zeros(len(rows))
    value, gradient, hessian = _inside(theta, rows, label, inside, squared)
    for _ in range(STEPS):
        curvature, axes = np.linalg.eigh(hessian)
        step = axes @ ((axes.T @ gradient) / np.maximum(np.abs(curvature), FLAT))
        if np.linalg.norm(step) <= ENDS * (1 + np.linalg.norm(theta)):
            return theta - step, bool(curvature[0] > CURVED)
        step *= min(1.0, LONGEST / np.linalg.norm(step))
        for _ in range(HALVINGS):
            after = _inside(theta - step, rows, label, inside, squared)
            if after[0] <= value:
                break
            step = step / 2
        theta, (value, gradient, hessian) = theta - step, after
    return theta, False


def _inside(theta, rows, label, inside, squared):
    """The loss inside the components and its first two derivatives, from those of every log w."""
    p = softmax(np.where(inside, np.tensordot(theta, rows, 1), -np.inf)).p
    w, missing = (np.where(where, p, 0.0).sum(1) for where in (label, ~label))  # 1 − w would cancel
    q = np.where(label, p, 0.0) / w[:, None]  # the softmax among the label's places
    mean_p, mean_q = (np.einsum("nt,rnt->rn", weight, rows) for weight in (p, q))
    second = [np.einsum("nt,rnt,snt->rsn", weight, rows, rows) for weight in (p, q)]
    spread = [s - m[:, None] * m[None] for s, m in zip(second, (mean_p, mean_q), strict=True)]
    slope, curve = mean_q - mean_p, spread[1] - spread[0]
    if not squared:
        return -np.log(w).mean(), -slope.mean(-1), -curve.mean(-1)
    outer = slope[:, None] * slope[None]
    hessian = 2 * (w * w * outer - missing * w * (curve + outer)).mean(-1)
    return (missing**2).mean(), -2 * (missing * w * slope).mean(-1), hessian
