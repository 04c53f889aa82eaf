"""The steps that several readings share."""

import pandas as pd
import pytest

from attnsvm.audit import NoInstance
from attnsvm.audit.rows import TENTH, Those, chosen, decade, ends, last, one, single, where, with_hits


def test_last_has_the_rows_of_the_last_step():
    rows = pd.DataFrame({"step": [1, 10, 10], "run": [0, 0, 1]})
    assert list(last(rows).run) == [0, 1]


def test_single_wants_one_row():
    rows = pd.DataFrame({"a": [1, 2]})
    assert single(rows[:1]).a == 1
    for wrong in (rows, rows[:0]):
        with pytest.raises(ValueError, match=f"{len(wrong)} rows where one is read"):
            single(wrong)


def test_ends_want_two_values():
    rows = pd.DataFrame({"d": [2, 4, 8], "share": [0.1, 0.2, 0.4]})
    first, final = ends(rows, "d")
    assert (first.share, final.share) == (0.1, 0.4)
    with pytest.raises(NoInstance, match="second value of d"):
        ends(rows[:1], "d")


def test_hits_are_the_instances_that_a_share_counts():
    rows = pd.DataFrame({"value": [2 / 3, 0.0, 1 / 7], "instances": [3, 5, 700]})
    assert list(with_hits(rows).hits) == [2, 0, 100]


def test_a_share_of_no_instance_is_an_error():
    with pytest.raises(ValueError, match="NA or inf"):
        with_hits(pd.DataFrame({"value": [float("nan")], "instances": [3]}))


WAY = pd.DataFrame({"run": "a", "quantity": "q", "step": [1, 10, 30, 100], "value": [4.0, 3.0, 2.0, 1.0]})
WAY = WAY.assign(low=0.0, high=9.0, instances=5)


def test_where_may_be_empty_and_one_says_what_is_missing():
    assert list(where(WAY, run="a", step=10).value) == [3.0]
    assert where(WAY, run="b").empty
    assert one(WAY, "run", step=30).value == 2.0
    with pytest.raises(NoInstance, match="no run of b"):
        one(WAY, "run of b", run="b")
    with pytest.raises(KeyError, match="runs"):
        where(WAY, runs="b")


def test_those_are_the_values_that_there_are_and_that_are_accepted():
    rows = pd.DataFrame({"run": ["early 2", "late", "early 1", "early 2"]})
    early = Those("that are early", lambda run: run.startswith("early"))
    assert [list(one.run) for one in chosen(rows, {"run": early})] == [["early 2", "early 2"], ["early 1"]]
    for nothing in ({"run": Those("of no run", lambda run: False)}, {"run": "none"}):
        with pytest.raises(NoInstance, match="this run has no early run"):
            list(chosen(rows, nothing, "early run"))


def test_a_decade_before_is_a_tenth_of_the_steps_or_about_that():
    (before,) = chosen(WAY, {"step": TENTH})
    assert list(before.step) == [10]
    assert [row.step for row in decade(WAY)] == [100, 10]
    assert [row.step for row in decade(WAY[WAY.step != 10])] == [100, 30]
    with pytest.raises(NoInstance, match="step a decade before the last"):
        list(chosen(WAY[WAY.step > 10], {"step": TENTH}))
    with pytest.raises(NoInstance, match="step about a decade before the last"):
        decade(WAY[-1:])
