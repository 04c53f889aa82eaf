"""Muon (Jordan, 2024, github.com/KellerJordan/Muon) on the heads of K and Q, with the exact polar factor."""

import torch

MOMENTUM = 0.95  # the default of Muon


class Muon:
    """One update of factors (R, d, heads·m) of R runs, in place; each head's columns move by the polar factor of their
    momentum, whose singular values are one, and lose the share η·λ of themselves.

    Args:
        factors: by name.
        heads: how many share the columns of a factor.
        rate: the learning rate η.
        decay: the decoupled weight decay λ.
    """

    def __init__(self, factors: dict[str, torch.Tensor], heads: int, rate: float, decay: float):
        self.factors, self.heads, self.rate, self.kept = factors, heads, rate, 1 - rate * decay
        self.momentum = {name: torch.zeros_like(factor) for name, factor in factors.items()}

    @torch.no_grad()
    def step(self, gradients: dict[str, torch.Tensor]) -> None:
        """Update by the gradients, by name; shapes as those of the factors."""
        for name, factor in self.factors.items():
            mean = self.momentum[name].mul_(MOMENTUM).add_(gradients[name])
            U, _, Vt = torch.linalg.svd(by_head(mean, self.heads), full_matrices=False)
            factor.mul_(self.kept).sub_((U @ Vt).transpose(1, 2).flatten(2), alpha=self.rate)


def by_head(factor: torch.Tensor, heads: int) -> torch.Tensor:
    """The columns of each head, (R, heads, d, m), of a factor (R, d, heads·m)."""
    return factor.unflatten(-1, (heads, -1)).transpose(1, 2)
