"""How many max-margin answers the independent checker saw, and what it said, from the arrays of the stages.

Every answer carries a status, and the status is the checker's: `uncertified` is an answer whose proof it refused.
"""

import numpy as np
import pandas as pd

STATUSES = ("solved", "infeasible", "uncertified")
COLUMNS = ["solve", *STATUSES, "largest_gap", "largest_residual"]


def count(arrays: dict[str, np.ndarray]) -> pd.DataFrame:
    """One row for each batch of answers among `arrays`, whose names are `<solve>_status`, `<solve>_gap`, ..."""
    rows = []
    for name, status in arrays.items():
        if name == "status" or name.endswith("_status"):
            prefix = name.removesuffix("status")
            row = {"solve": prefix.removesuffix("_")}
            row |= {word: int((status == word).sum()) for word in STATUSES}
            row["largest_gap"] = _largest(arrays.get(f"{prefix}gap"), status == "solved")
            row["largest_residual"] = _largest(arrays.get(f"{prefix}residual"), status == "infeasible")
            rows.append(row)
    return pd.DataFrame(rows, columns=COLUMNS)


def total(counts: list[pd.DataFrame]) -> pd.DataFrame:
    """The counts of all cells and blocks, added up by solve."""
    frame = pd.concat(counts, ignore_index=True)
    added = dict.fromkeys(STATUSES, "sum") | dict.fromkeys(COLUMNS[-2:], "max")
    return frame.groupby("solve", as_index=False, sort=True).agg(added)[COLUMNS]


def _largest(values: np.ndarray | None, kept: np.ndarray) -> float:
    return float(values[kept].max()) if values is not None and kept.any() else np.nan
