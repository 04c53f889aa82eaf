"""The claims of every experiment, whatever experiments there are, tried on the tables of the release.

Each condition of each claim is seen to flip, each limit decides, a table that lost rows gives a sentence, and a typo is
loud.
"""

import ast
import inspect
import re
from pathlib import Path

import mutation
import pytest
from tried import BY_KEY, CARDS, HOME, RELEASE, path, table

from attnsvm.audit import Tables
from attnsvm.audit.evaluation import FAILS, GROUPS, HOLDS, IN_PART, KINDS
from attnsvm.audit.numbers import Limit
from attnsvm.audit.table import audit
from attnsvm.pipeline import cards

TESTABLE = [pytest.param(key, id=f"{HOME[key]}-{key}") for key, claim in BY_KEY.items() if claim.testable]


def said(key, rows):
    """The row of one claim over a table, as text to the last digit, but for the words that name the interval."""
    found = audit(Tables(Path("nowhere"), cache={path(HOME[key]): rows}), {HOME[key]: (BY_KEY[key],)})
    return str(found.drop(columns=["check", "measured"]).to_dict())


def test_only_claims_about_models_that_are_not_here_are_not_tried():
    """Tables of figures that read files from outside are in the release where they were built for it."""
    untried = {card.name for card in cards.claiming(optional=True)} - set(CARDS)
    assert all("outside" in cards.read(name).modules for name in untried)
    assert not untried & set(RELEASE.figures)


def test_the_rows_stand_by_group(audited):
    """What sharpens a claim stands behind it, whatever experiment it is of."""
    asked = [claim for claim in BY_KEY.values() if not claim.sharpens]
    kinds = sorted(asked, key=lambda claim: KINDS.index(claim.kind) * (claim.group == "paper"))
    first = [claim.key for group in GROUPS for claim in kinds if claim.group == group]
    behind = {key: [other for other, claim in BY_KEY.items() if claim.sharpens == key] for key in first}
    assert list(audited.key) == [one for key in first for one in (key, *behind[key])]


def test_the_verdicts_are_those_of_the_release(audited):
    """The release's tables, read by the claims that are here."""
    kept = audited[audited.key.isin(RELEASE.verdicts) & audited.key.map(HOME).isin(list(RELEASE.figures))]
    assert len(kept) >= 100
    assert dict(zip(kept.key, kept.verdict, strict=True)) == {key: RELEASE.verdicts[key] for key in kept.key}


@pytest.mark.parametrize("key", TESTABLE)
def test_every_condition_can_fail_every_limit_decides_and_lost_rows_give_a_sentence(key):
    claim, name = BY_KEY[key], HOME[key]
    rows = mutation.slim(claim, name, table(name))
    left = mutation.unflipped(claim, name, rows)
    assert not left, f"the claims.py of {name}: no change of a number that was tried flips these"
    assert not mutation.idle(claim, name, rows), "these limits decide nothing"
    assert not mutation.broken(claim, name, rows), "a table without these rows must give a sentence: NoInstance"


@pytest.mark.parametrize("key", TESTABLE)
def test_a_renamed_column_is_an_error_or_is_not_read(key):
    """All are renamed, then all but the one that was missed first, until none is missed."""
    rows = table(HOME[key])
    renamed, before = {column: f"{column}_renamed" for column in rows}, said(key, rows)
    while True:
        try:
            after = said(key, rows.rename(columns=renamed))
            break
        except RuntimeError as error:
            sentence = f"the claims.py of {HOME[key]}: the claim {key!r} could not be read: KeyError: "
            first, _, missed = str(error).partition(sentence)
            assert not first
            del renamed[next(column for column in renamed if re.search(rf"\b{column}\b", missed))]
    assert after == before
    assert len(renamed) < len(rows.columns)


def test_every_claim_says_how_it_is_measured(audited):
    """In its own words, or in those that its declaration makes: number(..., text=...)."""
    for row in audited[audited.key.map(lambda key: BY_KEY[key].testable)].itertuples():
        assert len(row.check.split()) >= 2, row.key
        assert len(row.measured.split()) >= 3, row.key


@pytest.mark.parametrize("key", TESTABLE)
def test_every_limit_is_said_with_its_reason(key):
    claim = BY_KEY[key]
    for limit in claim.also.values():
        assert isinstance(limit, Limit)
        assert len(limit.wanted.split()) >= 4, "what is asked of which number"
    assert all(limit.why for limit in (claim.limit, *claim.also.values()))


def test_no_verdict_is_decided_by_an_interval_across_its_limit(audited):
    decided = audited[audited.verdict.isin([HOLDS, FAILS, IN_PART]) & audited.published.isna()]
    across = decided[(decided.low < decided.threshold) & (decided.threshold < decided.high)]
    assert len(decided) >= 100
    assert not list(across.key)


def test_every_claim_of_the_paper_says_what_it_is_and_no_theorem_fails(audited):
    paper = audited[audited.group == "paper"]
    assert set(paper.kind) == {"theorem", "print", "reading"}
    assert (paper.source != "").equals(paper.kind == "theorem")
    assert set(paper.verdict[paper.kind == "theorem"]) == {HOLDS}


@pytest.mark.parametrize("key", BY_KEY)
def test_a_sentence_of_a_claim_has_25_words_at_most(key):
    assert all(len(sentence.split()) <= 25 for sentence in re.split(r"(?<=\.) ", BY_KEY[key].statement))


@pytest.mark.parametrize("name", CARDS)
def test_no_limit_stands_in_a_reading(name):
    """A number with a point that something is compared with is a limit: a field of the claim, with its reason."""
    tree = ast.parse(inspect.getsource(CARDS[name].module("claims")))
    for function in (node for node in tree.body if isinstance(node, ast.FunctionDef)):
        compared = [inside for node in ast.walk(function) if isinstance(node, ast.Compare) for inside in ast.walk(node)]
        bare = [node for node in compared if isinstance(node, ast.Constant) and isinstance(node.value, float)]
        assert not bare, f"{name}/claims.py, line {bare[0].lineno}: {bare[0].value} belongs into `also` of its claim"
