"""The linear head with a quadratic penalty, h(x) = vᵀx − penalty·‖x‖²."""

from attnsvm.batch.arithmetic import copy
from attnsvm.batch.vector import each, load, store
from attnsvm.training.heads.base import Head


class PenalisedHead(Head):
    """h(x) = vᵀx − penalty·‖x‖², with v (S, d)."""

    def __init__(self, v, penalty: float):
        self.parameters = v.T
        self.number = float(penalty)

    def readout(self, mixed):
        v, penalty = self.parameters, self.number
        return (mixed * (v - penalty * mixed)).sum(1), v - 2 * penalty * mixed

    @staticmethod
    def readout_lanes(parameters, number, mixed, h, slope):
        total = each(0.0)
        for j in range(len(mixed)):
            x, v = load(mixed[j]), load(parameters[j])
            total = total + x * (v - number * x)
            store(slope[j], v - 2 * number * x)
        store(h, total)

    @staticmethod
    def parameter_slope_lanes(parameters, number, mixed, slope):
        copy(mixed, slope)
