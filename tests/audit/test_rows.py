"""The steps that several readings share."""

import pandas as pd
import pytest

from attnsvm.audit import NoInstance
from attnsvm.audit.rows import at_end, decade, decade_before, ends, last, one, single, where, with_hits


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


def test_the_end_is_that_of_the_run():
    assert at_end(WAY, "q", run="a") == (1.0, 0.0, 9.0, 5)
    for rows, who, missing in ((WAY, "b", "row of b"), (WAY.replace({"quantity": {"q": "r"}}), "a", "q of a")):
        with pytest.raises(NoInstance, match=missing):
            at_end(rows, "q", run=who)


def test_a_decade_before_is_a_tenth_of_the_steps_or_about_that():
    assert decade_before(WAY).step == 10
    assert [row.step for row in decade(WAY)] == [100, 10]
    assert [row.step for row in decade(WAY[WAY.step != 10])] == [100, 30]
    with pytest.raises(NoInstance, match="step a decade before the last"):
        decade_before(WAY[WAY.step > 10])
    with pytest.raises(NoInstance, match="step about a decade before the last"):
        decade(WAY[-1:])
