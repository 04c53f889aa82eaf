"""What is asked of every draw of instances."""

import numpy as np

FIELDS = ("tokens", "queries", "labels", "head", "seeds")


def check_batches(make, n, T, d):
    """Batches `make(seeds)` have their shapes and types, and an instance depends on its seed alone."""
    batch, alone, empty = make([5, 4, 5, 17]), make([17]), make([])
    assert batch.seeds.tolist() == [5, 4, 5, 17]
    assert len(empty) == 0
    assert batch.tokens.shape == (4, n, T, d)
    assert batch.queries.shape == (4, n, d)
    assert batch.labels.shape == (4, n)
    assert batch.head.shape in ((4, d), (4, d, d))
    assert (np.abs(batch.labels) == 1).all()
    for field in FIELDS:
        values = getattr(batch, field)
        assert values.dtype == (np.int64 if field == "seeds" else np.float64)
        assert np.isfinite(values).all()
        assert (values[3] == getattr(alone, field)[0]).all(), field
        assert (values[0] == values[2]).all(), field
        assert getattr(empty, field).shape == (0, *values.shape[1:])
        assert getattr(empty, field).dtype == values.dtype
    assert (batch.tokens[0] != batch.tokens[1]).any() or (batch.queries[0] != batch.queries[1]).any()
