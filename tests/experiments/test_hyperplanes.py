"""The hyperplane figure: its instance, its separating lines."""

import numpy as np
import pytest

from attnsvm.experiments.paper.hyperplanes.measures import separators

SMALL = {"problems": {"T": 5, "seed": 3}, "descent": {"steps": 30}}


def test_a_separating_line_is_orthogonal_to_its_direction_and_half_a_margin_from_the_optimal_token():
    rng = np.random.default_rng(0)
    tokens, directions, optimal = rng.normal(size=(2, 5, 2)), rng.normal(size=(2, 2)), np.array([3, 0])
    rows = separators(tokens, optimal, directions)
    assert rows.step.tolist() == [0, 1, 0, 1]
    for i in range(2):
        ends = rows[rows.input == i + 1][["x", "y"]].to_numpy()
        # (x_opt − x)ᵀ W z = ½ on the whole line; its ends are 100 away, where rounding is that of 100·‖W z‖.
        np.testing.assert_allclose((tokens[i, optimal[i]] - ends) @ directions[i], 0.5, rtol=0, atol=1e-12)
        assert np.linalg.norm(ends[1] - ends[0]) == pytest.approx(200)


def test_the_lines_of_the_solutions_part_the_optimal_token_of_each_input_from_its_other_tokens(run):
    table = run.table
    for (kind, i), ends in table[table.kind == "separator"].groupby(["parametrisation", "input"]):
        direction = table[(table.kind == "svm_direction") & (table.parametrisation == kind) & (table.input == i)]
        foot, along = ends[["x", "y"]].to_numpy()[0], direction[["x", "y"]].to_numpy()[0]
        tokens = table[table.kind.isin(["token", "optimal_token"]) & (table.input == i)]
        side = (tokens[["x", "y"]].to_numpy() - foot) @ along
        assert ((side > 0) == (tokens.kind == "optimal_token")).all()
    assert (table.kind == "separator").sum() == 2 * 2 * 2
