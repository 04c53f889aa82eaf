"""How a reading becomes a verdict, and how rows are chosen."""

from dataclasses import replace
from functools import partial

import pandas as pd
import pytest

from attnsvm.audit import Claim, Claims, NoInstance, Reading, Tables, evaluation, only, some
from attnsvm.audit.evaluation import DIFFERS, FAILS, HOLDS, IN_PART, MOVING, UNDECIDED, by_kind, counts, said
from attnsvm.audit.numbers import Limit, estimate
from attnsvm.svm import verdict as verdicts
from attnsvm.system.errors import UserError

ROWS = pd.DataFrame({"norm": ["fro", "fro", "nuc"], "d": [2, 4, 4]})


YES, NO = {"a": True, "b": True}, {"a": True, "b": False}


@pytest.mark.parametrize(
    ("every", "main", "verdict"),
    [(False, YES, UNDECIDED), (False, NO, UNDECIDED), (True, YES, UNDECIDED), (True, NO, FAILS)],
)
def test_answers_without_proof_leave_no_verdict_but_an_example_against_it(every, main, verdict):
    found = Reading(0.5, 0.4, 0.6, 64, main, {"control": True}, every=every)
    assert found.without(1, 1 / 64).verdict == verdict


def test_a_claim_counts_the_answers_behind_each_table_that_it_reads():
    counted = pd.DataFrame(
        {"solve": ["a", "b"], "solved": [60, 64], "infeasible": 0, "remote": 0, "uncertified": [4, 0]}
    )
    kept = {"figures/own.csv": ROWS, "results/x/certificates.csv": counted}

    def read(tables, limit):
        return Reading(0.5, 0.4, 0.6, len(tables.own()) * 64, {"one": True})

    for tolerates, draws, verdict in ((0, "x", UNDECIDED), (4 / 64, "x", HOLDS), (0, "", HOLDS)):
        tables = Tables(None, "own", kept, draws={"own": tuple(draws), "other": ("y",)})
        claim = Claim("k", "ours", "", "", Limit(0, "≥ {}", ""), read=read, tolerates=tolerates)
        assert claim.reading(tables).verdict == verdict
        assert evaluation.STATUSES == verdicts.STATUSES
        assert tables.unproved() == ((4, 128, 4 / 64) if draws else (0, 0, 0.0))


@pytest.mark.parametrize(
    ("main", "further", "undecided", "verdict"),
    [
        (YES, {}, "", HOLDS),
        (YES, {"control": True}, "", HOLDS),
        (YES, {"control": False}, "", IN_PART),
        (NO, {}, "", FAILS),  # one of two things that the statement says
        (NO, {"control": True}, "", FAILS),
        (NO, {"control": False}, "", FAILS),
        (NO, {"x": False}, "bx", UNDECIDED),
        (YES, {"x": False}, "x", UNDECIDED),
        (NO, {"x": False}, "x", FAILS),  # what is undecided hides no failure
        (YES, {"x": False, "y": False}, "x", IN_PART),
    ],
)
def test_a_claim_fails_with_a_main_condition_and_holds_in_part_with_a_further_one(main, further, undecided, verdict):
    reading = Reading(1.0, 0.9, 1.1, 10, main, further, undecided=frozenset(undecided))
    assert reading.verdict == verdict
    assert list(reading.parts) == [*main, *further]
    assert replace(reading, published=2.0).verdict == (verdict if verdict in (HOLDS, UNDECIDED) else DIFFERS)


@pytest.mark.parametrize(
    ("met", "verdict"), [({"a": True, "b": False}, MOVING), ({"a": False, "b": False}, FAILS), (YES, HOLDS)]
)
def test_a_claim_is_still_moving_where_all_that_is_not_met_moves(met, verdict):
    assert Reading(1.0, 0.9, 1.1, 10, met, {"control": True}, moving=frozenset("b")).verdict == verdict


@pytest.mark.parametrize("of", [lambda one: one, lambda one: one.value])
@pytest.mark.parametrize(("low", "high", "verdict"), [(0.1, 0.2, HOLDS), (0.6, 1.3, UNDECIDED), (1.1, 1.3, FAILS)])
def test_no_claim_decides_what_its_interval_leaves_open(low, high, verdict, of):
    """Whether its function looks at the interval or at the value alone."""

    def read(tables, limit):
        one = estimate(tables.own().iloc[0])
        return Reading(*one, {"less": limit(of(one))})

    rows = pd.DataFrame({"value": [(low + high) / 2], "low": [low], "high": [high], "instances": [9]})
    claim = Claim(key="a", group="ours", read=read, **WORDS | {"limit": Limit(1.0, "< {}", "")})
    assert claim.reading(Tables(None, "own", cache={"figures/own.csv": rows})).verdict == verdict


def test_a_theorem_says_where_its_words_come_from_and_nothing_else_does():
    claim = partial(Claim, key="a", group="paper", **WORDS)
    assert claim(kind="theorem", source="the abstract").kind == "theorem"
    assert (claim().kind, replace(claim(), group="secondary").kind) == ("reading", "reading")
    for fields in ({"kind": "theorem"}, {"source": "the abstract"}, {"kind": "theorems"}):
        with pytest.raises(UserError, match="claim 'a': "):
            claim(**fields)


def test_a_reading_without_a_main_condition_is_an_error():
    with pytest.raises(ValueError, match="would never fail"):
        Reading(1.0, 0.9, 1.1, 10, {}, {"control": False})


def test_counts_leave_out_what_no_claim_has():
    rows = pd.DataFrame({"kind": ["reading", "ours", "reading"], "verdict": [FAILS, HOLDS, FAILS]})
    assert counts(rows) == {HOLDS: 1, FAILS: 2}
    assert by_kind(rows) == {"our stronger readings of the paper": {FAILS: 2}, "our own": {HOLDS: 1}}
    assert said(counts(rows)) == "1 holds, 2 fail"


def test_some_gives_the_rows_or_says_what_there_is_none_of():
    assert some(ROWS, "norm").equals(ROWS)
    with pytest.raises(NoInstance, match=r"^this run has no large dimension: nothing could be checked$"):
        some(ROWS[ROWS.d > 4], "large dimension")


def test_only_chooses_rows_and_says_what_there_is_none_of():
    assert list(only(ROWS, norm="fro", d=4).index) == [1]
    assert only(ROWS).equals(ROWS)
    with pytest.raises(NoInstance, match="this run has no row with norm = frob"):
        only(ROWS, norm="frob")
    with pytest.raises(NoInstance, match="this run has no row with d = 2"):
        only(ROWS, norm="nuc", d=2)
    with pytest.raises(KeyError, match="norms"):
        only(ROWS, norms="fro")


def test_tables_of_an_experiment_know_their_own_and_lend_copies(folder):
    tables = Tables(folder).of("svm_rank")
    assert tables.own().equals(tables.figure("svm_rank"))
    assert set(tables.own(method="certified", norm="nuc").method) == {"certified"}
    lent = tables.own()
    lent["value"] = 0
    assert tables.own()["value"].max() > 0


def test_a_group_that_is_not_there_is_named():
    with pytest.raises(UserError, match=r"claim 'a': there is no group 'papers': known are 'paper', 'ours'"):
        Claim(key="a", group="papers", short="", statement="", check="", limit=Limit(0.0, "> {}", ""))


WORDS = {"short": "", "statement": "", "check": "", "limit": Limit(0.0, "> {}", "")}


def test_a_claim_is_its_reading_with_words_and_limits_above_it():
    claims, near = Claims(group="paper", figure="cone"), Limit(1.0, "near < {}", "")

    @claims.add(near=near, **WORDS)
    def first(tables, limit, near):
        return Reading(1.0, 0.5, 1.5, 3, {near.wanted: True})

    claims.add(key="second", group="ours", read=first, **WORDS)
    assert [(claim.key, claim.group, claim.figure) for claim in claims] == [
        ("first", "paper", "cone"),
        ("second", "ours", "cone"),
    ]
    assert [claim.also for claim in claims] == [{"near": near}, {}]
    assert claims[0].read is claims[1].read is first
    assert claims[0].reading(Tables(None)).main == {"near < {}": True}


def test_a_word_that_is_no_field_and_no_limit_is_an_error():
    with pytest.raises(TypeError, match="the claim 'a' has no field 'unsharpend', and its value is not a Limit"):
        Claims(group="ours").add(key="a", read=len, unsharpend="So.", **WORDS)


def test_a_reading_without_a_name_needs_a_key():
    with pytest.raises(TypeError, match="a claim whose reading has no name needs a key"):
        Claims(group="ours").add(read=partial(len), **WORDS)
