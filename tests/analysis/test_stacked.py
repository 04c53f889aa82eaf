"""Norms and distances of the layers of a stack, against loops."""

import numpy as np
import pytest

from attnsvm.analysis.stacked import certain, distance, norms, saturated


def test_norms_and_distances_are_those_of_each_stack_step_and_head():
    rng = np.random.default_rng(5)
    W, solutions = rng.normal(size=(2, 3, 4, 2, 5, 5)), rng.normal(size=(4, 5, 5))
    length, far = norms(W), distance(W, 3, solutions)
    for s, k in np.ndindex(2, 3):
        assert length[s, k] == pytest.approx(np.linalg.norm(W[s, k]))
        pairs = [(W[s, k, 2, h].ravel(), solutions[2 * s + h].ravel()) for h in range(2)]
        cosines = [a @ b / np.linalg.norm(a) / np.linalg.norm(b) for a, b in pairs]
        assert far[s, k] == pytest.approx(1 - np.mean(cosines))


def test_a_stack_is_certain_if_each_of_its_heads_is():
    answer = {"status": np.array(["solved", "solved", "solved", "infeasible"])}
    assert certain(answer, 2).tolist() == [True, False]
    assert certain(answer, 4).tolist() == [True, True, True, False]


def test_a_stack_is_saturated_if_every_row_of_its_top_is():
    top = np.tile([0.995, 0.005], (3, 2, 4, 1, 1))  # (S, H, n, R, T)
    top[1, 1, 3, 0] = 0.5, 0.5
    assert saturated(top).tolist() == [True, False, True]
