"""What each job reads, and which code is behind it."""

import pytest

from attnsvm.pipeline import cards, jobs
from attnsvm.pipeline.configuration import resolve

EXPERIMENTS = cards.experiments()
FIGURES = cards.figures()


@pytest.mark.parametrize("card", EXPERIMENTS, ids=lambda card: card.name)
def test_data_flow_one_way(card):
    """Problems, descent, svm, measures: a stage reads what stands before it, and training reads no solution."""
    order = [stage for stage in ("problems", "descent", "svm", "measures") if stage in card.modules]
    assert card.stages == tuple(order)
    for stage in order:
        earlier = jobs.earlier(card, stage)
        assert set(earlier) <= set(order[: order.index(stage)])
        assert ("problems" in earlier) == (stage != "problems")
    if "descent" in order:
        assert jobs.earlier(card, "descent") == ("problems",)
    assert jobs.earlier(card, "measures") == tuple(order[:-1])


def test_the_files_of_a_figure_are_those_of_its_stages_and_its_own():
    files = jobs.all_files("svm_rank")
    assert files == sorted(set(files))
    for name in ("problems", "svm", "measures", "figure"):
        assert f"attnsvm/experiments/paper/svm_rank/{name}.py" in files
    assert {"attnsvm/svm/methods/interior_point.py", "attnsvm/data/cells.py", "attnsvm/plots/style.py"} <= set(files)
    assert not [name for name in files if name.startswith(("attnsvm/training/", "attnsvm/audit/"))]


def test_problems_that_a_card_names_are_code_that_its_stages_run():
    assert {"attnsvm/data/grids/one_shape.py", "attnsvm/data/draws.py"} <= set(jobs.stage_files("adam"))


def test_a_figure_of_several_tables_has_the_files_of_all():
    several = [card for card in FIGURES if len(card.draws) > 1]
    assert several
    for card in several:
        wanted = {cards.read(name).modules[stage] for name in card.draws for stage in cards.read(name).stages}
        files = jobs.all_files(card.name)
        assert {f"{module.replace('.', '/')}.py" for module in wanted} <= set(files)


def test_the_audit_stands_on_everything():
    assert jobs.behind("audit") == tuple(card.name for card in EXPERIMENTS)
    files = set(jobs.all_files("audit"))
    for card in cards.claiming():
        assert f"attnsvm/experiments/{card.name}/claims.py" in files
    for card in EXPERIMENTS:
        assert {f"{card.modules[stage].replace('.', '/')}.py" for stage in card.stages} <= files


def test_every_job_has_a_hash_of_its_own_code():
    stages = {
        (card.modules[stage], stage): jobs.stage_code(card.name, stage) for card in EXPERIMENTS for stage in card.stages
    }
    figures = {card.modules["figure"]: jobs.figure_code(card.name) for card in FIGURES}
    others = [jobs.claims_code(), jobs.writer_code("audit_figure"), jobs.writer_code("provenance")]
    found = [*stages.values(), *figures.values(), *others]
    assert len(set(found)) == len(found)
    assert all(len(code) == 64 for code in found)


def test_twins_run_the_same_code():
    twins = [(card, cards.read(card.modules["measures"].split(".")[2])) for card in EXPERIMENTS]
    twins = [(card, other) for card, other in twins if card is not other]
    assert twins
    for card, other in twins:
        assert jobs.stage_code(card.name, "measures") == jobs.stage_code(other.name, "measures")


@pytest.mark.parametrize("edited", ["problems", "descent"])
def test_the_code_of_every_stage_is_in_the_history(monkeypatch, edited):
    """So what a killed run has begun to do anew is not forgotten: docs/trust.md."""
    stages, resolved, code = ("problems", "descent"), resolve({}), jobs.stage_code
    before = jobs.history("cone", stages, resolved)

    def after_an_edit(name, stage, arithmetic):
        return code(name, stage, arithmetic) + ("edited" if stage == edited else "")

    monkeypatch.setattr(jobs, "stage_code", after_an_edit)
    assert jobs.history("cone", stages, resolved) != before
