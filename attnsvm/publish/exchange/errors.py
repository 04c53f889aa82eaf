"""The standard errors that a figure's table implies, as its card says what the columns mean."""

import numpy as np
import pandas as pd

from attnsvm.pipeline.cards import Card

ESTIMATES = ("median", "mean", "value", "share")
WIDTH = 2 * 1.959963984540054  # of a 95 % interval, in standard errors


def standard_errors(card: Card, table: pd.DataFrame) -> pd.DataFrame:
    """Standard errors of the estimates in a table, row by row: the columns that have any, NaN where a row has none.

    A column's interval is `low` to `high` where the card calls these the ends of a 95 % interval and nothing else: a
    quarter of its width is an error. A mean with `std` and `instances` has its usual error.
    """
    found = pd.DataFrame(index=table.index)
    said = card.columns.get("low", "")
    if "95 %" in said and not {"quartile", "band"} & {*said.replace(".", " ").replace(",", " ").split()}:
        for column in ESTIMATES:
            if column in table and {"low", "high"} <= {*table}:
                found[column] = (table["high"] - table["low"]) / WIDTH
    if {"mean", "std", "instances"} <= {*table}:
        found["mean"] = table["std"] / np.sqrt(table["instances"])
    return found
