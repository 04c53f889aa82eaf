"""The configuration follows from the cards; a wrong one gets one sentence that names the key."""

import json
from functools import reduce
from operator import getitem
from unittest import mock

import pytest

from attnsvm.pipeline import cards, configuration
from attnsvm.pipeline.cards import OURS
from attnsvm.pipeline.checking import first_error
from attnsvm.pipeline.configuration import figure_settings, resolve, stage_settings
from attnsvm.system.errors import UserError

EXPERIMENTS = cards.experiments(optional=True)


@pytest.fixture(scope="module", autouse=True)
def one_schema():
    """Made once: to make it of all cards takes longer than to check a value."""
    with mock.patch.object(configuration, "schema", return_value=configuration.schema()):
        yield


def settings_of(card):
    return [(stage, key, setting) for stage, keys in card.settings.items() for key, setting in keys.items()]


# Of all its settings at once: a test for each of 800 settings would take ten times as long.
of_every_card = pytest.mark.parametrize("card", EXPERIMENTS, ids=lambda card: card.name)


def nested(path, value):
    """{"a": {"b": value}} of "a.b"."""
    for key in reversed(path.split(".")):
        value = {key: value}
    return value


def refused(given):
    """The one line with which a configuration is refused."""
    with pytest.raises(UserError) as caught:
        resolve(given)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("given", [{}, {"scale": "paper"}, {"experiments": None, "figures": None}, {"scale": "smoke"}])
def test_every_scale_of_every_card_is_valid(given):
    resolved = resolve(given)
    scale = given.get("scale", "paper")
    assert resolved["scale"] == scale
    assert list(resolved["experiments"]) == [card.name for card in EXPERIMENTS]
    for card in EXPERIMENTS:
        for stage, key, setting in settings_of(card):
            wanted = setting.get("smoke", setting["value"]) if scale == "smoke" else setting["value"]
            assert resolved["experiments"][card.name][stage][key] == wanted


@pytest.mark.parametrize("scale", ["paper", "smoke"])
def test_a_file_of_sorted_json_gives_jobs_the_same_settings_to_the_letter(scale):
    """Snakemake compares params as Python writes them, and figures/<name>.json, which bundles read, sorts its keys."""
    resolved = resolve({"scale": scale})
    assert repr(resolve(json.loads(json.dumps(resolved, sort_keys=True)))) == repr(resolved)


def keeps_its_bounds(setting):
    """Whether its values are such as it allows."""
    schema = {name: value for name, value in setting.items() if name not in OURS}
    return not any(first_error(setting[scale], schema) for scale in {"value", "smoke"} & set(setting))


@of_every_card
def test_a_setting_has_a_sentence_and_bounds_that_its_values_keep(card):
    for stage, key, setting in settings_of(card):
        name = f"{stage}.{key}"
        assert setting["text"].endswith("."), f"{name}: a sentence ends with a full stop"
        assert {"type", "enum", "pattern"} & (set(setting) - {*OURS}), f"{name}: anything at all is allowed"
        assert keeps_its_bounds(setting), name
        if "smoke" in setting:
            assert setting["smoke"] != setting["value"], f"{name}: a smoke value that changes nothing"


@of_every_card
def test_a_value_of_another_type_is_refused_by_its_name(card):
    wrong = {"not": "a value"}
    for stage, key, _ in settings_of(card):
        path = f"experiments.{card.name}.{stage}.{key}"
        assert refused(nested(path, wrong)).startswith(f"config: {path}: {wrong} is not ")


@pytest.mark.parametrize(
    ("path", "value", "sentence"),
    [
        ("experiments.local_convergence.problems.T", 1, ": 1 is too small"),
        ("experiments.svm_rank.problems.d", [2, 0], ".1: 0 is too small"),
        ("experiments", {"svmrank": {}}, ": unknown key 'svmrank': did you mean 'svm_rank'?"),
        ("figures", {"colour": "red"}, ": unknown key 'colour': known are dpi, font_size, width"),
        ("figures.dpi", 10**9, ": 1000000000 is too large, the largest value is 1200"),
        ("intermediates", "temp", ": 'temp' is not one of ['keep', 'drop']"),
        ("scale", "tiny", ": 'tiny' is not one of ['paper', 'smoke']"),
        *(("run", name, f": {name!r} is no name of a run: letters") for name in ("a/b", "..", "a\n", 12, "smoke", [])),
        ("experiments.svm_rank.problems.instances", 4.0, ": 4.0 is not of type integer"),
        ("experiments.svm_rank.problems.instances", True, ": True is not of type integer"),
        ("experiments.trajectories.problems.seed", 10**23, ": 100000000000000000000000 is too large"),
        ("experiments.multi_token.descent.learning_rate", float("nan"), ": nan is not of type finite number"),
        ("experiments.multi_token.descent.learning_rate", float("inf"), ": inf is not of type finite number"),
        ("experiments.feasibility.problems.shapes", [[3]], ".0: [3] is too short"),
        ("experiments.norm_growth.problems.n", 5, ": 5 is not a multiple of 2"),
        ("figures.dpi", "1e3", ": '1e3' is not of type integer: write 1000"),
        ("figures.dpi", 100.0, ": 100.0 is not of type integer: write 100"),
        ("figures.dpi", "inf", ": 'inf' is not of type integer"),
        ("figures.width", "nan", ": nan is not of type finite number"),
        ("figures", "72", ": '72' is not of type object: write keys and values, as in {dpi: 72}"),
        ("experiments", "cone", ": 'cone' is not of type object: write keys and values"),
        ("experiments.cone.problems.d", "1000000000", ": 1000000000 is too large, the largest value is 4096"),
        ("experiments.local_convergence.descent.learning_rate", 1e-300, ": 1e-300 is too small"),
    ],
)
def test_a_wrong_value_is_named(path, value, sentence):
    """By the whole path to it, with which the sentence goes on."""
    assert refused(nested(path, value)).startswith(f"config: {path}{sentence}")


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
    found = reduce(getitem, path.split("."), resolve(nested(path, text)))
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("name", "stage", "values", "sentence"),
    [
        ("feasibility", "problems", {"shapes": [[3, 4], [3, 4]]}, r"shapes: .*(occurs twice|non-unique)"),
        ("token_count", "problems", {"d": [4, 8]}, "only T may vary, give one n and one d"),
        ("cone", "problems", {"n": 6, "T": 8}, "T to the power of n exceeds 4096"),
        ("positional", "problems", {"d": 1}, r"problems\.d: (an encoding needs two dimensions|1 is too small)"),
    ],
)
def test_what_a_schema_cannot_say_is_said_by_the_experiment(name, stage, values, sentence):
    def cells():
        resolved = resolve({"experiments": {name: {stage: values}}})
        card = cards.read(name)
        return card.module("problems").cells(stage_settings(card, resolved, "problems"))

    with pytest.raises(UserError, match=sentence):
        cells()


def test_a_sentence_repeats_no_whole_file():
    sentence = refused({"scale": "x" * 10**6})
    assert len(sentence) < 2000
    assert sentence.startswith("config: scale: 'xxx")
    assert "smoke" in sentence[-100:]


WORDS = {"below": "not below", "at_most": "above"}
RELATIONS = [
    pytest.param(card, kind, *keys, id=f"{card.name}-{kind}-{keys[0]}")
    for card in EXPERIMENTS
    for relation in card.relations
    for kind, keys in relation.items()
]


@pytest.mark.parametrize(("card", "kind", "first", "second"), RELATIONS)
def test_a_relation_between_two_settings_is_checked_and_names_both(card, kind, first, second):
    """Broken by giving the first setting more than the second has."""
    (one, a), (other, b) = (key.split(".") for key in (first, second))
    mine, theirs = card.settings[one][a]["value"], card.settings[other][b]["value"]
    if kind == "same_length":
        given, sentence = [*mine, mine[-1] + 1], f"{len(mine) + 1} values, but"
        sentence += rf" experiments\.{card.name}\.{second} has {len(theirs)}: give one for each"
    else:
        least = min(theirs) if isinstance(theirs, list) else theirs
        given = least if kind == "below" else least + 1
        sentence = rf"{given} is {WORDS[kind]} experiments\.{card.name}\.{second}"
    with pytest.raises(UserError, match=rf"^config: experiments\.{card.name}\.{first}: {sentence}"):
        resolve(nested(f"experiments.{card.name}.{first}", given))


def test_the_users_changes_lie_over_the_cards_and_touch_nothing_else():
    plain = resolve({})
    changed = resolve({"experiments": {"svm_rank": {"problems": {"instances": 7}}}, "figures": {"dpi": 72}})
    assert changed["experiments"]["svm_rank"]["problems"].pop("instances") == 7
    assert changed["figures"].pop("dpi") == 72
    plain["experiments"]["svm_rank"]["problems"].pop("instances")
    plain["figures"].pop("dpi")
    assert changed == plain


def test_a_stage_is_given_its_own_settings_and_the_fixed_ones_in_the_order_of_the_alphabet():
    plain = resolve({})
    for card in EXPERIMENTS:
        for stage in card.stages:
            given = stage_settings(card, plain, stage)
            assert set(given) == set(card.fixed) | set(card.settings[stage])
            assert list(given) == sorted(given)


def test_the_settings_of_all_figures_keep_their_bounds():
    assert all(keeps_its_bounds(setting) for setting in figure_settings().values())
