"""What the jobs of a run are given, by their wildcards, and what is refused."""

import pytest

from attnsvm.errors import UserError
from attnsvm.pipeline import blocks, cards, jobs
from attnsvm.pipeline.configuration import resolve, stage_settings
from attnsvm.pipeline.plan import Plan
from attnsvm.pipeline.refusals import said
from attnsvm.pipeline.running import devices

SMOKE = resolve({"scale": "smoke"})
PLAN = Plan(SMOKE, {})
CONE = {"experiment": "cone", "block": next(iter(PLAN.blocks("cone")))}


def test_a_block_reads_the_files_of_the_stages_before():
    base = f"smoke/results/cone/{CONE['block']}"
    assert PLAN.block_files("problems", **CONE) == {}
    assert PLAN.block_files("descent", **CONE) == {"problems": f"{base}/problems.npz"}
    assert PLAN.block_files("measures", **CONE) == {s: f"{base}/{s}.npz" for s in ("problems", "descent", "svm")}


@pytest.mark.parametrize(
    ("stage", "experiment", "block", "sentence"),
    [
        ("problems", "svm_rank", "9-of-2", "svm_rank has no block 9-of-2: its blocks are seeds-0-1, seeds-2-3"),
        ("svm", "svm_rank", "seeds-0-9", "svm_rank has no block seeds-0-9: its blocks are seeds-0-1, seeds-2-3"),
        ("descent", "svm_rank", "seeds-0-1", "svm_rank has no descent"),
    ],
)
def test_a_block_or_a_stage_that_is_not_there_is_refused(stage, experiment, block, sentence):
    with pytest.raises(UserError) as caught:
        PLAN.block_files(stage, experiment, block)
    assert str(caught.value) == sentence


def test_of_many_blocks_four_are_named():
    with pytest.raises(UserError, match=r"its blocks are [^,]+, [^,]+, [^,]+, [^,]+, \.\.\.$"):
        Plan(resolve({}), {"svm_rank": 8}).block_files("problems", "svm_rank", "none")


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
    assert "instances" not in PLAN.settings("problems", **CONE)
    assert PLAN.parts(**CONE) == [list(part) for part in PLAN.blocks("cone")[CONE["block"]]]


def test_what_comes_before_is_of_the_block_and_changes_with_an_earlier_stage_alone():
    other = Plan(resolve({"scale": "smoke", "experiments": {"cone": {"descent": {"steps": 7}}}}), {})
    assert PLAN.before("descent", **CONE) == other.before("descent", **CONE)
    assert PLAN.before("svm", **CONE) != other.before("svm", **CONE)
    assert PLAN.before("measures", "cone") != PLAN.before("measures", **CONE)
    assert PLAN.histories(["cone"]) == [PLAN.history("cone")] != other.histories(["cone"])
    assert PLAN.code("descent", **CONE) == jobs.stage_code("cone", "descent")


def test_a_figure_reads_the_tables_that_it_draws():
    assert list(PLAN.tables("overview")) == list(cards.read("overview").draws)
    assert PLAN.tables("cone") == {"cone": "smoke/results/cone/measures.parquet"}
    assert PLAN.counted("cells", "cone") == ["smoke/results/cone/cells.csv"]
    assert len(PLAN.counted("cells", "audit")) == len(cards.experiments())
    assert PLAN.figure_files("cone", kinds=["csv"]) == ["smoke/figures/cone.csv"]
    assert PLAN.audit_files("paper") == [f"smoke/results/audit/paper.{kind}" for kind in ("csv", "html", "md")]


def test_a_file_from_outside_that_is_missing_is_refused_and_concerns_nobody_else():
    given = {"scale": "smoke", "experiments": {"pretrained": {"problems": {"model": "no-such-model"}}}}
    plan = Plan(resolve(given), {})
    for ask in (plan.blocks, plan.outside):
        with pytest.raises(UserError, match="there is no model 'no-such-model'"):
            ask("pretrained")
    assert plan.all_outside("cone") == {}
    assert plan.all_outside("audit") == {}


def test_a_device_that_is_missing_is_refused_here_and_warned_of_elsewhere(monkeypatch):
    monkeypatch.setattr(devices, "missing", lambda device: "" if device == "cpu" else f"{device!r}: none")
    wanted = resolve({"experiments": {"multi_token": {"descent": {"device": "cuda"}}}})
    warned = []
    sentence = "config: experiments.multi_token.descent.device: 'cuda': none"
    with pytest.raises(UserError) as caught:
        devices.require_for("multi_token", wanted, True, warned.append)
    assert str(caught.value) == sentence
    devices.require_for("multi_token", wanted, False, warned.append)
    devices.require_for("cone", wanted, True, warned.append)
    assert not warned
    devices.require_for("multi_token", wanted, None, warned.append)
    assert warned == [f"{sentence} (jobs on other machines may have one)"]


def test_what_the_user_can_mend_ends_the_run_with_its_sentence():
    def refuse(what, *, how):
        raise UserError(f"{what} {how}")

    with pytest.raises(SystemExit, match=r"^error: this way$"):
        said(refuse, "this", how="way")
    assert said(max, 1, 2) == 2
