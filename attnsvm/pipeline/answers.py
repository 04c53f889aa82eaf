"""How many max-margin answers the independent checker saw, and what it said, from the arrays of the stages.

Every answer carries a status, and the status is the checker's: `uncertified` is an answer whose proof it refused.
"""

import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

from attnsvm.svm.verdict import COUNTS, STATUSES, require_tight

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ["solve", *COUNTS, "largest_gap"]
PROOF = ("gap", "low", "arithmetic")  # stand beside every status
# What else an answer has; a stage keeps of it what a later one reads.
FIELDS = ("W", "dual", "high", "radius", "rank", "rank_low", "rank_bound", "rank_error", "method", "rejected")
USUAL = ("W",)


def count(tree: dict, experiment: str) -> "pd.DataFrame":
    """One row per batch of answers in nested dicts of arrays; a batch is a dict with `status`,
    `gap`, `low` and `arithmetic`.

    Raises:
        ValueError: a batch is not whole.
        UserError: as `require_tight`.
    """
    import pandas as pd  # late: the stages that only keep answers need none

    rows = []
    for path, batch in batches(tree):
        status = batch["status"]
        row: dict[str, object] = {"solve": path} | {word: int((status == word).sum()) for word in STATUSES}
        row["rational"] = int((batch["arithmetic"] == "rational").sum())
        row["largest_gap"] = _largest(batch["gap"], status == "solved")
        rows.append(row)
    require_tight(experiment, rows)
    return pd.DataFrame(rows, columns=COLUMNS)


def total(counts: "list[pd.DataFrame]", experiment: str) -> "pd.DataFrame":
    """The counts of all cells and blocks, added up by solve.

    Raises:
        UserError: as `require_tight`.
    """
    import pandas as pd

    counts = [frame for frame in counts if len(frame)]  # a block without instances has none
    if not counts:
        return pd.DataFrame(columns=COLUMNS)
    frame = pd.concat(counts, ignore_index=True)
    added = dict.fromkeys(COUNTS, "sum") | {"largest_gap": "max"}
    whole = frame.groupby("solve", as_index=False, sort=True).agg(added)[COLUMNS]
    require_tight(experiment, whole.to_dict("records"))
    return whole


def without_fields(tree: dict, kept: tuple[str, ...] = USUAL) -> dict:
    """The same nested dicts, where answers have of their FIELDS none but those in `kept`."""
    answers = "status" in tree and not isinstance(tree["status"], dict)
    return {
        name: without_fields(value, kept) if isinstance(value, dict) else value
        for name, value in tree.items()
        if not (answers and name in FIELDS and name not in kept)
    }


@contextmanager
def all_kept(kept: dict) -> Iterator[None]:
    """Make sure that every answer which the checker judges inside the block is found in the dict `kept` at its end.

    Raises:
        ValueError: some are not: a stage dropped them, and no table would count them.
    """
    before = _judged()
    yield
    judged = _judged() - before
    found = Counter(word for _, batch in batches(kept) for word in np.ravel(batch["status"]).tolist())
    if judged != found:
        raise ValueError(
            f"the checker judged {dict(judged)}, the arrays of this stage hold {dict(found)}: keep them all"
        )


def _judged() -> Counter:
    """How many answers the checker has judged in this process, by status; without importing it."""
    log = sys.modules.get("attnsvm.svm.audit_log")
    return Counter(log.judged) if log else Counter()


def batches(tree: dict, above: str = "") -> Iterator[tuple[str, dict]]:
    """The batches of answers in nested dicts, with their places; raises `ValueError` for one that is not whole."""
    whole = ("status", *PROOF)
    if any(name in tree and not isinstance(tree[name], dict) for name in whole):
        for name in whole:
            if name not in tree:
                raise ValueError(
                    f"{above or 'all'}: a batch of answers without {name!r}: its certificates cannot be counted"
                )
        yield above or "all", tree
    for name, value in tree.items():
        if isinstance(value, dict):
            yield from batches(value, f"{above}_{name}" if above else name)


def _largest(values: np.ndarray, kept: np.ndarray) -> float:
    return float(values[kept].max()) if kept.any() else np.nan
