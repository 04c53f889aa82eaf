"""The length at half weight: exact for tokens that are alike, and what differs where they are not."""

import numpy as np
import pytest

from attnsvm.inspect.measures import half_length, predicted_and_measured


def test_at_that_length_half_of_the_weight_is_left():
    m = np.log(99.0)
    assert half_length(np.array([m, 0.0, 0.0])) == pytest.approx(100.0)
    weights = np.exp(np.append(m, np.zeros(99)))  # one token and 99 behind it: 100 tokens
    assert weights[0] / weights.sum() == pytest.approx(0.5)


def test_equal_tokens_share_the_weight_and_a_token_alone_never_loses_it():
    assert half_length(np.zeros(7)) == pytest.approx(2.0)
    assert half_length(np.zeros(1)) == half_length(np.array([1e4, 0.0])) == np.inf


def test_both_agree_if_further_tokens_are_alike_and_not_if_they_stay_out():
    alike = [np.append(5.0, np.zeros(T - 1)) for T in (4, 5, 6, 20, 30, 40)]
    row = predicted_and_measured(alike)
    assert row["half_length_predicted"] == pytest.approx(1 + np.exp(5.0)) == pytest.approx(row["half_length_measured"])
    out = [np.concatenate([one[:4], one[4:] - 50.0]) for one in alike]
    assert (
        predicted_and_measured(out)["half_length_measured"] > 5 * predicted_and_measured(out)["half_length_predicted"]
    )


def test_without_long_inputs_nothing_is_measured():
    row = predicted_and_measured([np.arange(4.0)] * 5)
    assert np.isfinite(row["half_length_predicted"])
    assert np.isnan([row[f"half_length_measured{end}"] for end in ("", "_low", "_high")]).all()
