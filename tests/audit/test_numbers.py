"""Numbers with intervals, and limits."""

import math

import numpy as np
import pandas as pd
import pytest
import scipy

from attnsvm.analysis.statistics import median_interval, wilson
from attnsvm.audit.numbers import (
    Estimate,
    Limit,
    difference,
    each,
    estimate,
    exact,
    holm,
    largest,
    proportion,
    sample_mean,
    sample_median,
    share_of,
    smallest,
    turned_round,
)
from attnsvm.system.errors import UserError

ROW = pd.Series({"value": 2.0, "low": 1.0, "high": 5.0, "instances": 64})


def test_an_estimate_comes_from_a_row():
    assert estimate(ROW) == (2.0, 1.0, 5.0, 64)
    assert proportion(3.0, 4.0) == (*wilson(3, 4), 4)
    assert math.isnan(exact(1.0, 2).low)


def test_a_sample_mean_has_its_interval():
    half = 3.182446 * (5 / 3) ** 0.5 / 2
    assert sample_mean(pd.Series([1.0, 2.0, 3.0, 4.0])) == pytest.approx((2.5, 2.5 - half, 2.5 + half, 4))


def test_too_few_for_an_interval_meet_no_limit_and_decide_none():
    limit = Limit(3.0, "≤ {}", "")
    few = sample_median(pd.Series([1.0, 2.0, 3.0, 4.0, 2.0]))
    for one in (few, sample_mean(pd.Series([2.0])), estimate(ROW.mask(ROW.index.isin(["low", "high"])))):
        assert (one.value, one.low, one.high) == (2.0, -np.inf, np.inf)
        assert not limit(one)
        assert not limit.against(one)
    with turned_round():
        assert limit(sample_mean(pd.Series([2.0])))


def test_cells_pay_for_their_number():
    """Holm: the least of the tails times all cells, the next times one less, and never less than the one before."""
    tails = scipy.stats.binom.sf([0, 3, 0, 1], [2, 50, 1, 30], 0.01)
    found = holm(np.array([1, 4, 1, 2]), np.array([2, 50, 1, 30]), 0.01)
    assert found == pytest.approx([2 * tails[0], 4 * tails[1], 3 * tails[2], 2 * tails[0]])
    assert holm(np.array([0]), np.array([5]), 0.01) == [1.0]


def test_a_sample_median_and_a_share_have_theirs():
    values = pd.Series([5.0, 1.0, 2.0, 4.0, 3.0, 6.0, 7.0])
    assert sample_median(values) == (*median_interval(values.to_numpy()), 7)
    assert share_of(values > 2) == proportion(5, 7)


def test_an_interval_is_as_far_off_as_its_farther_end():
    seen = Estimate(1.0, 0.75, 1.5, 9)
    assert (seen.off(1.0), seen.off(2.0), seen.off(-1.0)) == (0.5, 1.25, 2.5)


def test_a_difference_is_as_wide_as_both():
    assert difference(Estimate(3, 2, 5, 9), Estimate(1, 0, 2, 9)) == (2, 0, 5, 9)


def test_the_largest_by_what_is_asked_and_the_first_of_equals():
    found = {"a": Estimate(1, 0, 9, 3), "b": Estimate(2, 1, 3, 4), "c": Estimate(2, 0, 3, 5)}
    assert largest(found).instances == 4
    assert largest(found.values(), by="high").instances == 3
    assert smallest(found, by="low").instances == 3


@pytest.mark.parametrize(
    ("wanted", "inside", "beyond"),
    [("mean ≤ {}", (0.5, 1.0), (1.1, 1.5)), ("≥ {}", (1.0, 1.5), (0.5, 0.9)), ("< {}", (0.5, 0.9), (1.1, 1.5)),
     ("each > {}", (1.1, 1.5), (0.5, 0.9))],
)  # fmt: skip
def test_a_limit_asks_the_whole_interval(wanted, inside, beyond):
    limit = Limit(1.0, wanted, "")
    for (low, high), met in ((inside, True), (beyond, False), ((0.5, 1.5), False)):
        seen = Estimate(1.0, low, high, 9)
        assert limit(seen) == met
        assert limit.against(seen) == ((low, high) == beyond)
        assert not limit(exact(1.0, 9)), "an interval that is not there is not inside"
    assert limit(1.0) == (limit.wanted[-4] in "≤≥")
    assert limit.text == wanted.format("1")


def test_the_worst_of_several_numbers_is_farthest_towards_the_limit():
    found = {"a": Estimate(1, 0.5, 9, 3), "b": Estimate(2, 1, 3, 4), "c": Estimate(3, 0, 4, 5)}
    for sign, instances in (("≤", 3), ("<", 3), ("≥", 5), (">", 5)):
        assert Limit(1.0, f"{sign} {{}}", "").worst(found).instances == instances


@pytest.mark.parametrize("wanted", ["", "{}", "about {}", "≤ {} ≤", "≤", "0 < {} < 1"])
def test_what_is_asked_ends_with_a_sign_and_the_limit(wanted):
    with pytest.raises(UserError, match="expected words that end with a sign and the limit"):
        Limit(1.0, wanted, "")


def test_each_number_is_a_part():
    found = {"a": exact(0.25, 1), "b": exact(2.0, 1)}
    assert each(found, "{}: {.value:.2g}", lambda seen: seen.value < 1) == {"a: 0.25": True, "b: 2": False}
