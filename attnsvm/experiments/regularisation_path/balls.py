"""The regularisation path: argmin L(W) over a ball ‖W‖ ≤ R, for a linear head, in the Frobenius and the nuclear norm.

At large R the loss differs from its infimum by e^−R and less. What is minimised is therefore the logarithm of that
difference, computed without cancellation: F(W) = log(L(W) − L*), L* the loss when every input attends to its optimal
token alone. It has the same minimisers, and its gradient never underflows.

The Frobenius sphere is W = R·U/‖U‖; the nuclear ball is W = K Qᵀ with ‖K‖² + ‖Q‖² ≤ 2R, whose boundary is a sphere too
(Srebro, Rennie and Jaakkola, NIPS 2004). On either, L-BFGS from several starts; the best end wins.
"""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_expit, log_softmax, logsumexp

from attnsvm import norms

ITERATIONS = 2000
AGREE = 1e-6  # relative difference in log(L − L*) up to which two ends count as the same


@dataclass(frozen=True)
class Ball:
    """The best W found on the ball of a radius.

    Attributes:
        W: (d, d).
        log_excess: log(L(W) − L*).
        gap: (R‖∇F‖_dual + ⟨∇F, W⟩) / (R‖∇F‖_dual), the relative Frank–Wolfe gap: zero exactly at a point that meets the
            first-order conditions of the ball.
        agreeing: share of the starts that ended at this log_excess.
    """

    W: np.ndarray
    log_excess: float
    gap: float
    agreeing: float


class Excess:
    """F(W) = log(L(W) − L*) of one instance.

    Args:
        tokens: (n, T, d); queries: (n, d); labels: (n,); v: (d,).

    Raises:
        ValueError: an input's best score is reached by all its tokens: attention makes no difference to it.
    """

    def __init__(self, tokens, queries, labels, v):
        score = (tokens @ v) * labels[:, None]
        rows = np.arange(len(score))
        best = score.argmax(1)
        self.tokens, self.queries = tokens, queries
        with np.errstate(divide="ignore"):
            self.log_loss_of = np.log(score[rows, best][:, None] - score)  # −∞ at the optimal token
        if not np.isfinite(self.log_loss_of).any(1).all():
            raise ValueError("scores: expected a token below the best of its input, got an input of equal scores")
        self.log_slope = log_expit(-score[rows, best])
        self.lowest = np.logaddexp(0.0, -score[rows, best]).mean()

    def __call__(self, W: np.ndarray) -> tuple[float, np.ndarray]:
        """F and its gradient (d, d)."""
        log_p = log_softmax((self.tokens @ (self.queries @ W.T)[:, :, None])[..., 0], axis=1)
        shares = log_p + self.log_loss_of
        log_delta = logsumexp(shares, axis=1)  # of what each input's output lacks to its best score
        delta, slope = np.exp(log_delta), np.exp(self.log_slope)
        excess = np.log1p(slope * np.expm1(delta))
        tiny = delta < 1e-12
        logs = np.where(tiny, self.log_slope + log_delta, np.log(np.where(tiny, 1.0, excess)))
        rate = np.where(
            tiny, 1.0, slope * np.exp(delta) * delta / ((1 + slope * np.expm1(delta)) * np.where(tiny, 1.0, excess))
        )
        total = logsumexp(logs)
        by_logit = (np.exp(logs - total) * rate)[:, None] * (np.exp(shares - log_delta[:, None]) - np.exp(log_p))
        mixed = (by_logit[:, None, :] @ self.tokens)[:, 0]
        return total - np.log(len(logs)), mixed.T @ self.queries


def least_on_ball(excess: Excess, norm: str, radius: float, starts: list[np.ndarray]) -> Ball:
    """Minimise over ‖W‖ = radius, "fro" or "nuc", from each W of `starts` (of any size).

    Where the least loss lies inside the ball, which takes data without a separator, the gap says so: it is above one.
    """
    descend = {"fro": _on_sphere, "nuc": _on_factors}[norm]
    ends = [descend(excess, radius, start) for start in starts]
    values = np.array([excess(W)[0] for W in ends])
    best = values.argmin()
    W, value = ends[best], values[best]
    gradient = excess(W)[1]
    steepest = radius * float(norms.get(norm).dual(gradient))
    agreeing = (values <= value + AGREE * max(1.0, abs(value))).mean()
    return Ball(W, float(value), (steepest + (gradient * W).sum()) / steepest, float(agreeing))


def path(excess: Excess, norm: str, radii: np.ndarray, directions: list[np.ndarray]) -> list[Ball]:
    """The best W for each of the rising `radii`, from `directions` (d, d) and, up and down the path, its neighbours."""
    found: list[Ball] = []
    for radius in radii:
        found.append(least_on_ball(excess, norm, radius, [*directions, *(ball.W for ball in found[-1:])]))
    for k in range(len(radii) - 2, -1, -1):
        down = least_on_ball(excess, norm, radii[k], [found[k].W, found[k + 1].W])
        if down.log_excess < found[k].log_excess - AGREE * abs(found[k].log_excess):
            found[k] = down
    return found


def _lbfgs(function, start):
    options = {"maxiter": ITERATIONS, "maxfun": 2 * ITERATIONS, "maxcor": 20, "ftol": 1e-15, "gtol": 1e-10}
    return minimize(function, start, jac=True, method="L-BFGS-B", options=options).x


def _on_sphere(excess, radius, start):
    d = start.shape[0]

    def function(u):
        size = np.linalg.norm(u)
        value, gradient = excess(radius / size * u.reshape(d, d))
        gradient = radius / size * gradient.ravel()
        return value, gradient - u * (u @ gradient) / size**2

    u = _lbfgs(function, start.ravel() / np.linalg.norm(start))
    return radius * u.reshape(d, d) / np.linalg.norm(u)


def _on_factors(excess, radius, start):
    d = start.shape[0]
    U, sigma, Vt = np.linalg.svd(start)
    root = np.sqrt(sigma / sigma.sum())
    # Singular directions of size zero are a stationary point of the factors: leave them a little.
    root = np.maximum(root, 1e-3)
    factors = np.concatenate([U * root, Vt.T * root])

    def function(x):
        size = x @ x / 2
        K, Q = x.reshape(2, d, d)
        value, gradient = excess(radius / size * K @ Q.T)
        along = np.concatenate([(gradient @ Q).ravel(), (gradient.T @ K).ravel()]) * (radius / size)
        return value, along - x * (x @ along) / (2 * size)

    x = _lbfgs(function, factors.ravel())
    K, Q = x.reshape(2, d, d)
    return radius / (x @ x / 2) * K @ Q.T
