"""Several runs on the same instances: each is what `train` makes of its own arguments and of those that all have."""

import numpy as np

from attnsvm.data.draws import draw, gaussian
from attnsvm.training.descent import train
from attnsvm.training.heads.linear import LinearHead
from attnsvm.training.log import logarithmic_steps
from attnsvm.training.optimisers.gradient_descent import exact
from attnsvm.training.runs import train_each


class Watched:
    """A progress that remembers what it was told."""

    def __init__(self):
        self.expected, self.done = 0, 0

    def expect(self, total):
        self.expected = total

    def __call__(self, finished):
        self.done += finished


def test_every_run_has_its_arguments_and_a_pair_of_names_is_a_dict_in_a_dict():
    problems, progress = draw(gaussian, range(3), 2, 3, 4), Watched()
    runs = {("slow", "W"): {"rule": exact(0.1)}, ("fast", "W"): {"rule": exact(0.3), "steps": 20}}
    found = train_each(train, problems, runs, progress, points=4, steps=10, parametrisation="W")
    assert [*found] == ["slow", "fast"]
    assert progress.expected == progress.done == 6
    for name, rate, steps in (("slow", 0.1, 10), ("fast", 0.3, 20)):
        log = train(problems, LinearHead, "W", exact(rate), steps, logarithmic_steps(steps, 4))
        assert [*found[name]["W"]] == ["steps", "weights", "probabilities"]
        for key, value in found[name]["W"].items():
            np.testing.assert_array_equal(value, getattr(log, key))


def test_a_log_is_kept_as_it_is_asked_for():
    problems = draw(gaussian, range(2), 2, 3, 4)
    runs = {"one": {"rule": exact(0.1)}}
    how = {"parametrisation": "W", "steps": 10, "every": 5}
    found = train_each(train, problems, runs, Watched(), kept=("steps", "loss"), **how)
    assert [*found["one"]] == ["steps", "loss"]
    assert found["one"]["steps"].tolist() == [0, 5, 10]
    end = train_each(train, problems, runs, Watched(), kept=None, **how)["one"]
    log = train(problems, LinearHead, rule=exact(0.1), **how)
    assert {*end} == {*log.end()}
    for key, value in log.end().items():
        np.testing.assert_array_equal(end[key], value)
