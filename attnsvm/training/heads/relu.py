"""The head of one hidden layer, h(x) = 1ᵀ relu(Vᵀx)."""

from attnsvm.batch.vector import each, larger, load, store, where
from attnsvm.training.heads.base import Head


class ReluHead(Head):
    """h(x) = 1ᵀ relu(Vᵀx), with V (S, d, d)."""

    def __init__(self, V):
        self.embedding = V

    def readout(self, mixed):
        return mixed.clip(min=0).sum(1), (mixed > 0) + 0 * mixed

    @staticmethod
    def readout_lanes(parameters, number, mixed, h, slope):
        total = each(0.0)
        for j in range(len(mixed)):
            x = load(mixed[j])
            total = total + larger(x, 0.0)
            store(slope[j], where(x > 0.0, 1.0, 0.0))
        store(h, total)
