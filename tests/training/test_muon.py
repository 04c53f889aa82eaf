"""Muon on heads: against a loop in NumPy, and what bounds it."""

import numpy as np
import torch

from attnsvm.training.muon import MOMENTUM, Muon


def test_every_head_moves_by_the_polar_factor_of_its_momentum():
    rng = np.random.default_rng(0)
    start, rate, decay = rng.normal(size=(2, 5, 6)), 0.1, 0.5
    factor, slopes = torch.from_numpy(start.copy()), rng.normal(size=(3, 2, 5, 6))
    muon = Muon({"K": factor}, heads=2, rate=rate, decay=decay)
    for slope in slopes:
        muon.step({"K": torch.from_numpy(slope), "V": None})
    for run in range(2):
        for columns in (slice(0, 3), slice(3, 6)):
            W, mean = start[run][:, columns], 0.0
            for slope in slopes[:, run][:, :, columns]:
                mean = MOMENTUM * mean + slope
                U, _, Vt = np.linalg.svd(mean, full_matrices=False)
                W = (1 - rate * decay) * W - rate * U @ Vt
            np.testing.assert_allclose(factor[run][:, columns].numpy(), W, rtol=1e-12)


def test_decay_keeps_a_factor_in_its_ball():
    factor = torch.zeros(1, 4, 2, dtype=torch.float64)
    muon, slope = Muon({"K": factor}, heads=1, rate=0.1, decay=2.0), torch.ones(1, 4, 2, dtype=torch.float64)
    for _ in range(200):
        muon.step({"K": slope})
    assert np.isclose(torch.linalg.matrix_norm(factor, 2).item(), 0.5, rtol=1e-6)
