"""The steepest direction for compiled loops, from the file of a norm, compiled once and kept on disk.

A loop is compiled once for all norms, which takes seconds: it calls the direction of the norm as a first-class
function with one signature for all norms.
"""

from functools import cache
from typing import NamedTuple

from numba import njit, types
from numba.core.ccallback import CFunc

from attnsvm.geometry import Norm
from attnsvm.training.lanes.arithmetic import OPTIONS, call, called_from_loops
from attnsvm.training.lanes.slopes import MEMORY, SLOPE


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
