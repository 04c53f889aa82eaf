"""Which steps are logged, and logs cut and joined."""

import numpy as np
import pytest

from attnsvm.training import Log, logarithmic_steps, logged_steps


@pytest.mark.parametrize(
    ("steps", "every", "expected"),
    [
        (10, 5, [0, 5, 10]),
        (11, 5, [1, 6, 11]),
        (3, 1, [0, 1, 2, 3]),
        (1, 1, [0, 1]),
        (3, 7, [3]),
        (2000, 1000, [0, 1000, 2000]),
    ],
)
def test_logged_steps_count_back_from_the_last(steps, every, expected):
    assert logged_steps(steps, every).tolist() == expected


@pytest.mark.parametrize(("steps", "points"), [(1, 5), (10, 40), (2000, 30), (50000, 100)])
def test_logarithmic_steps_rise_from_one_to_the_last(steps, points):
    found = logarithmic_steps(steps, points)
    assert found[0] == 1
    assert found[-1] == steps
    assert (np.diff(found) > 0).all()
    assert len(found) <= points
    far = found[found > 100]  # where rounding to whole steps is below a hundredth
    if len(far) > 2:
        assert np.ptp(np.diff(np.log(far))) < 0.02


def log_of(count, seed):
    generator = np.random.default_rng(seed)
    shapes = {"weights": (2, 3, 3), "largest": (2,), "loss": (2,), "gradient_norm": (2,), "probabilities": (4, 5)}
    return Log(np.array([0, 7]), **{name: generator.normal(size=(count, *shape)) for name, shape in shapes.items()})


def test_a_log_is_cut_and_joined_run_by_run():
    first, second = log_of(3, 0), log_of(2, 1)
    whole = Log.joined([first, second])
    assert whole.steps.tolist() == [0, 7]
    for name in ("weights", "largest", "loss", "gradient_norm", "probabilities"):
        assert np.array_equal(getattr(whole[:3], name), getattr(first, name))
        assert np.array_equal(getattr(whole[3:], name), getattr(second, name))
        assert np.array_equal(getattr(whole[[4, 0]], name)[1], getattr(first, name)[0])
    assert whole[2:].steps.tolist() == [0, 7]


def test_what_a_file_keeps_of_a_log_is_named():
    log = log_of(3, 0)
    kept = log.arrays("steps", "loss")
    assert list(kept) == ["steps", "loss"]
    assert all(kept[name] is getattr(log, name) for name in kept)
    end = log.end()
    assert list(end) == ["weights", "probabilities"]
    assert np.array_equal(end["weights"], log.weights[:, 1])
    assert end["probabilities"] is log.probabilities
