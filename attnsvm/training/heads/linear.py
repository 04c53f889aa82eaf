"""The linear head, h(x) = vᵀx."""

from attnsvm.batch.arithmetic import copy
from attnsvm.batch.vector import each, load, store
from attnsvm.training.heads.base import Head

PART = 16  # terms of a sum that torch adds one by one before it goes on with the next


class LinearHead(Head):
    """h(x) = vᵀx, with v (S, d)."""

    def __init__(self, v):
        self.parameters = v.T

    def embed(self, tokens):
        """The score vᵀx of a token is enough: p = 1."""
        products = tokens * self.parameters  # summed in parts, as torch sums them: the figures have that rounding
        scores = sum(products[:, :, k : k + PART].sum(2) for k in range(0, products.shape[2], PART))
        return scores[:, :, None], LinearHead(0 * self.parameters[:1].T + 1)

    def readout(self, mixed):
        return (mixed * self.parameters).sum(1), 0 * mixed + self.parameters

    @staticmethod
    def readout_lanes(parameters, number, mixed, h, slope):
        total = each(0.0)
        for j in range(len(mixed)):
            total = total + load(mixed[j]) * load(parameters[j])
            store(slope[j], load(parameters[j]))
        store(h, total)

    @staticmethod
    def parameter_slope_lanes(parameters, number, mixed, slope):
        copy(mixed, slope)
