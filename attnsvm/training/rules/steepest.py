"""Steepest descent in any norm."""

from typing import NamedTuple

from attnsvm import geometry
from attnsvm.geometry.base import Geometry, compiled, steepest_direction
from attnsvm.training.rules.gradient_descent import GradientDescent, exact
from attnsvm.training.rules.protocol import Alone


class Steepest(NamedTuple("Numbers", [("learning_rate", float), ("geometry", Geometry)]), Alone):
    """W ← W − η S, see `steepest`; with the norm as compiled loops take it."""

    @property
    def follows_rotations(self) -> bool:
        return self.geometry.unitarily_invariant

    @property
    def reads_terms(self) -> bool:
        return self.geometry.reads_terms

    def direct(self, slope, memory, step):
        steepest_direction(self.geometry, slope, memory)


def steepest(norm: str, learning_rate: float) -> Steepest | GradientDescent:
    """Steepest descent in a norm N: W ← W − η S, S = argmax ⟨∇L, S⟩ over ‖S‖_N ≤ 1, exact at any ‖W‖.

    Each factor moves by its gradient. In the Frobenius norm the rule is `exact`. The file of a norm in
    `attnsvm.geometry` says what S is.

    One case is lost: where the inputs with the largest gradients leave an entry of W exactly at zero (tokens with
    zeros), inputs whose gradients are smaller by more than a factor of 1e308 do not move this entry.

    Args:
        norm: N by its name, as in `geometry.get`.
        learning_rate: η.

    Raises:
        ValueError: the norm does not exist.
    """
    measure = geometry.get(norm)
    return exact(learning_rate) if measure.name == "fro" else Steepest(float(learning_rate), compiled(measure))
