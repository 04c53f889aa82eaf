"""The nuclear norm: the sum of the singular values. Its dual is the spectral norm."""

import numpy as np

from attnsvm.geometry import OfSingularValues


class Nuclear(OfSingularValues):
    """The sum of the singular values."""

    name, block_power = "nuc", 1.0
    parameter = 1.0  # the leading pair of singular vectors alone

    def value(self, W):
        return np.linalg.svd(W, compute_uv=False).sum(-1)

    def dual(self, M):
        return np.linalg.svd(M, compute_uv=False)[..., 0]

    def steepest(self, M):
        U, _, Vt = np.linalg.svd(M)
        return np.outer(U[:, 0], Vt[0])

    def expression(self, cvxpy, W):
        return cvxpy.normNuc(W)


NORM = Nuclear()
