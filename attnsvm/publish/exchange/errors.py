"""The standard errors that the intervals of a figure's table imply."""

import pandas as pd

from attnsvm.analysis.statistics import MEAN, MEDIAN, SHARE, Z95


def standard_errors(table: pd.DataFrame) -> pd.DataFrame:
    """Standard errors of the estimates in a table, row by row: of the column `value`, NaN where a row has none.

    A row whose interval is a 95 % interval has one: a part of its width.
    """
    found = pd.DataFrame(index=table.index)
    if "interval" in table:
        widths = (table["high"] - table["low"]) / (2 * Z95)
        found["value"] = widths.where(table["interval"].isin([SHARE, MEAN, MEDIAN]))
    return found
