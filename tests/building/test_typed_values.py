"""Numbers that arrive as strings, and values that were found late or never."""

import pytest

from attnsvm.building.configuration import resolve
from attnsvm.errors import UserError


def nested(path, value):
    for key in reversed(path.split(".")):
        value = {key: value}
    return value


def at(resolved, path):
    for key in path.split("."):
        resolved = resolved[key]
    return resolved


@pytest.mark.parametrize(
    ("path", "text", "value"),
    [
        ("figures.dpi", "72", 72),
        ("figures.width", "5.5", 5.5),
        ("experiments.cone.problems.d", " 12 ", 12),
        ("experiments.cone.descent.relative_step", "1e-3", 0.001),  # a string in YAML 1.1
        ("experiments.cone.descent.margins", ["10", "1e4"], [10, 10000.0]),
        ("experiments.svm_rank.problems.d", ["2", "4"], [2, 4]),
        ("experiments.feasibility.problems.shapes", [["3", "4"]], [[3, 4]]),
        ("experiments.multi_token.descent.normalisation", "exact", "exact"),
    ],
)
def test_a_number_may_be_given_as_a_string_as_the_command_line_does(path, text, value):
    found = at(resolve(nested(path, text)), path)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("path", "value", "sentence"),
    [
        ("figures.dpi", "many", "figures.dpi: 'many' is not of type integer"),
        ("figures.dpi", "1e3", "figures.dpi: '1e3' is not of type integer: write 1000"),
        ("figures.dpi", 100.0, "figures.dpi: 100.0 is not of type integer: write 100"),
        ("figures.dpi", 100.5, "figures.dpi: 100.5 is not of type integer"),
        ("figures.dpi", "inf", "figures.dpi: 'inf' is not of type integer"),
        ("figures.width", "nan", "figures.width: nan is not of type finite number"),
        ("figures", "72", "figures: '72' is not of type object: write keys and values, as in {dpi: 72}"),
        ("experiments", "cone", "experiments: 'cone' is not of type object: write keys and values"),
        ("experiments.cone.problems.d", "1000000000", "d: 1000000000 is too large, the largest value is 4096"),
        ("experiments.cone.problems.d", 10**9, "d: 1000000000 is too large, the largest value is 4096"),
        ("experiments.local_convergence.descent.learning_rate", 1e-300, "learning_rate: 1e-300 is too small"),
        ("experiments.cone.descent.relative_step", 1e-300, "relative_step: 1e-300 is too small"),
        ("experiments.cone.descent.margins", [1e-300], "margins.0: 1e-300 is too small"),
        ("experiments.local_convergence.descent.log_every", 2001, "log_every: 2001 is above"),
        ("experiments.multi_token.descent.log_every", 5000, "log_every: 5000 is above"),
        ("experiments.local_convergence.measures.drawn_steps", 3000, "drawn_steps: 3000 is above"),
        ("experiments.multi_token.problems.candidates", [10], "has 1: give one for each"),
        ("experiments.multi_token.measures.accepted", 4000, "measures.accepted: 4000 is above"),
        ("experiments.regularisation_path.descent", {"smallest": 10, "largest": 1}, "smallest: 10 is not below"),
    ],
)
def test_what_cannot_work_is_said_before_anything_is_drawn(path, value, sentence):
    with pytest.raises(UserError) as caught:
        resolve(nested(path, value))
    assert sentence in str(caught.value)
    assert str(caught.value).startswith("config: ")
    assert "\n" not in str(caught.value)
    if isinstance(value, float) and value == 100.5:
        assert "write" not in str(caught.value)
