"""How compiled code calls a head: numba finds the methods by the class when it compiles; see `base.Head.compiled`."""

import numpy as np
from numba.extending import overload

from attnsvm.lanes.arithmetic import LANES, OPTIONS


def readout(head, mixed, h, slope):
    """`head.readout`."""


def parameters(head):
    """`head.parameters`; (0, LANES) of a head that cannot be trained along."""


def parameter_slope(head, mixed, slope):
    """`head.parameter_slope`; writes nothing for a head that cannot be trained along."""


def trainable(head) -> bool:
    """Whether a compiled head can be trained along."""
    return hasattr(head, "parameters")


@overload(readout, strict=False, jit_options=OPTIONS)
def _readout(head, mixed, h, slope):
    return head.instance_class.readout


@overload(parameters, strict=False, jit_options=OPTIONS)
def _parameters(head):
    return getattr(head.instance_class, "parameters", _none)


@overload(parameter_slope, strict=False, jit_options=OPTIONS)
def _parameter_slope(head, mixed, slope):
    return getattr(head.instance_class, "parameter_slope", _nothing)


def _none(head):
    return np.empty((0, LANES))


def _nothing(head, mixed, slope):
    pass
