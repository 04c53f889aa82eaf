"""Experiments under other settings: which there are, what they change, and what is refused."""

from dataclasses import replace

import pytest

from attnsvm.errors import UserError
from attnsvm.pipeline import cards, elsewhere, modules, targets
from attnsvm.pipeline.configuration import resolve, stage_settings, variants
from attnsvm.pipeline.hashes.dependencies import module_files
from attnsvm.pipeline.plan import Plan

RESOLVED, SMOKE = resolve({}), resolve({"scale": "smoke"})
PLAN = Plan(RESOLVED, {})
FLOW = cards.read("flow")
VALUES = RESOLVED["experiments"]["flow"]


def of(card=FLOW, **said):
    return elsewhere.variants(replace(card, elsewhere=said), VALUES)


def test_the_usual_variants_follow_from_the_kinds_of_the_settings():
    found = of()
    own = VALUES["problems"] | VALUES["descent"]
    assert found["many_inputs"].settings["problems"]["n"] == 2 * own["n"]
    assert found["three_tokens"].settings["problems"]["T"] == 3
    assert found["ten_times"].settings["descent"] == {"steps": 10 * own["steps"]}
    assert found["half_step"].settings["descent"] == {
        "steps": 2 * own["steps"],
        "learning_rate": own["learning_rate"] / 2,
        "flow_rate": own["flow_rate"] / 2,
    }
    assert found["other_seeds"].settings["problems"]["first_seed"] == own["first_seed"] + elsewhere.NEW_SEEDS
    assert found["one_hot"] == ("tokens", "one-hot tokens", {"problems": {"distribution": "one_hot", "instances": 16}})
    assert {one.group for one in found.values()} == set(elsewhere.GROUPS) - {"other"}


def test_a_card_leaves_out_changes_and_adds():
    found = of(
        usual=["shapes"],
        every={"problems": {"instances": 12}, "descent": {"steps": 100}},
        wide=None,
        near={"text": "near", "settings": {"problems": {"d": 5}}},
    )
    assert {"few_inputs", "narrow", "near"} <= set(found)
    assert not {"wide", "one_hot", "ten_times", "other_seeds"} & set(found)
    assert found["near"] == ("other", "near", {"problems": {"instances": 12, "d": 5}, "descent": {"steps": 100}})


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ({"wied": None}, "elsewhere: unknown usual variant 'wied': did you mean 'wide'?"),
        ({"every": {"descent": {"step": 3}}}, "elsewhere: every: there is no setting descent.step"),
        ({"near": {"text": "", "settings": {"svm": {"d": 3}}}}, "elsewhere: near: there is no setting svm.d"),
    ],
)
def test_a_card_that_says_what_there_is_not_is_refused(said, sentence):
    with pytest.raises(UserError) as caught:
        of(**said)
    assert str(caught.value).endswith(sentence)


def test_a_variant_that_breaks_a_bound_is_left_out():
    tight = FLOW.settings | {
        "problems": FLOW.settings["problems"] | {"n": FLOW.settings["problems"]["n"] | {"maximum": 3}}
    }
    assert "many_inputs" in of()
    assert "many_inputs" not in elsewhere.variants(replace(FLOW, settings=tight, elsewhere={}), VALUES)


def test_more_instances_on_request():
    few, more = (variants("flow", resolve({"elsewhere": times}))["wide"] for times in (1, 3))
    assert more.settings["problems"]["instances"] == 3 * few.settings["problems"]["instances"]


@pytest.mark.parametrize("name", targets.elsewhere())
def test_what_every_card_says_can_be_planned(name):
    """At both scales; the variants are those of all experiments whose tables are drawn."""
    for resolved in (RESOLVED, SMOKE):
        plan = Plan(resolved, {})
        for one in plan.variants(name):
            for drawn in cards.read(name).draws:
                card = cards.read(f"elsewhere/{drawn}/{one}")
                assert all(isinstance(stage_settings(card, resolved, stage), dict) for stage in card.stages)
                assert plan.blocks(card.name)


def test_a_variant_is_an_experiment_in_a_folder_of_its_own():
    name = "elsewhere/flow/one_hot"
    block = next(iter(PLAN.blocks(name)))
    assert PLAN.block_files("descent", name, block) == {"problems": f"results/{name}/{block}/problems.npz"}
    assert PLAN.settings("problems", name, block)["distribution"] == "one_hot"
    assert PLAN.settings("descent", name) == PLAN.settings("descent", "flow")
    with pytest.raises(UserError, match=r"^elsewhere/flow: unknown variant 'one_hto': did you mean 'one_hot'\?$"):
        PLAN.blocks("elsewhere/flow/one_hto")


def test_only_the_draw_of_a_variant_runs_its_distribution():
    file = "attnsvm/data/tokens/one_hot.py"
    assert file in module_files(*modules.of("problems", "elsewhere/flow/one_hot"))
    assert file not in module_files(*modules.of("problems", "elsewhere/flow/signs"))
    assert file not in module_files(*modules.of("descent", "elsewhere/flow/one_hot"))
    assert file not in module_files(*modules.of("problems", "flow"))
    assert PLAN.code("problems", "elsewhere/flow/wide") == PLAN.code("problems", "flow")


def test_the_matrix_reads_the_tables_of_every_variant():
    tables = PLAN.tables_elsewhere("self_attention")
    drawn = cards.read("self_attention").draws
    assert len(tables) == len(PLAN.variants("self_attention")) * len(drawn) > 10
    assert tables[1].startswith(f"results/elsewhere/{drawn[1]}/")
    assert set(PLAN.words("self_attention")) == set(PLAN.variants("self_attention"))


def test_what_cannot_be_tried_is_refused_by_name():
    assert targets.no_such_elsewhere("hierarchy").startswith("hierarchy makes no claim")
    assert targets.no_such_elsewhere("layer") == "unknown experiment with claims 'layer': did you mean 'layers'?"
