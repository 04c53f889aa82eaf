"""What stands on top of a figure: what is true of all of it, and its verdicts."""

import pandas as pd
import pytest

from attnsvm.audit import Claims
from attnsvm.audit.conditions import number
from attnsvm.audit.headline import TINY, headline
from attnsvm.audit.numbers import Limit

ROWS = pd.DataFrame({"run": ["a", "b"], "value": [0.9, 0.2], "low": 0.8, "high": 1.0, "instances": [10, 10]})
WORDS = {"statement": "", "check": "", "measured": ""}


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
    assert headline("tiny", "two points", ROWS, claims())[:2] == ("A learns", "holds")
    worse = ROWS.assign(value=0.4, low=0.3, high=0.45)
    assert headline("tiny", "two points", worse, claims())[:2] == ("A learns", "fails")
    assert headline("tiny", "two points", ROWS.assign(low=0.4), claims())[:2] == ("A learns", "undecided")
    assert headline("tiny", "two points", ROWS[ROWS.run == "b"], claims())[:2] == ("A learns", "untestable")


def test_the_verdicts_of_all_claims_that_are_read_from_it_stand_there():
    mixed, alike = ([*claims(), *claims(least), *elsewhere("cone")] for least in (2.0, 0.6))
    assert headline("tiny", "two points", ROWS, mixed)[:3] == ("Two points", "1 holds, 1 fails", "")
    assert headline("tiny", "two points", ROWS, alike)[:3] == ("A learns", "2 hold", "o")


@pytest.mark.parametrize("passed_over", [elsewhere(), elsewhere("cone"), claims(figure="cone")])
def test_a_claim_that_the_figure_does_not_show_is_passed_over(passed_over):
    assert headline("tiny", "two points", ROWS, [*passed_over, *claims()])[0] == "A learns"
    assert headline("tiny", "two points of `W z`", ROWS, passed_over)[:2] == ("Two points of $W z$", "")


def test_tiny_settings_have_no_verdict():
    assert headline("tiny", "two points", ROWS, claims(), "smoke")[:2] == ("A learns", TINY)


def test_what_a_claim_cannot_read_is_said_as_in_the_audit():
    with pytest.raises(RuntimeError, match=r"the claims.py of tiny: the claim 'first' could not be read: KeyError"):
        headline("tiny", "two points", ROWS.drop(columns="value"), claims())
