"""Step rules: by how much a factor of the weights moves along its negative gradient."""

from typing import NamedTuple

import numpy as np

from attnsvm.lanes.slopes import SMALLEST

EPSILON = float(np.finfo(float).eps)


class Rule(NamedTuple):
    """W ← W − scale(‖∇L‖)·∇L, each factor of W by its own norm.

    Both engines read this one definition: torch calls `scale` with tensors, the kernels compile it.

    Attributes:
        learning_rate: η.
        normalised: whether the norm of the gradient divides the step.
        epsilon: added to the norm that divides; of no meaning in a rule that does not normalise.
        rescaled: whether the gradient is first multiplied by a positive number that keeps it from underflowing.
        penalty: multiple of ‖K‖² + ‖Q‖² added to the loss when factors are trained.
    """

    learning_rate: float
    normalised: bool
    epsilon: float
    rescaled: bool
    penalty: float

    def scale(self, norm, factor=1.0):
        """The multiple of G to subtract where the gradient is factor·G, and `norm` that of G (numbers or tensors)."""
        if self.normalised:
            return self.learning_rate * factor / (norm * factor + self.epsilon)
        return self.learning_rate * factor


def published(learning_rate: float) -> Rule:
    """W ← W − η ∇L/(‖∇L‖ + ε) and ε(‖K‖² + ‖Q‖²) in the loss, as published.

    Once ‖∇L‖ falls below ε the step shrinks to nothing, and (K, Q) follow the penalty.
    """
    return Rule(float(learning_rate), normalised=True, epsilon=EPSILON, rescaled=False, penalty=EPSILON)


def exact(learning_rate: float) -> Rule:
    """W ← W − η ∇L/‖∇L‖ at any ‖W‖: the gradient does not underflow, and nothing is added that its norm would feel.

    One case is left: where an input's winning token ties with another to the last bit (identical tokens), gradients of
    other inputs below 1e-140 of that tie's share are lost, and the step shrinks to nothing as the published one does.
    """
    return Rule(float(learning_rate), normalised=True, epsilon=SMALLEST, rescaled=True, penalty=0.0)


def plain(learning_rate: float) -> Rule:
    """W ← W − η ∇L."""
    return Rule(float(learning_rate), normalised=False, epsilon=0.0, rescaled=False, penalty=0.0)


NORMALISATIONS = {"published": published, "exact": exact}


def how_to_train(settings: dict) -> dict:
    """The keyword arguments of `train` that every experiment reads from its settings.

    Args:
        settings: with the keys normalisation ("published" or "exact"), learning_rate, steps and device.

    Raises:
        KeyError: a key is missing, or the normalisation has another name.
    """
    rule = NORMALISATIONS[settings["normalisation"]](settings["learning_rate"])
    return {"rule": rule, "steps": settings["steps"], "device": settings["device"]}
