"""The spectral norm: the largest singular value. Its dual is the nuclear norm."""

import numpy as np

from attnsvm.geometry import OfSingularValues


class Spectral(OfSingularValues):
    """The largest singular value."""

    name, block_power = "spectral", np.inf

    def value(self, W):
        return np.linalg.svd(W, compute_uv=False)[..., 0]

    def dual(self, M):
        return np.linalg.svd(M, compute_uv=False).sum(-1)

    def steepest(self, M):
        U, sigma, Vt = np.linalg.svd(M, full_matrices=False)
        kept = sigma > 1e-12 * sigma[0]
        return U[:, kept] @ Vt[kept]

    def expression(self, cvxpy, W):
        return cvxpy.sigma_max(W)


NORM = Spectral()
