"""Any configuration either resolves, down to the grid of every experiment, or ends with one sentence."""

import re

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from attnsvm.errors import UserError
from attnsvm.pipeline import captions, cards
from attnsvm.pipeline.configuration import resolve, schema, stage_settings

FEW = 2000  # instances up to which a grid is written out
WILD = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8), st.dates(),
    st.lists(st.integers(-2, 9), max_size=3), st.dictionaries(st.text(max_size=3), st.integers(), max_size=2),
)  # fmt: skip
QUICK = {"deadline": None, "derandomize": True, "database": None, "suppress_health_check": list(HealthCheck)}


def allowed(node):
    """Values that a schema allows, its bounds among them, and values just beyond."""
    if "enum" in node:
        return st.sampled_from(node["enum"])
    low, high = node.get("minimum", -9), node.get("maximum", 9)
    match node["type"]:
        case "integer":
            return st.integers(low, min(high, low + 40)) | st.sampled_from([low, high, low - 1, high + 1])
        case "number":
            near = st.floats(low, min(high, low + 5), exclude_min="exclusiveMinimum" in node)
            return near | st.sampled_from([low, high, low - 1, high * 2, float("nan"), float("inf")])
        case "boolean":
            return st.booleans()
        case "string":
            return st.from_regex(node["pattern"], fullmatch=True) if "pattern" in node else st.text(max_size=9)
        case "array":
            least = node.get("minItems", 0)
            return st.lists(allowed(node["items"]), min_size=max(0, least - 1), max_size=least + 3)
    raise AssertionError(node)


@st.composite
def parts(draw, node, often):
    """A part of what an object's schema allows; now and then a wrong key or a wild value."""
    if "properties" not in node:
        return draw(WILD if draw(st.integers(0, 29)) == 0 else allowed(node))
    if draw(st.integers(0, 59)) == 0:
        return draw(WILD)
    names = sorted(node["properties"])
    chosen = draw(st.lists(st.sampled_from(names), unique=True, max_size=often[0]))
    found = {name: draw(parts(node["properties"][name], often[1:] or often)) for name in chosen}
    if draw(st.integers(0, 59)) == 0:
        found[draw(st.sampled_from(names).map(lambda name: name[:-1]) | st.integers() | st.none())] = draw(WILD)
    return found


def configurations():
    """Parts of a configuration: at most two experiments, two stages, three keys."""
    whole = schema()
    return st.builds(
        lambda scale, figures, experiments: scale | figures | experiments,
        st.sampled_from([{}, {"scale": "smoke"}, {"scale": "paper"}, {"scale": "Smoke"}, {"scale": None}]),
        st.just({}) | st.builds(lambda x: {"figures": x}, parts(whole["properties"]["figures"], (3,))),
        st.builds(lambda x: {"experiments": x}, parts(whole["properties"]["experiments"], (2, 2, 3))),
    )


WRITTEN = set()  # the settings of grids: most are those of the card, and no grid need be made twice


def written_out(resolved):
    """What the workflow makes of a configuration before a job runs, and what each first job makes of it."""
    for card in cards.figures():
        captions.caption(card, resolved)
    for card in cards.experiments():
        for stage in card.stages:
            stage_settings(card, resolved, stage)
        own = stage_settings(card, resolved, "problems")
        few = sum(value for key, value in own.items() if isinstance(value, int) and "seed" not in key) <= FEW
        if few and (card.name, repr(own)) not in WRITTEN:
            assert card.module("problems").cells(own)
            WRITTEN.add((card.name, repr(own)))


def in_one_sentence(error):
    text = str(error)
    assert re.match(r"config: \S", text), text
    assert "\n" not in text
    assert len(text) < 1000


ENDS = {"resolved": 0, "refused": 0}


@given(configuration=configurations())
@settings(max_examples=400, **QUICK)
def test_a_configuration_resolves_or_ends_with_one_sentence(configuration):
    before = repr(configuration)
    try:
        resolved = resolve(configuration)
        assert resolve(resolved) == resolved
        written_out(resolved)
        ENDS["resolved"] += 1
    except UserError as error:
        in_one_sentence(error)
        ENDS["refused"] += 1
    assert repr(configuration) == before  # what the user gave stays as it is


def test_the_fuzz_sees_both_ends():
    if sum(ENDS.values()):
        assert min(ENDS.values()) >= 40, ENDS
