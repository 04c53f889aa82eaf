"""Steepest descent in any norm.

A loop is compiled once for all norms, which takes seconds: it calls the direction of the norm, from the norm's file, as
a first-class function with one signature for all norms, compiled once and kept on disk.
"""

from functools import cache
from typing import NamedTuple

from numba import njit, types
from numba.core.ccallback import CFunc

from attnsvm import geometry
from attnsvm.batch.arithmetic import OPTIONS, call, called_from_loops
from attnsvm.batch.slopes import MEMORY, SLOPE
from attnsvm.geometry import Norm
from attnsvm.training.optimisers.gradient_descent import GradientDescent, exact
from attnsvm.training.optimisers.protocol import Alone


class Geometry(NamedTuple):
    """A norm in compiled loops.

    Attributes:
        direct: the compiled `Norm.steepest_lanes`.
        parameter: its first argument.
        unitarily_invariant, reads_terms: as in `Norm`.
    """

    direct: CFunc
    parameter: float
    unitarily_invariant: bool
    reads_terms: bool


@njit(**OPTIONS)
def steepest_direction(geometry, slope, memory):
    """Write the steepest direction of the gradient `slope` to memory.direction."""
    call(geometry.direct, geometry.parameter, slope, memory)


def compiled(norm: Norm) -> Geometry:
    """The norm for compiled loops, where `steepest_direction` takes it."""
    return Geometry(_direct(type(norm)), float(norm.parameter), norm.unitarily_invariant, norm.reads_terms)


@cache
def _direct(norm: type[Norm]) -> CFunc:
    return called_from_loops(norm.steepest_lanes, SIGNATURE)


SIGNATURE = types.void(types.float64, SLOPE, MEMORY)


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
