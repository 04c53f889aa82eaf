"""What stands on top of a figure: what is true of all of it, and its verdicts."""

from pathlib import Path

import pandas as pd
import pytest

from attnsvm.audit import Claims
from attnsvm.audit.conditions import number
from attnsvm.audit.evaluation import Drawn
from attnsvm.audit.headline import TINY, headline
from attnsvm.audit.numbers import Limit

ROWS = pd.DataFrame({"run": ["a", "b"], "value": [0.9, 0.2], "low": 0.8, "high": 1.0, "instances": [10, 10]})
WORDS = {"statement": "", "check": "", "measured": ""}


def head(table, claims, *scale, title="two points", **proofs):
    return headline(title, Drawn(Path(), "tiny", draws={"tiny": ("tiny",)}, table=table, **proofs), claims, *scale)


def claims(least=0.5, **shared):
    own = Claims(group="ours", **shared)
    own.declare("first", number(run="a").must(f"≥ {least}", "a reason", "run a: {value}"), short="a learns", **WORDS)
    return own


def elsewhere(figure=None):
    own = Claims(group="ours", figure=figure)
    reading = {"read": lambda tables, limit: tables.figure("cone"), "limit": Limit(0.0, "> {}", "")}
    own.add(key="other", short="of another table", **reading, **WORDS)
    return own


def test_a_figure_says_its_first_claim_and_the_verdict_changes_with_the_table():
    assert head(ROWS, claims())[:2] == ("A learns", "holds")
    worse = ROWS.assign(value=0.4, low=0.3, high=0.45)
    assert head(worse, claims())[:2] == ("A learns", "fails")
    assert head(ROWS.assign(low=0.4), claims())[:2] == ("A learns", "undecided")
    assert head(ROWS[ROWS.run == "b"], claims())[:2] == ("A learns", "untestable")
    counted = pd.DataFrame({"solved": [90, 10], "infeasible": 0, "remote": 0, "uncertified": [10, 0]})
    for proofs, verdict in ((counted[1:], "holds"), (counted, "undecided")):  # as the audit says it
        assert head(ROWS, claims(), proofs=proofs)[:2] == ("A learns", verdict)


def test_the_verdicts_of_all_claims_that_are_read_from_it_stand_there():
    mixed, alike = ([*claims(), *claims(least), *elsewhere("cone")] for least in (2.0, 0.6))
    assert head(ROWS, mixed)[:3] == ("Two points", "1 holds, 1 fails", "")
    assert head(ROWS, alike)[:3] == ("A learns", "2 hold", "o")


@pytest.mark.parametrize("passed_over", [elsewhere(), elsewhere("cone"), claims(figure="cone")])
def test_a_claim_that_the_figure_does_not_show_is_passed_over(passed_over):
    assert head(ROWS, [*passed_over, *claims()])[0] == "A learns"
    assert head(ROWS, passed_over, title="two points of `W z`")[:2] == ("Two points of $W z$", "")


def test_tiny_settings_have_no_verdict():
    assert head(ROWS, claims(), "smoke")[:2] == ("A learns", TINY)


def test_what_a_claim_cannot_read_is_said_as_in_the_audit():
    with pytest.raises(RuntimeError, match=r"the claims.py of tiny: the claim 'first' could not be read: KeyError"):
        head(ROWS.drop(columns="value"), claims())
