"""Next-token limits on other seeds: the same numbers as the experiment that they sharpen has for them."""

import pytest
from running import Run

SMALL = {
    "problems": {"instances": 4, "first_seed": 7},
    "descent": {"steps": 200, "factored_steps": 200, "points": 8},
}


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    own = SMALL["descent"] | {"global_steps": 20, "local_steps": 20}
    names = {"graph_limits": SMALL, "next_token": SMALL | {"descent": own}}
    return {name: Run(name, given, tmp_path_factory.mktemp(name)) for name, given in names.items()}


@pytest.mark.parametrize(
    ("run", "loss", "parametrisation", "solution"),
    [
        ("squared", "squared", "W", "fro"),
        ("squared", "squared", "W", "graded"),
        ("factored", "nll", "KQ", "fro"),
        ("factored", "nll", "KQ", "nuc"),
    ],
)
def test_the_distances_are_those_of_the_experiment_that_it_sharpens(runs, run, loss, parametrisation, solution):
    here = runs["graph_limits"].instances.dropna().query("run == @run and solution == @solution")
    there = runs["next_token"].instances.query(
        "loss == @loss and parametrisation == @parametrisation and solution == @solution"
        " and rule == 'split' and quantity == 'ahead'"
    )
    keys = ["graphs", "seed", "step"]
    both = here.merge(there, on=keys, suffixes=("", "_there"))
    assert len(both) == len(here) == len(there.dropna(subset="value")) > 0
    assert (both.value == both.value_there).all()


def test_the_share_nearer_than_the_other_norms_solution_counts_data_sets(runs):
    run = runs["graph_limits"]
    ends = run.instances.dropna().query("run == 'factored'")
    ends = ends[ends.step == ends.step.max()].pivot(index=["graphs", "seed"], columns="solution", values="value")
    nearer = run.table[run.table.quantity == "nearer than fro"].set_index("graphs").value
    assert nearer.to_dict() == (ends.nuc < ends.fro).groupby("graphs").mean().to_dict()
