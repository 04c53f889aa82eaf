"""What is wrong, in one sentence that names the key."""

import pytest

from attnsvm.pipeline.checking import first_error
from attnsvm.pipeline.log_format import NAMES, listed

SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "required": ["steps"],
    "properties": {
        "steps": {"type": "integer", "minimum": 1, "maximum": 10},
        "rate": {"type": "number", "exclusiveMinimum": 0},
        "name": {"type": ["string", "null"], "pattern": "^[a-z]+$"},
        "kind": {"enum": ["a", "b"]},
        "list": {"type": "array", "items": {"type": "integer"}, "minItems": 1, "uniqueItems": True},
        "inside": {"type": "object", "additionalProperties": False, "properties": {"key": {"type": "integer"}}},
    },
}


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        ({"steps": 3, "rate": 0.1, "name": None, "kind": "a", "list": [1, 2], "inside": {"key": 1}}, ""),
        ({}, "the key 'steps' is missing"),
        ({"steps": 0}, "steps: 0 is too small, the least value is 1"),
        ({"steps": 11}, "steps: 11 is too large, the largest value is 10"),
        ({"steps": 1.0}, "steps: 1.0 is not of type integer: write 1"),
        ({"steps": True}, "steps: True is not of type integer"),
        ({"steps": "x"}, "steps: 'x' is not of type integer"),
        ({"steps": 1, "rate": 0}, "rate: 0 is too small, it must be above 0"),
        ({"steps": 1, "rate": float("nan")}, "rate: nan is not of type finite number"),
        ({"steps": 1, "rate": float("-inf")}, "rate: -inf is not of type finite number"),
        ({"steps": 1, "name": 3}, "name: 3 is not of type string"),
        ({"steps": 1, "kind": "c"}, "kind: 'c' is not one of ['a', 'b']"),
        ({"steps": 1, "list": []}, "list: [] should be non-empty"),
        ({"steps": 1, "list": [1, "x"]}, "list.1: 'x' is not of type integer"),
        ({"steps": 1, "list": [1, 1]}, "list: [1, 1] has non-unique elements"),
        ({"steps": 1, "step": 2}, "unknown key 'step': did you mean 'steps'?"),
        ({"steps": 1, "inside": {"quite": 1}}, "inside: unknown key 'quite': known are key"),
        ({"steps": 1, "inside": {7: 1}}, "inside: unknown key '7': known are key"),
        ([], "[] is not of type object: write keys and values, as in {dpi: 72}"),
    ],
)
def test_the_first_error_is_one_sentence(value, sentence):
    assert first_error(value, SCHEMA) == sentence


def test_of_several_errors_the_first_by_key_is_named():
    assert first_error({"steps": 0, "rate": -1, "kind": 5}, SCHEMA).startswith("kind: 5 is not one of")


def test_of_very_many_names_the_first_are_listed_and_the_others_counted():
    names = [f"name{k}" for k in range(100)]
    assert listed(names[:NAMES]) == ", ".join(names[:NAMES])
    assert listed(names) == f"{', '.join(names[:NAMES])}, and {100 - NAMES} more"
