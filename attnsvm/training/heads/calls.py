"""How compiled code calls a head: numba finds the methods by the class when it compiles; see `base.Head.compiled`."""

import numpy as np

from attnsvm.training.lanes.arithmetic import LANES, method_of_class


def trainable(head) -> bool:
    """Whether a compiled head can be trained along."""
    return hasattr(head, "parameters")


def _none(head):
    return np.empty((0, LANES))


def _nothing(head, mixed, slope):
    pass


readout = method_of_class("readout")
# Of a head that cannot be trained along (0, LANES), and nothing is written.
parameters, parameter_slope = method_of_class("parameters", _none), method_of_class("parameter_slope", _nothing)
