"""v and W together on other seeds: the same numbers as the experiment that it sharpens has for them."""

import pytest
from drawing import assert_drawn
from running import Run

from attnsvm.experiments.beyond.joint.joint_tail import figure

PROBLEMS = {"n": 4, "T": 4, "d": 6, "instances": 6, "first_seed": 7}
SMALL = {"problems": PROBLEMS, "descent": {"steps": 400, "head_rates": [0.1, 10]}}


@pytest.mark.parametrize("steps", [100, 400])
def test_the_distances_are_those_of_the_experiment_that_it_sharpens(run, steps, tmp_path):
    there = Run("joint", {"problems": PROBLEMS, "descent": {"steps": steps, "head_rates": [0.1, 10]}}, tmp_path)
    for quantity in ("graded", "relaxed", "even", "shuffled"):
        other = there.instances.query("quantity == @quantity").set_index(["rate", "seed"]).value.sort_index()
        own = run.table.query("step == @steps").set_index(["rate", "seed"])[quantity].sort_index()
        assert len(own) > 0
        assert own.to_dict() == other.to_dict()


def test_saturated_is_the_least_of_the_largest_probabilities(run):
    found = run.table.set_index(["rate", "step", "seed"]).saturated
    for _, s, p, t, _ in run.each():
        for name, one in t.items():
            rate, steps = name.split()
            key = float(rate), int(steps), p["seeds"][s]
            if key in found.index:
                assert found[key] == one["probabilities"][s].max(1).min()


def test_every_instance_is_drawn(run):
    assert_drawn(figure.draw, run.table, x=run.table.graded)
