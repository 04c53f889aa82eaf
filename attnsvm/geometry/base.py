"""The steepest direction for compiled loops, from the file of a norm, compiled once and kept on disk.

A loop is compiled once for all norms, which takes seconds: it calls the direction of the norm as a first-class
function with one signature for all norms.
"""

from functools import cache
from typing import NamedTuple

import numpy as np
from numba import njit, typeof, types
from numba.core.ccallback import CFunc

from attnsvm.geometry import Norm
from attnsvm.training.lanes.arithmetic import OPTIONS, called_from_loops
from attnsvm.training.lanes.singular import Decomposition
from attnsvm.training.lanes.slopes import Memory, Slope


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
    geometry.direct(geometry.parameter, slope, memory)


def compiled(norm: Norm) -> Geometry:
    """The norm for compiled loops, where `steepest_direction` takes it."""
    return Geometry(_direct(type(norm)), float(norm.parameter), norm.unitarily_invariant, norm.reads_terms)


@cache
def _direct(norm: type[Norm]) -> CFunc:
    return called_from_loops(norm.steepest_lanes, SIGNATURE)


def _empty(*dimensions: int):
    return (np.empty((1,) * count) for count in dimensions)


_ROOM = Decomposition(np.empty((1, 1), dtype=np.int64), *_empty(2, 3, 3, 3, 3, 3, 3, 2, 2))
_SLOPE, _MEMORY = Slope(*_empty(3, 3, 2, 1, 3, 3)), Memory(*_empty(3, 1, 2), _ROOM, ())
SIGNATURE = types.void(types.float64, typeof(_SLOPE), typeof(_MEMORY))
