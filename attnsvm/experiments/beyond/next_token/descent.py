"""Train W as published and by the split rule under both losses, and (K, Q) by the split rule.

Steps of one length along the whole gradient keep crossing W_fin, half a step to either side, and the part that falls
like δ is lost against the other part. In split descent the part inside takes plain steps, and the part outside takes
steps of length η in its exact direction, orthogonal to the equalities.
"""

import numpy as np

from attnsvm.experiments.beyond.next_token.data import NextToken
from attnsvm.experiments.beyond.next_token.finite import finite_part
from attnsvm.experiments.beyond.next_token.model import LOSSES, inside, loss, outside, slope, whole
from attnsvm.experiments.beyond.next_token.problems import token_numbers
from attnsvm.training.log import logarithmic_steps
from attnsvm.training.start import factored_weights
from attnsvm.training.tape.node import Node
from attnsvm.training.tape.scaled import power_of_two


def descent(problems, settings, progress):
    progress.expect(len(problems))
    data = NextToken.of(*token_numbers(problems))
    rate, steps = settings["learning_rate"], logarithmic_steps(settings["steps"], settings["points"])
    own = {"nll": (settings["global_rate"], settings["global_steps"])}
    own["squared"] = settings["local_rate"], settings["local_steps"]
    found = {"published": {}, "split": {}, "finite": {}}
    for name in LOSSES:
        theirs = logarithmic_steps(own[name][1], settings["points"])
        found["published"][name] = {"steps": theirs, "weights": published(data, name, own[name][0], theirs)}
        found["split"][name] = {"steps": steps, "weights": split(data, name, rate, steps)}
        W, exists = finite_part(data, name)
        found["finite"][name] = {"W": W, "exists": exists}
    factors = factored_weights(problems.seeds, problems.head.shape[2], "uniform")
    steps = logarithmic_steps(settings["factored_steps"], settings["points"])
    found["factored"] = {"steps": steps, "weights": split_factors(data, *factors, "nll", rate, steps)}
    progress(len(problems))
    return found | {"basis": data.basis}


def published(data: NextToken, name: str, rate: float, steps: np.ndarray) -> np.ndarray:
    """W (S, L, d, d) after the numbers of updates `steps` (L,), rising, from zero: W ← W − η ∇L/‖∇L‖, in float64.

    Args:
        data: what to learn.
        name: one of `LOSSES`.
        rate: η.
    """
    model, inputs = loss(name), _nodes(whole(data))
    theta, kept = np.zeros(data.equal.shape), []
    for step in range(steps[-1] + 1):
        if step == steps[len(kept)]:
            kept.append(theta)
        gradient = slope(model, theta, inputs).value()[..., 0]
        theta = theta - rate * _unit(gradient) * gradient
    return data.matrices(np.stack(kept, 1))


def split(data: NextToken, name: str, rate: float, steps: np.ndarray, inner: float = 1.0) -> np.ndarray:
    """W (S, L, d, d) after the numbers of updates `steps` (L,), rising, from zero.

    Args:
        data: what to learn.
        name: one of `LOSSES`.
        rate: η, the length of a step outside the components.
        inner: the rate of the plain steps inside.
    """
    parts = Parts(data, name)
    theta, kept = np.zeros(data.equal.shape), []
    for step in range(steps[-1] + 1):
        if step == steps[len(kept)]:
            kept.append(theta)
        within, beyond = parts(theta)
        theta = theta - (inner * within + rate * _unit(beyond) * beyond)
    return data.matrices(np.stack(kept, 1))


def split_factors(
    data: NextToken, K: np.ndarray, Q: np.ndarray, name: str, rate: float, steps: np.ndarray, inner: float = 1.0
) -> np.ndarray:
    """K Qᵀ (S, L, d, d), trained from K and Q (S, d, m) as W in `split`; both factors by their joint norm."""
    parts, kept = Parts(data, name), []
    for step in range(steps[-1] + 1):
        W = K @ Q.mT
        if step == steps[len(kept)]:
            kept.append(W)
        within, beyond = np.moveaxis(data.matrices(np.stack(parts(data.coordinates(W)), 1)), 1, 0)
        size = (K * K).sum((1, 2), keepdims=True) + (Q * Q).sum((1, 2), keepdims=True)
        along_K, along_Q = beyond @ Q, beyond.mT @ K
        # Steps that shrink as the factors grow: W moves by η at most, and what is inside can follow.
        length = rate * _unit(np.concatenate([along_K, along_Q], 1)) / np.sqrt(size)
        plain = inner / size  # so that W moves by at most inner·‖G‖
        K, Q = K - (plain * (within @ Q) + length * along_K), Q - (plain * (within.mT @ K) + length * along_Q)
    return np.stack(kept, 1)


class Parts:
    """The two parts of the gradient, of one loss on all data sets."""

    def __init__(self, data: NextToken, name: str):
        self.model, self.beyond = loss(name), 1.0 - data.equal
        both = inside(data), outside(data)
        self.inputs = _nodes({name: np.concatenate([part[name] for part in both]) for name in both[0]})

    def __call__(self, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """That inside the components, and that outside, without its size: a positive multiple, (S, r) each."""
        S = len(theta)
        m, k, _ = slope(self.model, np.concatenate([theta, theta]), self.inputs).summed()
        k[S:] -= k[S:].max(1, keepdims=True)
        m = m * power_of_two(k)
        return m[:S, :, 0], m[S:, :, 0] * self.beyond


def _nodes(arrays: dict[str, np.ndarray]) -> dict[str, Node]:
    return {name: Node(array) for name, array in arrays.items()}


def _unit(x: np.ndarray) -> np.ndarray:
    """1/‖x‖ for each of x (S, ...), zero where x is zero, with axes of length one behind."""
    size = np.sqrt(np.square(x.reshape(len(x), -1)).sum(1)).reshape(-1, *(1,) * (x.ndim - 1))
    return np.divide(1.0, size, out=np.zeros(size.shape), where=size > 0.0)
