"""A head as compiled loops take it: of one class for all heads, so that a loop is compiled once."""

from functools import cache
from typing import NamedTuple

import numpy as np
from numba import types
from numba.core.ccallback import CFunc

from attnsvm.training.heads.base import Head
from attnsvm.training.lanes.arithmetic import called_from_loops


class Reader(NamedTuple):
    """A head in compiled loops; see `base.Head` for what the functions are given.

    Attributes:
        readout, parameter_slope: the compiled `readout_lanes` and `parameter_slope_lanes` of its class.
        parameters: (q, LANES), or (q, S) before a batch is cut; a stack moves them in place.
        number: as in `Head`.
    """

    readout: CFunc
    parameter_slope: CFunc
    parameters: np.ndarray
    number: float


def reader(head: Head, count: int) -> Reader:
    """The head of `count` instances for compiled loops."""
    parameters = np.broadcast_to(head.parameters, (len(head.parameters), count))
    return Reader(*_compiled(type(head)), parameters, float(head.number))


def trainable(head: Head) -> bool:
    """Whether a head can be trained along."""
    return hasattr(head, "parameter_slope_lanes")


@cache
def _compiled(head: type[Head]) -> tuple[CFunc, CFunc]:
    slope = getattr(head, "parameter_slope_lanes", _nothing)
    return called_from_loops(head.readout_lanes, READOUT), called_from_loops(slope, SLOPE)


def _nothing(parameters, number, mixed, slope):
    pass


_ROW, _ROWS = types.float64[::1], types.float64[:, ::1]
READOUT = types.void(_ROWS, types.float64, _ROWS, _ROW, _ROWS)
SLOPE = types.void(_ROWS, types.float64, _ROWS, _ROWS)
READER = types.BaseTuple.from_types(
    (types.FunctionType(READOUT), types.FunctionType(SLOPE), _ROWS, types.float64), Reader
)
