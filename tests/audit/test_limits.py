"""Limits that a proof or a theorem sets: a table that is beyond one by little does not meet its claim."""

import numpy as np
import pytest
from tried import BY_KEY, HOME, path, table

from attnsvm.audit import Tables
from attnsvm.audit.evaluation import FAILS, HOLDS, IN_PART


def ones(rows):
    """Where the theorem of feasibility asks for every instance."""
    return rows["d"] >= np.maximum(rows["T"] - 1, rows["n"])


def separable(rows):
    return (rows["method"] == "certified") & (rows["feasible"] > 0)


@pytest.mark.parametrize(
    ("key", "of", "column", "number", "verdict"),
    [
        ("feasibility", ones, "value", 0.99, FAILS),
        ("row_space", separable, "outside_max", 1e-8, FAILS),
        ("rank_bound", separable, "rank_error", 2e-5, IN_PART),
    ],
)
def test_one_row_beyond_a_limit_is_enough(key, of, column, number, verdict):
    rows, claim = table(HOME[key]), BY_KEY[key]
    place = rows.index[of(rows)][0]
    for value, expected in ((rows.loc[place, column], HOLDS), (number, verdict)):
        rows.loc[place, column] = value
        tables = Tables(None, HOME[key], cache={path(HOME[key]): rows})
        assert claim.reading(tables).verdict == expected
