"""What the jobs of a run are given, by their wildcards, and what is refused."""

import pytest

from attnsvm.pipeline import blocks, cards, modules, targets
from attnsvm.pipeline.configuration import block_settings, outside, resolve, stage_settings
from attnsvm.pipeline.plan import Plan, earlier
from attnsvm.pipeline.running import arithmetic
from attnsvm.system.errors import UserError

SMOKE = resolve({"scale": "smoke"})
PLAN = Plan(SMOKE, {})
CONE = {"experiment": "cone", "block": next(iter(PLAN.blocks("cone")))}
BASE = f"smoke/results/cone/{CONE['block']}"


def given(rule, plan=PLAN, **wildcards):
    """The params of a job, by name."""
    return {name: function(**wildcards) for name, function in plan.params(rule).items()}


def differ(file, plan):
    """Whether another thing is asked for under the name of a file."""
    return plan.made(file) != PLAN.made(file)


@pytest.mark.parametrize("card", cards.experiments(), ids=lambda card: card.name)
def test_data_flow_one_way(card):
    """Problems, descent, svm, measures: a stage reads what stands before it, and training reads no solution."""
    order = [stage for stage in ("problems", "descent", "svm", "measures") if stage in card.modules]
    assert card.stages == tuple(order)
    for stage in order:
        before = earlier(card, stage)
        assert set(before) <= set(order[: order.index(stage)])
        assert ("problems" in before) == (stage != "problems")
    if "descent" in order:
        assert earlier(card, "descent") == ("problems",)
    assert earlier(card, "measures") == tuple(order[:-1])


def test_a_block_reads_the_files_of_the_stages_before():
    assert PLAN.block_files("problems", **CONE) == {}
    assert PLAN.block_files("descent", **CONE) == {"problems": f"{BASE}/problems.npz"}
    assert PLAN.block_files("measures", **CONE) == {s: f"{BASE}/{s}.npz" for s in ("problems", "descent", "svm")}


@pytest.mark.parametrize(
    ("stage", "experiment", "block", "sentence"),
    [
        ("problems", "svm_rank", "9-of-2", "svm_rank has no block 9-of-2: its blocks are seeds-0-1, seeds-2-3"),
        ("svm", "svm_rank", "seeds-0-9", "svm_rank has no block seeds-0-9: its blocks are seeds-0-1, seeds-2-3"),
        ("descent", "svm_rank", "seeds-0-1", "svm_rank has no descent: its stages are problems, svm, measures"),
    ],
)
def test_a_block_or_a_stage_that_is_not_there_is_refused(stage, experiment, block, sentence):
    with pytest.raises(UserError) as caught:
        PLAN.block_files(stage, experiment, block)
    assert str(caught.value) == sentence


def test_few_blocks_are_measured_by_the_job_that_gathers_them():
    whole = resolve({})
    few, many = (Plan(whole, {"svm_rank": count}) for count in (blocks.MEASURED_TOGETHER, 5))
    assert set(few.gathered_files("svm_rank")) == {"problems", "svm"}
    files = many.gathered_files("svm_rank")
    assert {stage: len(paths) for stage, paths in files.items()} == {"measures": 5}
    assert files["measures"][0].startswith("results/svm_rank/seeds-0-")


def test_the_settings_of_a_block_do_not_say_how_many_seeds_there_are():
    card = cards.read("cone")
    assert PLAN.settings("measures", experiment="cone") == stage_settings(card, SMOKE, "measures")
    assert "instances" in stage_settings(card, SMOKE, "problems")
    assert given("problems", **CONE)["settings"] == block_settings(card, SMOKE, "problems")
    assert "instances" not in PLAN.settings("problems", **CONE)
    assert given("problems", **CONE)["parts"] == [list(part) for part in PLAN.blocks("cone")[CONE["block"]]]


def test_what_is_made_follows_from_the_jobs_before_and_from_no_later_one():
    other = Plan(resolve({"scale": "smoke", "experiments": {"cone": {"descent": {"steps": 7}}}}), {})
    changed = {file for rule in ("problems", "descent", "svm") if differ(file := f"{BASE}/{rule}.npz", other)}
    assert changed == {f"{BASE}/descent.npz", f"{BASE}/svm.npz"}
    assert PLAN.made_by("descent", **CONE)[1] == other.made_by("descent", **CONE)[1]
    assert PLAN.made_by("svm", **CONE)[1] != other.made_by("svm", **CONE)[1]
    later = ("smoke/results/cone/measures.parquet", "smoke/figures/cone.csv", "smoke/figures/cone.json")
    assert all(differ(file, other) for file in (*later, "smoke/results/audit/claims.csv", "smoke/figures/audit.pdf"))
    assert not differ("smoke/figures/rates.csv", other)


@pytest.mark.parametrize("edited", ["problems", "descent"])
def test_what_is_made_follows_from_the_code_of_every_stage_before(monkeypatch, edited):
    code = modules.code

    def after_an_edit(rule, *named):
        return code(rule, *named) | ({"sha256": "of an edit"} if rule == edited else {})

    monkeypatch.setattr(modules, "code", after_an_edit)
    assert differ(f"{BASE}/svm.npz", Plan(SMOKE, {}))


def test_every_job_has_a_hash_of_its_own_code():
    experiments, figures = cards.experiments(), cards.figures()
    stages = {(card.modules[one], one): modules.code(one, card.name) for card in experiments for one in card.stages}
    drawn = {card.modules["figure"]: modules.code("figure", card.name) for card in figures}
    others = [modules.code(rule) for rule in ("claims", "audit_figure", "provenance")]
    found = [code["sha256"] for code in (*stages.values(), *drawn.values(), *others)]
    assert len(set(found)) == len(found)
    assert all(len(sha256) == 64 for sha256 in found)


def test_the_params_of_the_audit_are_those_of_every_claim_and_a_page_has_those_of_its_own():
    whole, page = given("claims"), given("claims_of", claimed="paper")
    assert whole["claiming"] == [card.name for card in cards.claiming()]
    assert page["claiming"] == targets.claiming("paper")
    assert page["code"] != whole["code"]


def test_what_a_figure_says_of_itself_follows_from_its_experiments_alone():
    params = given("provenance", pictured="cone")
    assert params["experiments"] == {"cone": SMOKE["experiments"]["cone"]}
    assert params["blocks"] == {"cone": list(PLAN.blocks("cone"))}
    assert params["settings"] == SMOKE["figures"]


def test_a_figure_reads_the_tables_that_it_draws():
    assert list(PLAN.tables("overview")) == list(cards.read("overview").draws)
    assert PLAN.tables("cone") == {"cone": "smoke/results/cone/measures.parquet"}
    assert PLAN.counted("cells", "cone") == ["smoke/results/cone/cells.csv"]
    assert len(PLAN.counted("cells", "audit")) == len(cards.experiments())
    assert PLAN.figure_files("cone", kinds=["csv"]) == ["smoke/figures/cone.csv"]
    assert PLAN.audit_files("paper") == [f"smoke/results/audit/paper.{kind}" for kind in ("csv", "html")]


def test_a_file_from_outside_that_is_missing_is_refused_and_concerns_nobody_else():
    chosen = {"scale": "smoke", "experiments": {"pretrained": {"problems": {"model": "no-such-model"}}}}
    plan = Plan(resolve(chosen), {})
    for ask in (plan.blocks, plan.all_outside, lambda name: outside(cards.read(name), plan.resolved)):
        with pytest.raises(UserError, match="there is no model 'no-such-model'"):
            ask("pretrained")
    assert plan.all_outside("cone") == {}
    assert plan.all_outside("audit") == {}


def test_a_device_that_is_missing_is_refused(monkeypatch):
    monkeypatch.setattr(arithmetic, "lacking_device", lambda device: "" if device == "cpu" else f"{device!r}: none")
    wanted = resolve({"experiments": {"multi_token": {"descent": {"device": "cuda"}}}})["experiments"]
    with pytest.raises(UserError, match=r"^config: experiments\.multi_token\.descent\.device: 'cuda': none$"):
        arithmetic.require_device("multi_token", wanted["multi_token"]["descent"])
    arithmetic.require_device("cone", wanted["cone"]["descent"])
