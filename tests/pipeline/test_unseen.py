"""Unseen seeds: an experiment of their own with the same code, and which claims are asked on them."""

from types import SimpleNamespace

import pytest
from test_cards import FILES
from test_cards import folder as folder

from attnsvm.audit.evaluation import Claim
from attnsvm.audit.numbers import Limit
from attnsvm.pipeline import cards
from attnsvm.pipeline.captions import caption
from attnsvm.pipeline.configuration import resolve
from attnsvm.system.errors import UserError

SETTINGS = {
    "problems": {
        "n": {"type": "inputs", "value": 4, "smoke": 2},
        "first_seed": {"type": "seed"},
        "instances": {"type": "count", "value": 10, "smoke": 3},
    }
}
ALL = (*FILES, "claims")


def again(**problems):
    return {"again": {"settings": {"problems": {"first_seed": 100} | problems}}}


def claim(key, **fields):
    return Claim(key, "ours", "", "", "", Limit(0.0, "> {}", ""), **fields)


@pytest.fixture
def claims(monkeypatch):
    """What the claims.py of every folder declares."""
    declared = [claim("first"), claim("held", sharpens="first", on="again")]
    monkeypatch.setattr(cards.Card, "module", lambda self, part: SimpleNamespace(CLAIMS=declared))
    return declared


def test_they_are_an_experiment_behind_the_first_with_its_code_and_other_settings(folder):
    folder("a_first", files=ALL, settings=SETTINGS, blocks=2, seconds=9, notes="Notes.", unseen=again(n=9))
    folder("b", settings=SETTINGS)
    assert [card.name for card in cards.every()] == ["a_first", "again", "b"]
    first, own = cards.read("a_first"), cards.read("again")
    assert own.modules == first.modules
    assert (own.parent, own.on, own.section, own.columns) == ("a_first", "again", "own", first.columns)
    assert (own.draws, own.blocks, own.seconds, own.notes) == (("again",), 2, None, "")
    assert cards.place("again") == cards.place("a_first")
    assert own.settings["problems"]["n"] == first.settings["problems"]["n"] | {"value": 9}
    assert (own.settings["problems"]["n"]["smoke"], first.settings["problems"]["n"]["value"]) == (2, 4)
    assert own.title == "a title, on unseen seeds"
    resolved = {"experiments": {"again": {"problems": {"first_seed": 100}}}}
    assert caption(own, resolved) == "The figure a_first on unseen seeds, from 100 on. A caption."


def test_what_else_may_be_another(folder):
    said = again()["again"] | {"blocks": 1, "seconds": 4, "optional": "slow", "elsewhere": {"seconds": 1}}
    folder("first", files=ALL, settings=SETTINGS, blocks=2, elsewhere={"seconds": 5, "usual": []}, unseen={"x": said})
    own = cards.read("x")
    assert (own.blocks, own.seconds, own.optional, own.elsewhere) == (1, 4, "slow", {"seconds": 1, "usual": []})
    assert [card.name for card in cards.figures()] == ["first"]
    assert [card.name for card in cards.optional()] == ["x"]


def test_a_card_may_name_several_and_may_be_like_another(folder):
    folder("first", settings=SETTINGS)
    later = {"later": {"settings": {"problems": {"first_seed": 200}}}}
    folder("twin", files=("claims",), settings=None, like="first", fixed={"attention": "self"}, unseen=again() | later)
    assert [card.name for card in cards.every()] == ["first", "twin", "again", "later"]
    assert cards.read("later").fixed == {"attention": "self"}
    assert cards.read("later").modules["measures"] == "attnsvm.experiments.own.first.measures"


def test_a_claim_is_asked_on_the_seeds_that_it_names(folder, claims):
    folder("first", files=ALL, settings=SETTINGS, unseen=again(instances=5))
    assert cards.read("first").claims == (claims[0],)
    (own,) = cards.read("again").claims
    assert (own.key, own.seeds) == ("held", (100, 104))
    assert cards.read("elsewhere/again/far").claims == (own,)
    folder("silent", settings=SETTINGS)
    assert cards.read("silent").claims == ()


@pytest.mark.parametrize(("optional", "words"), [({"optional": "slow"}, "`snakemake figures/again`"), ({}, "")])
def test_a_claim_that_is_sharpened_on_request_says_where(folder, claims, optional, words):
    folder("first", files=ALL, settings=SETTINGS, unseen={"again": again()["again"] | optional})
    (first,) = cards.read("first").claims
    assert words in first.unsharpened
    assert bool(first.unsharpened) == bool(words)


def test_a_claim_on_seeds_that_the_card_does_not_name_ends_with_a_sentence(folder, claims):
    claims.append(claim("other", sharpens="first", on="agian"))
    folder("first", files=ALL, settings=SETTINGS, unseen=again())
    for name in ("first", "again"):
        with pytest.raises(UserError, match=r"own/first/claims.py: other: card.yaml names no unseen seeds 'agian'"):
            _ = cards.read(name).claims


def test_seeds_on_which_nothing_is_asked_end_with_a_sentence(folder, claims):
    del claims[1]
    folder("first", files=ALL, settings=SETTINGS, unseen=again())
    with pytest.raises(UserError, match=r"first/card.yaml: unseen: again: no claim of claims.py says on='again'"):
        _ = cards.read("again").claims


@pytest.mark.parametrize(
    ("unseen", "sentence"),
    [
        (again(m=3), "again: settings: unknown setting 'problems.m': did you mean 'problems.n'?"),
        (again(n=0), "again: settings: problems.n: value: 0 is too small, the least value is 1"),
        (again(first_seed=9), "again: first has the seed 9 too: begin with a later first_seed"),
        ({"again": {"settings": {"problems": {"n": 3}}}}, "unseen: again: problems.first_seed is missing"),
        ({"again": {"settings": {"problem": {}}}}, "unseen.again.settings: unknown key 'problem': did you mean"),
        ({"A b": again()["again"]}, "'A b' does not match"),
        ({"other": again()["again"]}, "attnsvm/experiments/own/other has the name 'other': choose another"),
        ({"first": again()["again"]}, "attnsvm/experiments/own/first has the name 'first': choose another"),
        ({"taken": again()["again"]}, "attnsvm/experiments/own/first has the name 'taken': choose another"),
    ],
)
def test_what_is_wrong_with_them_is_said_in_a_sentence(folder, unseen, sentence):
    with pytest.raises(UserError) as caught:
        read_again(folder, unseen)
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


def read_again(folder, unseen):
    """Where the sets of two experiments have one name, the second is told."""
    folder("other", settings=SETTINGS, unseen={"taken": again()["again"]} if "taken" in unseen else None)
    folder("first", settings=SETTINGS, unseen=unseen)
    return cards.read("again")


def test_they_are_new_in_a_smoke_run_too(folder):
    """Here the first experiment has more instances in a smoke run."""
    more = {"problems": SETTINGS["problems"] | {"instances": {"type": "count", "value": 3, "smoke": 10}}}
    folder("first", settings=more, unseen=again(first_seed=5))
    with pytest.raises(UserError, match="unseen: again: first has the seed 5 too"):
        cards.read("again")


def test_a_figure_of_several_tables_has_none_and_no_card_is_like_them(folder):
    folder("other", settings=SETTINGS)
    folder("first", settings=SETTINGS, draws=["first", "other"], unseen=again())
    with pytest.raises(UserError, match="again: the figure of first draws several tables"):
        cards.read("again")
    folder("first", settings=SETTINGS, unseen=again())
    folder("twin", files=(), settings=None, like="again")
    with pytest.raises(UserError, match=r"twin/card.yaml: like: there is no experiment 'again'"):
        cards.read("twin")


def test_the_configuration_has_their_settings_by_name():
    given = {"experiments": {"heads_again": {"descent": {"steps": 10}}}}
    for scale, instances in (("paper", 64), ("smoke", 4)):
        own = resolve(given | {"scale": scale})["experiments"]["heads_again"]
        assert (own["descent"]["steps"], own["problems"]["first_seed"]) == (10, 100_000)
        assert own["problems"]["instances"] == instances
    with pytest.raises(UserError, match=r"experiments\.heads_again\.descent: unknown key 'step': did you mean 'steps'"):
        resolve({"experiments": {"heads_again": {"descent": {"step": 10}}}})


def test_they_may_have_words_and_modules_of_their_own(folder):
    said = {"title": "another", "caption": "Words.", "notes": "More.", "columns": {"value": "A.", "instances": "B."}}
    folder("first", files=ALL, settings=SETTINGS, unseen={"again": again()["again"] | said})
    apart = cards.FOLDER / "own" / "first" / "again"
    apart.mkdir()
    for part in ("descent", "figure", "helper", "claims"):
        (apart / f"{part}.py").write_text("")
    first, own = cards.read("first"), cards.read("again")
    assert (own.title, own.caption, own.notes) == ("another", "Words.", "More.")
    assert set(own.columns) == {"value", "low", "high", "instances", "interval"}
    others = {part: f"attnsvm.experiments.own.first.again.{part}" for part in ("descent", "figure")}
    assert own.modules == first.modules | others


def test_other_fixed_settings_alone_are_of_the_same_seeds_for_other_figures_to_draw(folder):
    folder("first", files=ALL, settings=SETTINGS, fixed={"attention": "cross"}, unseen={"twin": {"fixed": {"a": 1}}})
    first, own = cards.read("first"), cards.read("twin")
    assert (own.fixed, own.settings) == ({"attention": "cross", "a": 1}, first.settings)
    assert own.modules == {part: first.modules[part] for part in cards.STAGES if part in first.modules}
    assert (own.draws, own.claims) == ((), ())
    assert [card.name for card in cards.figures()] == ["first"]


@pytest.mark.parametrize("card", [card for card in cards.every() if card.on], ids=lambda card: card.name)
def test_those_that_there_are_run_the_code_of_their_experiment_and_are_asked_something(card):
    first = cards.read(card.parent).modules
    assert {part for part in card.modules if f".{card.name}." not in card.modules[part]} <= first.keys()
    assert "problems" not in first or card.modules["problems"] == first["problems"]
    assert all(one.sharpens for one in card.claims)
    assert bool(card.claims) == bool(card.draws)
