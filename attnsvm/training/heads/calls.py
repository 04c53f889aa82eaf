"""How compiled code calls a head: numba finds the methods by the class when it compiles; see `base.Head.compiled`."""

import numpy as np

from attnsvm.lanes.arithmetic import LANES, method_of_class


@method_of_class
def readout(head, mixed, h, slope):
    """`head.readout`."""


def parameters(head):
    """`head.parameters`; (0, LANES) of a head that cannot be trained along."""


def parameter_slope(head, mixed, slope):
    """`head.parameter_slope`; writes nothing for a head that cannot be trained along."""


def trainable(head) -> bool:
    """Whether a compiled head can be trained along."""
    return hasattr(head, "parameters")


def _none(head):
    return np.empty((0, LANES))


def _nothing(head, mixed, slope):
    pass


method_of_class(parameters, _none)
method_of_class(parameter_slope, _nothing)
