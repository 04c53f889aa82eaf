"""A wrong configuration gets one sentence that names the key."""

from copy import deepcopy
from pathlib import Path

import pytest
import yaml

from attnsvm.pipeline.configuration import validate
from attnsvm.errors import UserError

ROOT = Path(__file__).resolve().parent.parent
SCHEMA = ROOT / "workflow/schemas/config.schema.yaml"


def paper():
    return yaml.safe_load((ROOT / "config/config.yaml").read_text())


def changed(path, value):
    config = deepcopy(paper())
    *parents, last = path.split(".")
    section = config
    for key in parents:
        section = section[key]
    section[last] = value
    return config


def test_the_papers_configuration_is_valid():
    validate(paper(), SCHEMA)


@pytest.mark.parametrize(
    ("path", "value", "sentence"),
    [
        ("experiments.local_convergence.problems.n", 0, "experiments.local_convergence.problems.n: 0 is too small"),
        ("experiments.local_convergence.problems.T", 1, "experiments.local_convergence.problems.T: 1 is too small"),
        ("experiments.local_convergence.problems.d", 0, "experiments.local_convergence.problems.d: 0 is too small"),
        ("experiments.svm_rank.problems.d", [2, 0], "experiments.svm_rank.problems.d.1: 0 is too small"),
        ("experiments.svm_rank.problems.instances", -1, "experiments.svm_rank.problems.instances: -1 is too small"),
        (
            "experiments.multi_token.descent.steps",
            "many",
            "experiments.multi_token.descent.steps: 'many' is not of type",
        ),
        ("experiments.multi_token.descent.learning_rate", 0, "learning_rate: 0 is too small, it must be above 0"),
        ("experiments.svmrank", {}, "experiments: unknown key 'svmrank': did you mean 'svm_rank'?"),
        ("figures.colour", "red", "figures: unknown key 'colour': known are dpi, font_size, width"),
        ("figures.dpi", 10**9, "figures.dpi: 1000000000 is too large, the largest value is 1200"),
        ("experiments.svm_rank.problems.instances", 4.0, "instances: 4.0 is not of type integer"),
        ("experiments.trajectories.problems.seed", 10**23, "seed: 100000000000000000000000 is too large"),
        (
            "experiments.multi_token.descent.learning_rate",
            float("nan"),
            "learning_rate: nan is not of type finite number",
        ),
        (
            "experiments.multi_token.descent.learning_rate",
            float("inf"),
            "learning_rate: inf is not of type finite number",
        ),
        ("experiments.multi_token.descent.normalisation", "none", "normalisation: 'none' is not one of"),
        ("experiments.multi_token.descent.device", "tpu", "device: 'tpu' does not match"),
    ],
)
def test_wrong_value_is_named(path, value, sentence):
    with pytest.raises(UserError) as caught:
        validate(changed(path, value), SCHEMA)
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


def test_missing_key_is_named():
    config = paper()
    del config["experiments"]["multi_token"]["measures"]
    with pytest.raises(UserError, match=r"experiments\.multi_token: the key 'measures' is missing"):
        validate(config, SCHEMA)


@pytest.mark.parametrize(
    ("path", "value", "sentence"),
    [
        (
            "experiments.feasibility.problems.shapes",
            [[3]],
            "experiments.feasibility.problems.shapes.0: [3] is too short",
        ),
        (
            "experiments.feasibility.problems.shapes",
            [3, 3],
            "experiments.feasibility.problems.shapes.0: 3 is not of type",
        ),
        ("experiments.penalised_head.descent.penalties", [0.1, -1], "descent.penalties.1: -1 is too small"),
        ("experiments.norm_growth.problems.n", 5, "experiments.norm_growth.problems.n: 5 is not a multiple of 2"),
        ("experiments.cone.descent.apertures", [2], "experiments.cone.descent.apertures.0: 2 is too large"),
        ("experiments.regularisation_path.descent.random_starts", 0, "descent.random_starts: 0 is too small"),
        ("experiments.convergence_types.measures.saturated", 1.5, "measures.saturated: 1.5 is too large"),
    ],
)
def test_wrong_value_of_the_newer_experiments_is_named(path, value, sentence):
    test_wrong_value_is_named(path, value, sentence)


@pytest.mark.parametrize(
    ("name", "stage", "values", "sentence"),
    [
        ("feasibility", "problems", {"shapes": [[3, 4], [3, 4]]}, r"shapes: a pair \(n, T\) occurs twice"),
        ("token_count", "problems", {"d": [4, 8]}, "only T may vary, give one n and one d"),
        ("regularisation_path", "descent", {"smallest": 2000}, "smallest is not below largest"),
        ("cone", "problems", {"n": 6, "T": 8}, "T to the power of n exceeds 4096"),
        ("positional", "problems", {"d": 1}, "positional.problems.d: an encoding needs two dimensions"),
    ],
)
def test_what_a_schema_cannot_say_is_said_by_the_experiment(name, stage, values, sentence):
    from attnsvm import experiments

    section = paper()["experiments"][name]
    section[stage] = {**section[stage], **values}
    with pytest.raises(UserError, match=sentence):
        experiments.get(name, section).cells()
