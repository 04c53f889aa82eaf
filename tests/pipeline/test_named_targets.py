"""The targets, the groups of figures, and the sentence for what is no target."""

import re

import pytest

from attnsvm.pipeline import cards, targets

FIGURES = [card.name for card in cards.figures()]


def test_every_figure_is_in_one_group_and_an_optional_one_in_none():
    grouped = [name for group in cards.SECTIONS for name in targets.group(group)]
    assert sorted(grouped) == sorted(FIGURES)
    assert set(targets.optional()).isdisjoint(grouped)


def test_groups_are_the_folders_of_the_experiments():
    assert {path.name for path in cards.FOLDER.iterdir() if path.is_dir() and path.name != "__pycache__"} == set(
        cards.SECTIONS
    )
    assert {"svm_rank", "overview", "sequence", "crossing"} <= set(targets.group("paper"))
    assert {"layers", "mixtures_decide", "adam"} <= set(targets.group("beyond"))
    assert {"ladder", "trained"} <= set(targets.group("real"))
    assert cards.read("crossing").parent == "convergence_types"
    assert cards.read("cone").parent == ""


def test_what_sharpens_a_claim_lies_in_the_folder_of_the_experiment_of_that_claim():
    homes = {claim.key: card.name for card in cards.claiming(optional=True) for claim in card.claims}
    for card in cards.claiming(optional=True):
        sharpened = [claim.sharpens for claim in card.claims if claim.sharpens]
        if sharpened:
            above = {card.parent, *cards.folders()[card.name].relative_to(cards.FOLDER).parts[:-1]}
            assert any(homes[key] in above for key in sharpened) or sharpened == ["self_locally_optimal"], card.name
        assert bool(card.parent) <= bool(sharpened), f"{card.name} sharpens nothing of {card.parent}"


def test_a_page_of_claims_has_those_of_its_figures():
    assert (
        targets.shown("pretrained")
        == targets.claiming("pretrained")
        == targets.measured("pretrained")
        == ["pretrained"]
    )
    assert set(targets.claiming("paper")) == {c.name for c in cards.claiming()} & set(targets.group("paper"))
    assert {"normalisation", "self_convergence_types"} <= set(targets.measured("paper"))
    claimed = [name for group in cards.SECTIONS for name in targets.claiming(group)]
    assert sorted(claimed) == sorted(card.name for card in cards.claiming())


def test_every_target_is_described():
    assert set(targets.names()) == set(targets.descriptions())
    assert targets.names()[:2] == ["figures/all", "figures/audit"]
    assert targets.names()[2:8] == [f"figures/{name}" for name in cards.SECTIONS]


@pytest.mark.parametrize(
    ("file", "sentence"),
    [
        ("cone.eps", "figures are not made as .eps: build figures/cone, which makes pdf, png, svg, csv, json"),
        ("audit.tif", "figures are not made as .tif: build figures/audit, which makes pdf, png, svg, csv, json"),
        (
            "pretrained.eps",
            "figures are not made as .eps: build figures/pretrained, which makes pdf, png, svg, csv, json",
        ),
        ("kone", "unknown figure 'kone': did you mean 'cone'?"),
        ("kone.png", "unknown figure 'kone': did you mean 'cone'?"),
        ("papr", "unknown figure 'papr': did you mean 'paper'?"),
        ("pretraind", "unknown figure 'pretraind': did you mean 'pretrained'?"),
    ],
)
def test_a_file_that_is_none_of_a_figure(file, sentence):
    assert targets.no_such_figure(file) == sentence


def test_what_is_close_to_nothing_is_told_all_names():
    known = f"known are all, audit, {', '.join(cards.SECTIONS)}, {FIGURES[0]}, "
    assert targets.no_such_figure("zzz").startswith(f"unknown figure 'zzz': {known}")
    assert targets.no_such_target("zzz").startswith("unknown target 'zzz': known are figures/all, figures/audit, ")


@pytest.mark.parametrize(
    ("target", "sentence"),
    [
        ("kone", "unknown target 'kone': did you mean 'figures/cone'?"),
        ("cone", "unknown target 'cone': did you mean 'figures/cone'?"),
        ("reprt", "unknown target 'reprt': did you mean 'report'?"),
    ],
)
def test_a_target_that_is_not_there(target, sentence):
    assert targets.no_such_target(target) == sentence


def test_a_folder_of_results_that_is_no_experiment():
    assert targets.no_such_experiment("kone") == "unknown experiment 'kone': did you mean 'cone'?"
    assert targets.no_such_experiment("pretraind") == "unknown experiment 'pretraind': did you mean 'pretrained'?"


@pytest.mark.parametrize(
    ("target", "at", "sentence"),
    [
        ("smoke/figures/cone.png", "", "smoke/figures/cone.png is built with --config scale=smoke"),
        ("figures/cone.png", "smoke/", "with scale=smoke this is smoke/figures/cone.png"),
        ("results/cone/cells.csv", "smoke/", "with scale=smoke this is smoke/results/cone/cells.csv"),
        ("figures/audit.png", "smoke/", "with scale=smoke this is smoke/figures/audit.png"),
        ("figures/kone", "smoke/", "unknown figure 'kone': did you mean 'cone'?"),
    ],
)
def test_a_file_of_another_scale(target, at, sentence):
    assert targets.no_such_place(target, at) == sentence


def test_the_wildcards_keep_what_is_known_from_what_is_not():
    at_paper, at_smoke = targets.constraints(""), targets.constraints("smoke/")
    known, unknown = (re.compile(at_paper[key]) for key in ("figure", "unknown_figure"))
    assert known.fullmatch("pretrained")
    assert not known.fullmatch("kone")
    for file, refused in (("cone.png", False), ("audit.json", False), ("cone.eps", True), ("kone.png", True)):
        assert bool(unknown.fullmatch(file)) == refused, file
    folder = re.compile(at_paper["unknown_experiment"])
    assert [bool(folder.match(f"{name}/x")) for name in ("kone", "cone", "logs", "audit")] == [
        True,
        False,
        False,
        False,
    ]
    assert re.fullmatch(at_paper["unknown_place"], "smoke/figures/cone.png")
    assert re.fullmatch(at_smoke["unknown_place"], "figures/cone.png")
    assert not re.fullmatch(at_smoke["unknown_place"], "smoke/figures/cone.png")
    assert re.fullmatch(at_paper["claimed"], "paper")
