"""Step rules: by how much a factor moves along its negative gradient."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import torch

EPSILON = torch.finfo(torch.float64).eps


class Rule(ABC):
    @abstractmethod
    def scale(self, gradient_norm: torch.Tensor) -> torch.Tensor:
        """The multiple of the gradient to subtract, for gradient norms (S,)."""


@dataclass(frozen=True)
class Normalised(Rule):
    """W ← W − η ∇L / (‖∇L‖ + ε), the published rule; each factor by its own norm."""

    learning_rate: float
    epsilon: float = EPSILON

    def scale(self, gradient_norm):
        return self.learning_rate / (gradient_norm + self.epsilon)


@dataclass(frozen=True)
class Plain(Rule):
    """W ← W − η ∇L."""

    learning_rate: float

    def scale(self, gradient_norm):
        return torch.full_like(gradient_norm, self.learning_rate)
