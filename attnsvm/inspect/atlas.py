"""Several models beside each other: how many of their heads pass which control, by depth."""

from collections.abc import Mapping

import pandas as pd

from attnsvm.inspect import summary
from attnsvm.inspect.columns import NORMS

PARTS = 6  # of the depth of a model
ALIGNED, PREDICTED = "aligned with their SVM better than", "predicted by their SVM better than by the best rule"
COLUMNS = ("model", "layer", "part", "norm", "control", "passed", "heads")


def counted(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """One row for each layer of each model and each control: how many heads pass, of how many that have both numbers.

    Args:
        tables: those of an inspection, one row per head, by the name of the model.

    Returns:
        Columns as `COLUMNS`; `part`: which of `PARTS` equal parts of the depth the layer is in, from 0.
    """
    rows = []
    for model, table in tables.items():
        depth = int(table["layer"].max()) + 1
        for layer, heads in table.groupby("layer"):
            for norm in NORMS:
                for what, *columns in controls(table, norm):
                    passed, of = summary.beaten(heads, *columns)
                    rows.append((model, layer, int(layer) * PARTS // depth, norm, what, passed, of))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def controls(table: pd.DataFrame, norm: str) -> list[tuple[str, str, str]]:
    """(what is said of heads that pass, column, the column that it is compared with)."""
    aligned = [(f"{ALIGNED} {what}", *of) for what, *of in summary.alignments(table, norm)]
    return aligned + [(PREDICTED, *of) for _, *of in summary.predictions(table, norm)]
