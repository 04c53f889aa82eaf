"""Experiments under other settings: which there are, what they change, and what is refused."""

from dataclasses import replace

import pytest

from attnsvm.pipeline import cards, elsewhere, modules, targets
from attnsvm.pipeline.configuration import resolve, stage_settings
from attnsvm.pipeline.hashes.dependencies import module_files
from attnsvm.pipeline.plan import Plan
from attnsvm.system.errors import UserError

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
    assert found["other_seeds"].settings["problems"]["first_seed"] == own["first_seed"] + 1_000_000
    assert found["one_hot"] == ("tokens", "one-hot tokens", {"problems": {"distribution": "one_hot", "instances": 16}})
    few = elsewhere.variants(replace(FLOW, elsewhere={}), VALUES | {"problems": VALUES["problems"] | {"instances": 20}})
    counts = [few[name].settings["problems"]["instances"] for name in ("one_hot", "ten_times")]
    assert counts == [16, 8]  # a quarter is less; eight are asked for whatever the work
    assert {one.group for one in found.values()} == set(elsewhere.GROUPS) - {"other"}


def test_one_hot_tokens_have_a_dimension_each_and_no_query_where_tokens_are_queries():
    for name, d in (("feasibility", [10, 11, 12]), ("flow", None)):
        found = elsewhere.variants(cards.read(name), RESOLVED["experiments"][name])
        assert found["one_hot"].settings["problems"].get("d") == d
    values = RESOLVED["experiments"]["local_convergence"]
    for name, has in (("local_convergence", True), ("self_local_convergence", False)):
        assert ("one_query" in elsewhere.variants(replace(cards.read(name), elsewhere={}), values)) == has


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


def test_the_seconds_of_a_variant_decide_how_many_there_are():
    """Those of the card's own are all there, and two of the usual ones; more on request."""
    own = {"near": {"text": "near", "settings": {"problems": {"d": 5}}}}
    first, second = elsewhere.FIRST[:2]
    assert set(of(seconds=100)) == {first, second}
    assert set(of(seconds=100, **own)) == {first, second, "near"}
    few, more = (elsewhere.variants(replace(FLOW, elsewhere={"seconds": 5}), VALUES, more=more) for more in (1, 2))
    work = sum(elsewhere.START + 5 * elsewhere.USUAL[name].work if name in elsewhere.USUAL else 6.5 for name in few)
    assert work <= elsewhere.BUDGET
    assert set(few) < set(more) < set(of())
    assert set(elsewhere.FIRST) == {*elsewhere.USUAL, *elsewhere.distributions()}


def test_a_variant_is_run_on_with_ten_times_its_steps():
    said = {"near": {"text": "near", "settings": {"descent": {"steps": 40}}}}
    card = replace(FLOW, elsewhere=said, name="elsewhere/flow/near_on", variant="near_on")
    assert elsewhere.of(card, VALUES).settings["descent"]["steps"] == 400
    assert elsewhere.of(replace(card, variant="one_hot_on"), VALUES).settings["problems"]["distribution"] == "one_hot"
    assert elsewhere.distribution("elsewhere/flow/one_hot_on") == "attnsvm.data.tokens.one_hot"
    with pytest.raises(UserError, match="unknown variant 'far_on'"):
        elsewhere.of(replace(card, variant="far_on"), VALUES)


def test_what_fails_is_run_on_as_the_seconds_allow():
    """But for claims that fail with other seeds too; and for other seeds and schedules where `ten_times` is there."""
    known, cheap = of(), [replace(FLOW, elsewhere={})]
    failed = [("a", "other_seeds"), ("a", "wide"), ("b", "narrow"), ("b", "one_hot"), ("b", "half_step"), ("c", "gone")]
    assert elsewhere.gone_on(failed, known, cheap) == ["one_hot", "narrow"]
    del known["ten_times"]
    assert elsewhere.gone_on(failed, known, cheap) == ["other_seeds", "one_hot", "narrow", "half_step"]
    dear = [replace(FLOW, elsewhere={"seconds": 4})]
    assert elsewhere.gone_on(failed, known, dear) == ["other_seeds", "one_hot"]
    assert elsewhere.gone_on(failed, known, dear, more=2) == ["other_seeds", "one_hot", "narrow", "half_step"]


def test_what_is_run_on_is_planned_where_there_are_steps():
    def on(name, verdict):
        return PLAN.measured_on(name, [{"claim": "a", "variant": "one_hot", "verdict": verdict}])

    (file,) = on("local_convergence", "fails")
    assert file.startswith("results/elsewhere/local_convergence/one_hot_on/")
    assert on("local_convergence", "still moving") == []
    assert on("feasibility", "fails") == []


def test_a_variant_that_breaks_a_bound_is_left_out():
    tight = FLOW.settings | {
        "problems": FLOW.settings["problems"] | {"n": FLOW.settings["problems"]["n"] | {"maximum": 3}}
    }
    assert "many_inputs" in of()
    assert "many_inputs" not in elsewhere.variants(replace(FLOW, settings=tight, elsewhere={}), VALUES)


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
    assert modules.code("problems", "elsewhere/flow/wide") == modules.code("problems", "flow")


def test_the_matrix_reads_what_was_measured_of_every_variant():
    files = PLAN.measured_elsewhere("self_attention")
    drawn = cards.read("self_attention").draws
    assert len(files) == len(PLAN.variants("self_attention")) * len(drawn) > 10
    assert files[1].startswith(f"results/elsewhere/{drawn[1]}/")
    assert files[1].endswith("/measures.npz")
    settings = PLAN.params("cells")["tables"]("self_attention")
    assert {path.removeprefix("results/").rpartition("/seeds")[0] for path in files} == set(settings)
    assert set(PLAN.words("self_attention")) == set(PLAN.variants("self_attention"))


def test_what_cannot_be_tried_is_refused_by_name():
    assert targets.wrong("elsewhere/hierarchy", "").startswith("hierarchy makes no claim")
    assert targets.wrong("elsewhere/layer", "") == "unknown experiment with variants 'layer': did you mean 'layers'?"
    assert targets.wrong("elsewhere/multi_token", "").startswith("unknown experiment with variants")  # numbers in print
