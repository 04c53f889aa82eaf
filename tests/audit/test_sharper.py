"""Claims that sharpen others: they name new seeds, those are new, and both rows stand together."""

from functools import cache
from html import unescape

import pandas as pd
import pytest
from test_table import claim
from tried import BY_KEY, CARDS, HOME

from attnsvm.audit import Tables, audit, certificates
from attnsvm.audit.evaluation import FAILS, HOLDS, IN_PART
from attnsvm.audit.figure import columns
from attnsvm.audit.pages import html, sharper, unexplained
from attnsvm.pipeline import cards
from attnsvm.pipeline.configuration import resolve, stage_settings
from attnsvm.system.errors import UserError

ROOT = cards.HERE.parents[1]
SCALES = ("paper", "smoke")
SHARPER = [key for key, own in BY_KEY.items() if own.sharpens]


@cache
def seeds(name, scale):
    """The seeds of everything that an experiment's table is made of."""
    found = set()
    for drawn in cards.read(name).draws:
        card = cards.read(drawn)
        for cell in card.module("problems").cells(stage_settings(card, resolve({"scale": scale}), "problems")):
            found |= set(cell.seeds)
    return found


def test_there_are_sharper_claims_and_their_seeds_are_read():
    assert SHARPER
    assert seeds("convergence_types", "paper") == set(range(500))
    assert seeds("self_attention", "smoke") == set(range(8))


@pytest.mark.parametrize("key", SHARPER)
def test_a_sharper_claim_names_the_seeds_that_it_is_judged_on(key):
    first, last = BY_KEY[key].seeds
    own = seeds(HOME[key], "paper")
    assert (min(own), max(own)) == (first, last)
    assert seeds(HOME[key], "smoke") <= set(range(first, last + 1))


@pytest.mark.parametrize("key", SHARPER)
def test_they_are_none_of_those_that_it_was_found_on(key):
    """Of the experiment of the claim first asked, and of every sharper claim before it, at any scale."""
    first = BY_KEY[key].sharpens
    earlier = [other for other in SHARPER[: SHARPER.index(key)] if BY_KEY[other].sharpens == first]
    own = set.union(*(seeds(HOME[key], scale) for scale in SCALES))
    for other in (first, *earlier):
        for scale in SCALES:
            assert not own & seeds(HOME[other], scale), (other, scale)


@pytest.mark.parametrize("key", SHARPER)
def test_it_sharpens_a_claim_as_first_asked_of_the_same_group(key):
    first = BY_KEY[BY_KEY[key].sharpens]
    assert not first.sharpens
    assert first.group == BY_KEY[key].group
    assert first.statement != BY_KEY[key].statement


@pytest.mark.parametrize("fields", [{"sharpens": "b"}, {"seeds": (3, 4)}])
def test_a_sharper_claim_without_seeds_or_the_other_way_round_ends_with_a_sentence(fields):
    with pytest.raises(UserError, match="claim 'a': `sharpens` and `seeds` go together"):
        claim("a", **fields)


@pytest.fixture
def found(folder):
    """Two claims as first asked, one of which fails, and one that sharpens it, of another experiment."""
    held = claim("held", statement="It holds so.", short="so", sharpens="b", seeds=(100, 109))
    claims = {"cone": (held, claim("a", statement="A.")), "svm_rank": (claim("b", statement="B."), claim("c"))}
    table = audit(Tables(folder), claims)
    table.loc[table.key == "b", "verdict"] = FAILS
    return table


def test_both_rows_stand_together_first_as_asked(found):
    assert list(found.key) == ["a", "b", "held", "c"]
    assert list(found.seeds) == ["", "", "100 to 109", ""]
    assert list(found.verdict) == [HOLDS, FAILS, HOLDS, HOLDS]


def test_without_the_claim_first_asked_it_stands_where_it_is(folder):
    claims = {"cone": (claim("held", sharpens="elsewhere", seeds=(1, 2)), claim("a"))}
    assert list(audit(Tables(folder), claims).key) == ["held", "a"]


def test_the_pages_say_what_it_sharpens_and_on_which_seeds(found, folder):
    counted = certificates(Tables(folder), ("cone",))
    text = unescape(html(found, counted))
    assert "What holds of b, on new seeds (100 to 109)" in text
    assert text.index("B.") < text.index("It holds so.")
    assert "1 of 1 has that row" in text
    assert sharper(found.iloc[0].to_dict()) == ""
    assert keys(unexplained(found)) == {"all": ["b"], "said": [], "open": []}


def keys(rows):
    return {name: [row["key"] for row in own] for name, own in rows.items()}


@pytest.mark.parametrize(("reason", "place"), [("Nobody knows why.", "said"), ("", "open")])
def test_a_claim_that_does_not_hold_and_that_nothing_sharpens_is_named_with_the_reason(found, folder, reason, place):
    alone = found[found.key != "held"].assign(unsharpened=reason)
    assert keys(unexplained(alone)) == {"all": ["b"], "said": [], "open": []} | {place: ["b"]}
    counted = certificates(Tables(folder), ("cone",))
    text = unescape(html(alone, counted))
    assert "0 of 1 has that row" in text
    assert reason in text
    assert ("without a reason" in text) == (not reason)


def test_every_claim_that_does_not_hold_at_full_scale_is_sharpened_or_says_why_not():
    """By the verdicts of the last full build, kept beside its pictures."""
    verdicts = pd.read_csv(ROOT / "figures/gallery/verdicts.csv")
    assert len(verdicts) > 50
    sharpened = {BY_KEY[key].sharpens for key in SHARPER if not CARDS[HOME[key]].optional}
    for key in verdicts.loc[verdicts["verdict"].isin([IN_PART, FAILS]), "key"]:
        own = BY_KEY.get(key)  # a claim may be gone since
        assert own is None or own.sharpens or key in sharpened or own.unsharpened, f"{key}: nothing sharpens it"


def test_a_reason_that_names_an_optional_figure_names_the_one_that_sharpens_the_claim():
    here = {BY_KEY[key].sharpens for key in SHARPER if not CARDS[HOME[key]].optional}
    elsewhere = {BY_KEY[key].sharpens: HOME[key] for key in SHARPER if CARDS[HOME[key]].optional}
    elsewhere = {key: name for key, name in elsewhere.items() if key not in here}
    for key, name in elsewhere.items():
        assert f"`snakemake figures/{name}`" in BY_KEY[key].unsharpened, key
    named = {key for key, own in BY_KEY.items() if "snakemake figures/" in own.unsharpened}
    assert named == set(elsewhere)


def test_the_overview_has_one_line_for_both(found):
    lines = [row for column in columns(found) for _, rows in column for row in rows]
    assert [(row["key"], row["held"]) for row in lines] == [("a", []), ("b", [HOLDS]), ("c", [])]
