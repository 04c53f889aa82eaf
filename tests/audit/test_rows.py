"""The steps that several readings share."""

import pandas as pd
import pytest

from attnsvm.audit import NoInstance
from attnsvm.audit.rows import ends, last, sample_mean, single, with_hits


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
    rows = pd.DataFrame({"share": [2 / 3, 0.0, 1 / 7], "instances": [3, 5, 700]})
    assert list(with_hits(rows).hits) == [2, 0, 100]


def test_a_share_of_no_instance_is_an_error():
    with pytest.raises(ValueError, match="NA or inf"):
        with_hits(pd.DataFrame({"share": [float("nan")], "instances": [3]}))


def test_a_sample_mean_has_its_interval():
    value, low, high = sample_mean(pd.Series([1.0, 2.0, 3.0, 4.0]))
    half = 1.959964 * (5 / 3) ** 0.5 / 2
    assert (value, low, high) == pytest.approx((2.5, 2.5 - half, 2.5 + half))
