"""Step rules: by how much a factor of the weights moves along its negative gradient."""

from dataclasses import dataclass

import torch

EPSILON = torch.finfo(torch.float64).eps
SMALLEST = 1e-140  # below it the square of a norm underflows: better no step than one of any length


@dataclass(frozen=True)
class Rule:
    """W ← W − scale(‖∇L‖)·∇L, each factor of W by its own norm.

    Attributes:
        learning_rate: η.
        epsilon: added to the norm that divides; None: no division.
        rescaled: whether the gradient is first multiplied by a positive number that keeps it from underflowing.
        penalty: multiple of ‖K‖² + ‖Q‖² added to the loss when factors are trained.
    """

    learning_rate: float
    epsilon: float | None
    rescaled: bool
    penalty: float

    def scale(self, gradient_norm: torch.Tensor) -> torch.Tensor:
        """The multiple of the gradient to subtract, for gradient norms (S,)."""
        if self.epsilon is None:
            return torch.full_like(gradient_norm, self.learning_rate)
        return self.learning_rate / (gradient_norm + self.epsilon)


def published(learning_rate: float) -> Rule:
    """W ← W − η ∇L/(‖∇L‖ + ε) and ε(‖K‖² + ‖Q‖²) in the loss, as published.

    Once ‖∇L‖ falls below ε the step shrinks to nothing, and (K, Q) follow the penalty.
    """
    return Rule(learning_rate, EPSILON, rescaled=False, penalty=EPSILON)


def exact(learning_rate: float) -> Rule:
    """W ← W − η ∇L/‖∇L‖ at any ‖W‖: the gradient does not underflow, and nothing is added that its norm would feel.

    One case is left: where an input's winning token ties with another to the last bit (identical tokens), gradients of
    other inputs below 1e-140 of that tie's share are lost, and the step shrinks to nothing as the published one does.
    """
    return Rule(learning_rate, SMALLEST, rescaled=True, penalty=0.0)


def plain(learning_rate: float) -> Rule:
    """W ← W − η ∇L."""
    return Rule(learning_rate, None, rescaled=False, penalty=0.0)


NORMALISATIONS = {"published": published, "exact": exact}


def how_to_train(settings: dict) -> dict:
    """The keyword arguments of `train` that every descent section of the configuration has."""
    rule = NORMALISATIONS[settings["normalisation"]](settings["learning_rate"])
    return {"rule": rule, "steps": settings["steps"], "device": settings["device"]}
