"""The linear head with a quadratic penalty, h(x) = vᵀx − penalty·‖x‖²."""

from attnsvm.training.heads.base import Head
from attnsvm.training.lanes.arithmetic import LANES, copy


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
        for lane in range(LANES):
            h[lane] = 0.0
        for j in range(len(mixed)):
            for lane in range(LANES):
                h[lane] += mixed[j, lane] * (parameters[j, lane] - number * mixed[j, lane])
                slope[j, lane] = parameters[j, lane] - 2 * number * mixed[j, lane]

    @staticmethod
    def parameter_slope_lanes(parameters, number, mixed, slope):
        copy(mixed, slope)
