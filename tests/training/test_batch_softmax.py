"""The pieces of the compiled softmax against multiple precision, at gaps from 0.1 to 1000."""

import mpmath as mp
import numpy as np
import pytest
from numba import njit

from attnsvm.batch import LANES
from attnsvm.batch.arithmetic import exp
from attnsvm.batch.softmax import anchor, behind, close
from attnsvm.batch.vector import store

T = 5


@njit
def derivative(logits, slope, out):
    """Of Σ_t p_t slope_t along the logits, over exp(the largest logit behind the winner); both are overwritten."""
    winner, mean, total = np.zeros(LANES), np.zeros(LANES), np.zeros(LANES)
    p = np.empty_like(logits)
    behind(logits, winner)
    for lane in range(LANES):
        for t in range(T):
            p[t, lane] = exp(logits[t, lane])
            total[lane] += p[t, lane]
        for t in range(T):
            p[t, lane] /= total[lane]
    store(mean, anchor(slope, p, winner))
    for lane in range(LANES):
        unit = -np.inf
        for t in range(T):
            unit = max(unit, logits[t, lane] if winner[lane] != t else -np.inf)
        for t in range(T):
            share = exp(logits[t, lane] - unit) if winner[lane] != t else 0.0
            out[t, lane] = share * (slope[t, lane] - mean[lane])
    store(total, close(out, winner))
    return winner, total


@njit
def won(logits):
    winner = np.zeros(LANES)
    behind(logits, winner)
    return winner


@pytest.mark.parametrize("gap", [0.1, 1.0, 10.0, 300.0, 1e3])
def test_the_direction_of_the_derivative(gap):
    generator = np.random.default_rng(int(gap))
    logits, slope = gap * generator.normal(size=(T, LANES)), generator.normal(size=(T, LANES))
    out = np.full((T, LANES), np.nan)
    winner, total = derivative(logits.copy(), slope.copy(), out)
    assert np.array_equal(winner, logits.argmax(0))
    assert np.array_equal(out[logits.argmax(0), np.arange(LANES)], -total)
    with mp.workdps(400 + int(2 * gap)):
        for lane in range(LANES):
            shares = [mp.exp(mp.mpf(x)) for x in logits[:, lane].tolist()]
            p = [x / mp.fsum(shares) for x in shares]
            mean = mp.fdot(p, slope[:, lane].tolist())
            exact = [a * (b - mean) for a, b in zip(p, slope[:, lane].tolist(), strict=True)]
            norm = mp.sqrt(mp.fsum(x * x for x in exact))
            direction = np.array([float(x / norm) for x in exact])
            # differences of logits are known to 1e-16 of the gap
            np.testing.assert_allclose(
                out[:, lane] / np.linalg.norm(out[:, lane]), direction, rtol=0, atol=1e-14 + 1e-15 * gap
            )


def test_the_first_of_equal_logits_wins_and_a_token_shut_out_is_infinitely_behind():
    logits = np.tile(np.array([[-np.inf], [3.0], [7.0], [7.0], [-2.0]]), LANES)
    assert (won(logits) == 2).all()
    assert (logits == np.array([[-np.inf], [-4.0], [0.0], [0.0], [-9.0]])).all()
