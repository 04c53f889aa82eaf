"""The head of one hidden layer, h(x) = 1ᵀ relu(Vᵀx)."""

from attnsvm.training.heads.base import Head
from attnsvm.training.lanes.arithmetic import LANES


class ReluHead(Head):
    """h(x) = 1ᵀ relu(Vᵀx), with V (S, d, d)."""

    def __init__(self, V):
        self.embedding = V

    def readout(self, mixed):
        return mixed.clip(min=0).sum(1), (mixed > 0) + 0 * mixed

    @staticmethod
    def readout_lanes(parameters, number, mixed, h, slope):
        for lane in range(LANES):
            h[lane] = 0.0
        for j in range(len(mixed)):
            for lane in range(LANES):
                h[lane] += max(mixed[j, lane], 0.0)
                slope[j, lane] = 1.0 if mixed[j, lane] > 0 else 0.0
