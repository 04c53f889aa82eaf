"""The linear head with a quadratic penalty, h(x) = vᵀx − penalty·‖x‖²."""

from typing import NamedTuple

import numpy as np

from attnsvm.training.heads.base import Head
from attnsvm.training.lanes.arithmetic import LANES, copy


class Penalised(NamedTuple):
    v: np.ndarray
    penalty: float

    def readout(self, mixed, h, slope):
        v, penalty = self.v, self.penalty
        for lane in range(LANES):
            h[lane] = 0.0
        for j in range(len(mixed)):
            for lane in range(LANES):
                h[lane] += mixed[j, lane] * (v[j, lane] - penalty * mixed[j, lane])
                slope[j, lane] = v[j, lane] - 2 * penalty * mixed[j, lane]

    def parameters(self):
        return self.v

    def parameter_slope(self, mixed, slope):
        copy(mixed, slope)


class PenalisedHead(Head):
    """h(x) = vᵀx − penalty·‖x‖², with v (S, d)."""

    def __init__(self, v, penalty: float):
        self.v = v.T
        self.penalty = float(penalty)

    def readout(self, mixed):
        return (mixed * (self.v - self.penalty * mixed)).sum(1), self.v - 2 * self.penalty * mixed

    def compiled(self):
        return Penalised(self.v, self.penalty)
