"""What a batch of descent runs leaves behind, and at which steps."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np


class Runs:
    """What logs of a batch of runs have in common: `steps`, and arrays with the runs as their first axis."""

    def __getitem__(self, index) -> Self:
        """The runs at `index`; the steps stay."""
        return type(self)(**{k: v if k == "steps" else v[index] for k, v in vars(self).items()})

    def arrays(self, *names: str) -> dict[str, np.ndarray]:
        """The attributes called `names`, for a file."""
        return {name: getattr(self, name) for name in names}

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """The runs of all parts, which share their steps, in order."""
        columns = {k: np.concatenate([getattr(part, k) for part in parts]) for k in vars(parts[0]) if k != "steps"}
        return cls(**vars(parts[0]) | columns)


@dataclass(frozen=True)
class Log(Runs):
    """What a batch of S runs left behind. Step k means: after k updates. N is the number of queries of an instance.

    Attributes:
        steps: (L,) the logged steps.
        weights: (S, L, d, d), W or K Qᵀ at the logged steps.
        largest: (S, L), mean over the queries of the largest softmax probability, at the logged steps.
        loss: (S, L), the logistic loss without penalty.
        gradient_norm: (S, L), Frobenius norm of the gradient of the training objective, all factors together.
        probabilities: (S, N, T), the softmax after the last step.
    """

    steps: np.ndarray
    weights: np.ndarray
    largest: np.ndarray
    loss: np.ndarray
    gradient_norm: np.ndarray
    probabilities: np.ndarray

    def end(self) -> dict[str, np.ndarray]:
        """The weights (S, d, d) and probabilities (S, N, T) after the last step, for a file."""
        return {"weights": self.weights[:, -1], "probabilities": self.probabilities}


def logged_steps(steps: int, every: int | np.ndarray) -> np.ndarray:
    """Every `every`-th step counted back from the last one, so that the last is always logged."""
    steps, every = int(steps), int(every)  # small numbers of NumPy would overflow
    return np.arange(steps % every, steps + 1, every)


def logarithmic_steps(steps: int, points: int) -> np.ndarray:
    """About `points` steps from 1 to `steps`, equally spaced on a logarithmic axis, none twice."""
    return np.unique(np.geomspace(1, steps, points).round().astype(int))
