"""Which rows have a value, whatever pandas keeps a column in."""

import numpy as np
import pandas as pd
import pytest

from attnsvm.analysis.rows import equal

NUMBERS = [pd.Series([1, 2]), pd.Series([1.0, np.nan]), pd.Series([1, pd.NA], dtype="Int64"), pd.Series([True, False])]
WORDS = [
    *(pd.Series(["a", None]), pd.Series(["a", "b"], dtype="category"), pd.Series(["a", pd.NA], dtype="string")),
    *(pd.Series(["a", missing], dtype=object) for missing in (pd.NA, np.nan, None, 1)),
]


@pytest.mark.parametrize("column", NUMBERS + WORDS, ids=lambda column: str(column.dtype))
def test_a_missing_value_equals_nothing_but_none(column):
    word = any(column is one for one in WORDS)
    for value, same in (("a", word), (1, not word), (1.0, not word), (True, not word), ("c", False)):
        second = word and value in (1, True) and column[1] is not pd.NA and column[1] == 1
        assert equal(column, value).tolist() == [same, second]
    assert equal(column, None).tolist() == column.isna().tolist()
