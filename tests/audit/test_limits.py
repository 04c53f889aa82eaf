"""A limit that a theorem sets: a table that is beyond it by little does not meet its claim."""

import numpy as np
from tried import BY_KEY, HOME, path, table

from attnsvm.audit import Tables
from attnsvm.audit.evaluation import FAILS, HOLDS


def test_one_instance_beyond_the_theorem_is_enough():
    rows, claim = table(HOME["feasibility"]), BY_KEY["feasibility"]
    place = rows.index[rows["d"] >= np.maximum(rows["T"] - 1, rows["n"])][0]
    for value, expected in ((1.0, HOLDS), (0.99, FAILS)):
        rows.loc[place, "value"] = value
        assert claim.reading(Tables(None, claim.key, cache={path(claim.key): rows})).verdict == expected
