"""One multiplier at a time, as libqp does: coordinate ascent on the dual, the Gram matrix never formed."""

import numpy as np
from benchopt import BaseSolver
from numba import njit

from attnsvm.svm import separation


@njit
def sweeps(left, right, square, dual, W, count):
    for _ in range(count):
        for k in range(len(dual)):
            if square[k] > 0.0:
                margin = 0.0
                for i, j in np.ndindex(W.shape):  # loops: five times as fast as W @ right[k], and quicker to compile
                    margin += left[k, i] * W[i, j] * right[k, j]
                step = max((1.0 - margin) / square[k], -dual[k])
                dual[k] += step
                for i, j in np.ndindex(W.shape):
                    W[i, j] += step * left[k, i] * right[k, j]


class Solver(BaseSolver):
    name = "dual ascent"
    sampling_strategy = "iteration"

    def skip(self, tokens, queries, selected, norm):
        return norm != "fro", "for the Frobenius norm"

    def set_objective(self, tokens, queries, selected, norm):
        c = separation(tokens, queries, selected)
        self.left, self.right, self.shape = np.ascontiguousarray(c.left), np.ascontiguousarray(c.right), c.shape
        self.square = (self.left**2).sum(1) * (self.right**2).sum(1)

    def warm_up(self):
        self.run(1)  # compiles

    def run(self, iterations):
        self.W, dual = np.zeros(self.shape), np.zeros(len(self.square))
        sweeps(self.left, self.right, self.square, dual, self.W, iterations)

    def get_result(self):
        return {"W": self.W}
