"""The two normalised steps: the table against a reading of the stored arrays."""

from itertools import product

import numpy as np
import pytest
from by_hand import NORM, cosine

from attnsvm.analysis.rows import where
from attnsvm.analysis.statistics import MEAN, QUARTILES
from attnsvm.svm import separation, solve

SMALL = {
    "problems": {"n": 3, "T": 4, "d": 6, "first_seed": 5, "instances": 4},
    "descent": {"steps": 60, "points": 5},
}


def test_the_table_is_its_definition(run):
    values = {}
    for (_, s, p, t, _), rule, (kind, norm) in product(run.each(), ("published", "exact"), NORM.items()):
        log = t[rule][kind]
        selected = log["probabilities"][s].argmax(1)
        target = solve(separation(p["tokens"][s], p["queries"][s], selected), norm).W
        for step, W in zip(log["steps"], log["weights"][s], strict=True):
            values.setdefault((rule, kind, int(step)), []).append(1 - cosine(W, target))
    names = ["normalisation", "parametrisation", "step"]
    table, means = (where(run.table, interval=kind).set_index(names) for kind in (QUARTILES, MEAN))
    assert sorted(table.index) == sorted(values)
    assert len(table) == 2 * 2 * 5
    for key, sample in values.items():
        row = table.loc[key]
        assert row.instances == len(sample) == 4
        # 1e-6: a nuclear solution of a batch and of a single solve agree to the root of their gap at worst.
        expected = np.quantile(sample, (0.5, 0.25, 0.75))
        np.testing.assert_allclose(row[["value", "low", "high"]].astype(float), expected, rtol=0, atol=1e-6)
    assert len(means) == 2 * 2
    for key, mean in means["value"].items():
        assert mean == pytest.approx(np.mean(values[key]), abs=1e-6)
