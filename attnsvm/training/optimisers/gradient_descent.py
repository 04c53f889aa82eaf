"""Gradient descent: as published, exact, and plain."""

from typing import NamedTuple

import numpy as np

from attnsvm.batch.arithmetic import exp, scaled
from attnsvm.batch.slopes import SMALLEST, flatten, squares
from attnsvm.batch.vector import each, load, root
from attnsvm.training.optimisers.protocol import Alone

EPSILON = float(np.finfo(float).eps)


class Numbers(NamedTuple):
    """See `GradientDescent`."""

    learning_rate: float
    normalised: bool
    epsilon: float
    rescaled: bool
    penalty: float


class GradientDescent(Numbers, Alone):
    """W ← W − scale(‖∇L‖)·∇L; each factor of W uses the norm of its gradient.

    All engines read this one definition: torch calls `scale` with tensors, the kernels compile it. Inside another rule
    it descends by `direct`, as any rule does.

    Attributes:
        learning_rate: η.
        normalised: whether the norm of the gradient divides the step.
        epsilon: added to the norm that divides; unused in a rule that does not normalise.
        rescaled: whether the gradient is first multiplied by a positive number that keeps it from underflowing.
        penalty: multiple of ‖K‖² + ‖Q‖² added to the loss when factors are trained.
    """

    along_gradient = True

    @property
    def follows_rotations(self) -> bool:
        return self.penalty == 0

    @property
    def divides(self) -> bool:
        return self.normalised

    def scale(self, norm, factor=1.0):
        """The multiple of G to subtract where the gradient is factor·G, and `norm` that of G (numbers or tensors)."""
        if self.normalised:
            return self.learning_rate * factor / (norm * factor + self.epsilon)
        return self.learning_rate * factor

    def direct(self, slope, memory, step):
        flatten(slope)
        factor = each(1.0) if self.rescaled else exp(load(slope.common))
        norm = root(squares(slope.matrix)) * factor + self.epsilon if self.normalised else each(1.0)
        scaled(slope.matrix, factor / norm, memory.direction)


def published(learning_rate: float) -> GradientDescent:
    """W ← W − η ∇L/(‖∇L‖ + ε) and ε(‖K‖² + ‖Q‖²) in the loss, as published.

    Once ‖∇L‖ falls below ε the step shrinks to nothing, and (K, Q) follow the penalty.
    """
    return GradientDescent(float(learning_rate), normalised=True, epsilon=EPSILON, rescaled=False, penalty=EPSILON)


def exact(learning_rate: float) -> GradientDescent:
    """W ← W − η ∇L/‖∇L‖ at any ‖W‖: the gradient does not underflow, and the number added to its norm is too small to
    count.

    One case is left: where the winning token of an input ties with another to the last bit (identical tokens),
    gradients of other inputs below 1e-140 times the gradient of the tie are lost, and the step shrinks to nothing,
    as the published step does.
    """
    return GradientDescent(float(learning_rate), normalised=True, epsilon=SMALLEST, rescaled=True, penalty=0.0)


def plain(learning_rate: float) -> GradientDescent:
    """W ← W − η ∇L."""
    return GradientDescent(float(learning_rate), normalised=False, epsilon=0.0, rescaled=False, penalty=0.0)
