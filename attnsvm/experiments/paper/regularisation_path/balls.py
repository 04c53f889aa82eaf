"""The regularisation path: argmin L(W) over a ball ‖W‖ ≤ R, for a linear head, in the Frobenius and the nuclear norm.

At large R the loss differs from its infimum by e^−R and less. What is minimised is therefore the logarithm of that
difference, computed without cancellation: F(W) = log(L(W) − L*), L* the loss when every input attends to its optimal
token alone. It has the same minimisers, and its gradient never underflows.

The Frobenius sphere is W = R·U/‖U‖; the nuclear ball is W = K Qᵀ with ‖K‖² + ‖Q‖² ≤ 2R, whose boundary is a sphere too
(Srebro, Rennie and Jaakkola, NIPS 2004). On both spheres L-BFGS runs from several starts, and the best end wins. All
starts of all instances descend together.
"""

from dataclasses import dataclass, fields

import numpy as np
from scipy.special import log_expit, log_softmax, logsumexp

from attnsvm import geometry
from attnsvm.experiments.paper.regularisation_path.lockstep import minimise

AGREE = 1e-6  # relative difference in log(L − L*) up to which two ends count as the same
STOP = {"iterations": 2000, "ftol": 1e-15, "gtol": 1e-10}


@dataclass(frozen=True)
class Balls:
    """The best W found on the ball of a radius, for S instances.

    Attributes:
        W: (S, d, d).
        log_excess: (S,), log(L(W) − L*).
        gap: (S,), (R‖∇F‖_dual + ⟨∇F, W⟩) / (R‖∇F‖_dual), the relative Frank–Wolfe gap: zero exactly at a point that
            meets the first-order conditions of the ball.
        agreeing: (S,), share of the starts that ended at this log_excess.
    """

    W: np.ndarray
    log_excess: np.ndarray
    gap: np.ndarray
    agreeing: np.ndarray


class Excess:
    """F(W) = log(L(W) − L*) of one instance, or of a batch: all arrays may have leading axes.

    Args:
        tokens: (..., n, T, d); queries: (..., n, d); labels: (..., n); v: (..., d).

    Raises:
        ValueError: an input's best score is reached by all its tokens: attention makes no difference to it.
    """

    def __init__(self, tokens, queries, labels, v):
        score = (tokens @ v[..., None, :, None])[..., 0] * labels[..., None]
        highest = score.max(-1)
        with np.errstate(divide="ignore"):
            log_loss_of = np.log(highest[..., None] - score)  # −∞ at the optimal token
        if not np.isfinite(log_loss_of).any(-1).all():
            raise ValueError("scores: expected a token below the best of its input, got an input of equal scores")
        self.arrays = tokens, queries, log_loss_of, log_expit(-highest)
        self.lowest = np.logaddexp(0.0, -highest).mean(-1)

    def __getitem__(self, index) -> "Excess":
        """The instances at `index` of a batch, in that order, one as often as it is named."""
        some = object.__new__(Excess)
        some.arrays, some.lowest = tuple(x[index] for x in self.arrays), self.lowest[index]
        return some

    def __call__(self, W: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """F (...) and its gradient (..., d, d) at W (..., d, d)."""
        tokens, queries, log_loss_of, log_slope = self.arrays
        log_p = log_softmax((tokens @ (queries @ W.mT)[..., None])[..., 0], axis=-1)
        shares = log_p + log_loss_of
        log_delta = logsumexp(shares, axis=-1)  # of what each input's output lacks to its best score
        delta, slope = np.exp(log_delta), np.exp(log_slope)
        excess = np.log1p(slope * np.expm1(delta))
        tiny = delta < 1e-12
        logs = np.where(tiny, log_slope + log_delta, np.log(np.where(tiny, 1.0, excess)))
        rate = np.where(
            tiny, 1.0, slope * np.exp(delta) * delta / ((1 + slope * np.expm1(delta)) * np.where(tiny, 1.0, excess))
        )
        total = logsumexp(logs, axis=-1)
        weight = np.exp(logs - total[..., None]) * rate
        by_logit = weight[..., None] * (np.exp(shares - log_delta[..., None]) - np.exp(log_p))
        mixed = (by_logit[..., None, :] @ tokens)[..., 0, :]
        return total - np.log(logs.shape[-1]), mixed.mT @ queries


def least_on_ball(excess: Excess, norm: str, radius: float, starts: list[list[np.ndarray]]) -> Balls:
    """Minimise over ‖W‖ = radius, "fro" or "nuc", from each W of `starts` (of any size), at least one per instance.

    Without a separator the least loss may lie inside the ball; then the gap is above one.
    """
    descend = {"fro": _on_sphere, "nuc": _on_factors}[norm]
    owner = np.repeat(np.arange(len(starts)), [len(own) for own in starts])
    ends = descend(excess, radius, np.array([start for own in starts for start in own]), owner)
    values = excess[owner](ends)[0]
    best = np.array([np.flatnonzero(owner == s)[values[owner == s].argmin()] for s in range(len(starts))])
    W, value = ends[best], values[best]
    gradient = excess(W)[1]
    steepest = radius * geometry.get(norm).dual(gradient)
    same = values <= (value + AGREE * np.maximum(1.0, np.abs(value)))[owner]
    gap = (steepest + (gradient * W).sum((1, 2))) / steepest
    return Balls(W, value, gap, np.bincount(owner, same) / np.bincount(owner))


def path(excess: Excess, norm: str, radii: np.ndarray, directions: list[list[np.ndarray]]) -> Balls:
    """The best W (S, points, d, d) for each of the rising `radii`, and what Balls says of each, (S, points).

    Each instance starts from its `directions` (d, d) and, up and down the path, from its neighbours.
    """
    found: list[Balls] = []
    for radius in radii:
        neighbours = [[W] for W in found[-1].W] if found else [[] for _ in directions]
        starts = [[*own, *neighbour] for own, neighbour in zip(directions, neighbours, strict=True)]
        found.append(least_on_ball(excess, norm, radius, starts))
    for k in range(len(radii) - 2, -1, -1):
        down = least_on_ball(excess, norm, radii[k], list(map(list, zip(found[k].W, found[k + 1].W, strict=True))))
        lower = down.log_excess < found[k].log_excess - AGREE * np.abs(found[k].log_excess)
        for kept, new in zip(vars(found[k]).values(), vars(down).values(), strict=True):
            kept[lower] = new[lower]
    return Balls(*(np.stack([getattr(balls, field.name) for balls in found], 1) for field in fields(Balls)))


def _on_sphere(excess, radius, starts, owner):
    B, d, _ = starts.shape
    flat = starts.reshape(B, -1)

    def function(which):
        here = excess[owner[which]]

        def evaluate(u):
            size = _length(u)
            value, gradient = here((radius / size * u).reshape(-1, d, d))
            gradient = radius / size * gradient.reshape(-1, d * d)
            return value, gradient - u * np.vecdot(u, gradient)[:, None] / _square(size)

        return evaluate

    u = minimise(function, flat / _length(flat), **STOP)
    return (radius * u / _length(u)).reshape(-1, d, d)


def _on_factors(excess, radius, starts, owner):
    B, d, _ = starts.shape
    U, sigma, Vt = np.linalg.svd(starts)
    root = np.sqrt(sigma / sigma.sum(-1, keepdims=True))
    # Singular directions of size zero are a stationary point of the factors: leave them a little.
    root = np.maximum(root, 1e-3)[:, None]
    factors = np.concatenate([U * root, Vt.mT * root], axis=1)

    def product(x):
        K, Q = np.moveaxis(x.reshape(-1, 2, d, d), 1, 0)
        size = np.vecdot(x, x)[:, None] / 2
        return K, Q, size, (radius / size)[..., None] * K @ Q.mT

    def function(which):
        here = excess[owner[which]]

        def evaluate(x):
            K, Q, size, W = product(x)
            value, gradient = here(W)
            along = np.concatenate([gradient @ Q, gradient.mT @ K], axis=1).reshape(x.shape) * (radius / size)
            return value, along - x * np.vecdot(x, along)[:, None] / (2 * size)

        return evaluate

    return product(minimise(function, factors.reshape(B, -1), **STOP))[-1]


def _length(x: np.ndarray) -> np.ndarray:
    return np.sqrt(np.vecdot(x, x))[:, None]


def _square(x: np.ndarray) -> np.ndarray:
    """x², rounded as `x**2` rounds one number. For an array, `x**2` rounds one entry in a thousand differently."""
    return np.float_power(x, 2)
