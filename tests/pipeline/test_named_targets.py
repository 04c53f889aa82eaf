"""The targets, the groups of figures, and the sentence for what is no target."""

import pytest

from attnsvm.pipeline import cards, targets

FIGURES = [card.name for card in cards.figures()]


def test_every_figure_is_in_one_group_and_an_optional_one_in_none():
    grouped = [name for group in cards.SECTIONS for name in targets.group(group)]
    assert sorted(grouped) == sorted(FIGURES)
    assert set(targets.optional()).isdisjoint(grouped)


def test_what_sharpens_a_claim_lies_in_the_folder_of_the_experiment_of_that_claim():
    homes = {claim.key: card.name for card in cards.claiming(optional=True) for claim in card.claims}
    for card in cards.claiming(optional=True):
        sharpened = [claim.sharpens for claim in card.claims if claim.sharpens]
        if sharpened:
            above = {card.parent, *cards.folders()[card.name].relative_to(cards.FOLDER).parts[:-1]}
            assert any(homes[key] in above for key in sharpened) or sharpened == ["self_locally_optimal"], card.name
        assert bool(card.parent) <= bool(sharpened), f"{card.name} sharpens nothing of {card.parent}"


def test_a_page_of_claims_has_those_of_its_figures():
    for of in (targets.shown, targets.claiming, targets.measured):
        assert of("pretrained") == ["pretrained"]
    assert set(targets.claiming("paper")) == {c.name for c in cards.claiming()} & set(targets.group("paper"))
    assert {"normalisation", "self_convergence_types"} <= set(targets.measured("paper"))
    claimed = [name for group in cards.SECTIONS for name in targets.claiming(group)]
    assert sorted(claimed) == sorted(card.name for card in cards.claiming())


KINDS = "which makes pdf, png, svg, csv, json"


@pytest.mark.parametrize(
    ("target", "sentence"),
    [
        ("figures/cone.eps", f"figures are not made as .eps: build figures/cone, {KINDS}"),
        ("figures/pretrained.eps", f"figures are not made as .eps: build figures/pretrained, {KINDS}"),
        ("figures/kone", "unknown figure 'kone': did you mean 'cone'?"),
        ("figures/kone.png", "unknown figure 'kone': did you mean 'cone'?"),
        ("figures/papr", "unknown figure 'papr': did you mean 'paper'?"),
        ("kone", "unknown target 'kone': did you mean 'figures/cone'?"),
        ("cone", "unknown target 'cone': did you mean 'figures/cone'?"),
        ("figure/cone", "unknown target 'figure/cone': did you mean 'figures/cone'?"),
        ("results/kone/cells.csv", "unknown experiment 'kone': did you mean 'cone'?"),
        ("results/audit/papr.html", "unknown page of claims 'papr': did you mean 'paper'?"),
        ("results/audit/paper.pdf", "pages of claims are not made as .pdf: ask for .html or .csv"),
        ("smoke/figures/cone.png", "smoke/figures/cone.png is built with --config scale=smoke"),
        ("runs/d12/results/cone/cells.csv", "runs/d12/results/cone/cells.csv is built with --config run=d12"),
    ],
)
def test_a_target_that_is_not_there(target, sentence):
    assert targets.wrong(target, "") == sentence


def test_what_is_close_to_nothing_is_told_all_names():
    known = f"known are all, audit, {', '.join(cards.SECTIONS)}, {FIGURES[0]}, "
    assert targets.wrong("figures/zzz", "").startswith(f"unknown figure 'zzz': {known}")
    assert targets.wrong("zzz", "").startswith("unknown target 'zzz': known are figures/all, figures/audit, ")


@pytest.mark.parametrize(
    ("target", "sentence"),
    [
        ("figures/cone.png", "with scale=smoke this is smoke/figures/cone.png"),
        ("results/cone/cells.csv", "with scale=smoke this is smoke/results/cone/cells.csv"),
        ("figures/audit.png", "with scale=smoke this is smoke/figures/audit.png"),
        ("figures/kone", "unknown figure 'kone': did you mean 'cone'?"),
        ("smoke/figures/kone.png", "unknown figure 'kone': did you mean 'cone'?"),
    ],
)
def test_a_target_that_is_not_there_at_the_smoke_scale_or_in_a_run_with_a_name(target, sentence):
    assert targets.wrong(target, "smoke/") == sentence
    named = sentence.replace("scale=smoke", "run=a scale=smoke").replace("smoke/", "runs/a/smoke/")
    assert targets.wrong(target.replace("smoke/", "runs/a/smoke/"), "runs/a/smoke/") == named


@pytest.mark.parametrize("at", ["", "smoke/", "runs/d12/"])
def test_what_a_job_makes_is_taken(at):
    made = ("figures/cone.png", "figures/audit.json")
    made += (
        "results/cone/seeds-0-3/svm.npz",
        "results/audit/claims.csv",
        "results/audit/paper.html",
        "paper/attnsvm.pdf",
    )
    made += ("results/logs/cone/measures.log", "results/elsewhere/cone/matrix.csv", "results/paper/numbers.json")
    assert {targets.wrong(f"{at}{path}", at) for path in made} == {""}
