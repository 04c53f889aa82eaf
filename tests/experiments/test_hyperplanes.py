"""The hyperplane figure: its instance, its separating lines, what is drawn."""

import numpy as np
import pytest
import torch
from drawing import assert_drawn, plane
from test_draws import check_draws, check_official_draws, check_recorded_draws

from attnsvm.data.draws import draw
from attnsvm.experiments.hyperplanes import figure
from attnsvm.experiments.hyperplanes.measures import separators
from attnsvm.experiments.hyperplanes.problems import one_token_apart

SMALL = {"problems": {"T": 5, "seed": 3}, "descent": {"steps": 30}}


def official(g, n, T, d):
    v = torch.randn(d, generator=g)
    X = 0.5 * torch.randn(n, T, d, generator=g)
    X[0, 0] = torch.tensor([1.0, 0.5])
    X[1, 0] = torch.tensor([1.0, -0.5])
    X[:, 1:] += torch.tensor([-1.0, 0.0])
    Z = torch.randn(n, d, generator=g)
    return {"head": v / v.norm(), "labels": torch.ones(n), "tokens": X, "queries": Z / Z.norm(dim=-1, keepdim=True)}


def test_draws_are_the_official_ones_bit_for_bit():
    check_draws(one_token_apart, 2, 5, 2)
    check_official_draws(one_token_apart, official, 2, 5, 2)


def test_first_draws_have_their_recorded_values():
    check_recorded_draws(
        draw(one_token_apart, [3], 2, 5, 2),
        head=[0.9771237969, 0.2126714289],
        first=[1.0, 0.5],
        second=[-0.1897246242, -0.7983540297],
        query=[-0.5391289592, -0.8422232270],
        labels=[1, 1],
    )


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


def test_every_number_of_the_table_is_drawn():
    table = plane(separators=True)
    assert_drawn(figure.draw, table, table[["x", "y"]])
