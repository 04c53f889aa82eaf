"""The interval of a share against its formula."""

import numpy as np
import pandas as pd
import pytest
import scipy

from attnsvm.analysis.statistics import (
    MEAN,
    MEDIAN,
    QUARTILES,
    RATIO,
    SHARE,
    mean,
    median,
    median_interval,
    middle_half,
    ratio,
    sample_interval,
    share,
    share_interval,
    wilson,
)


def test_the_median_of_fewer_than_six_has_no_interval():
    assert median_interval(np.array([3.0, 1.0, 2.0, 5.0, 4.0]))[0] == 3.0
    assert np.isnan(median_interval(np.arange(5.0))[1:]).all()
    assert median_interval(np.arange(6.0)) == (2.5, 0.0, 5.0)


def test_the_interval_of_a_mean_share_stays_inside_its_bounds():
    values = np.array([1.0] * 9 + [0.5])
    mean, low, high = share_interval(values)
    assert (mean, high) == (0.95, 1.0)
    assert low == pytest.approx(0.95 - 2.262157 * np.std(values, ddof=1) / np.sqrt(10))
    assert share_interval(1 - values)[1] == 0.0
    assert np.isnan(share_interval(np.array([0.25]))[1:]).all()


def test_the_interval_of_a_share_is_scipys_to_the_bit():
    draw = np.random.default_rng(0)
    pairs = [(hits, count) for count in range(1, 25) for hits in range(count + 1)]
    pairs += [(int(draw.integers(0, count + 1)), int(count)) for count in draw.integers(25, 100_000, 100)]
    for hits, count in pairs:
        theirs = scipy.stats.binomtest(hits, count).proportion_ci(0.95, method="wilson")
        assert wilson(hits, count) == (hits / count, theirs.low, theirs.high)
        found = {"value": hits / count, "low": theirs.low, "high": theirs.high}
        assert share(np.arange(count) < hits) == found | {"instances": count, "interval": SHARE}


@pytest.mark.parametrize(("hits", "count"), [(0, 0), (2, 1), (-1, 3)])
def test_what_is_no_share_has_no_interval(hits, count):
    with pytest.raises(ValueError, match=f"got {hits}"):
        wilson(hits, count)


def test_the_interval_of_a_median_has_the_places_of_scipys_quantile():
    for count in (*range(6, 120), 1000, 4321):
        place = int(scipy.stats.binom.ppf(0.025, count, 0.5))
        values = np.random.default_rng(count).permutation(count)
        assert median_interval(values) == ((count - 1) / 2, place - 1, count - place)


def test_the_interval_of_a_sample_is_that_of_its_standard_error():
    values = pd.Series(np.random.default_rng(3).normal(size=30))
    mean, low, high = sample_interval(values)
    assert mean == values.mean() == pytest.approx((low + high) / 2)
    assert high - mean == pytest.approx(scipy.stats.t.ppf(0.975, 29) * values.sem())
    assert np.isnan(sample_interval(values[:1])[1])  # one value says nothing of the others


def test_an_estimate_names_its_interval_and_of_nothing_has_no_number():
    values = np.array([4.0, 1.0, 2.0, 3.0, 2.5, 2.5])
    for of, name, numbers in (
        (mean, MEAN, sample_interval(values)),
        (median, MEDIAN, median_interval(values)),
        (middle_half, QUARTILES, (2.5, 2.125, 2.875)),
    ):
        assert tuple(of(values).values()) == (*numbers, 6, name)
        *nothing, count, kept = of(values[:0]).values()
        assert np.isnan(nothing).all()
        assert (count, kept) == (0, name)


def test_a_ratio_of_means_is_as_certain_as_its_instances_agree():
    """Of the same instances: no width where one is a multiple of the other; else that of a resampling."""
    draw = np.random.default_rng(1)
    others = draw.normal(3.0, 0.5, size=400)
    assert list(ratio(2 * others, others).values()) == pytest.approx([2.0, 2.0, 2.0, 400, RATIO])
    values = 2 * others + draw.normal(0, 0.3, size=400)
    found = ratio(values, others)
    picks = draw.integers(400, size=(4000, 400))
    low, high = np.quantile(values[picks].mean(1) / others[picks].mean(1), (0.025, 0.975))
    assert found["value"] == values.mean() / others.mean()
    assert (found["low"], found["high"]) == pytest.approx((low, high), abs=2e-3)
