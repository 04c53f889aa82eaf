"""Consecutive steps at the end of a run. Steps of constant length shake the weights: what a single one of them hides,
whether two logits are level for example, several tell."""

from collections.abc import Iterator

import numpy as np

LATE = 20  # consecutive steps that are read together


def late_steps(ends) -> np.ndarray:
    """The `LATE` steps up to each of `ends` (E,), (E, LATE); the first steps of a short run more than once."""
    return np.maximum(np.asarray(ends)[:, None] - np.arange(LATE)[::-1], 0)


def to_log(kept, ends) -> np.ndarray:
    """The steps `kept` and those of `late_steps`, increasing: what a run logs."""
    return np.union1d(kept, late_steps(ends))


def parted(steps: np.ndarray, weights: np.ndarray, kept, ends) -> dict[str, np.ndarray]:
    """Weights (S, K, ...) logged at `steps`, for a file.

    Returns:
        "steps" and "weights" (S, len(kept), ...), those of `kept`; "read" (E,), `ends`, and "late" (S, E, LATE, ...),
        the weights at their `late_steps`.
    """
    own, late = np.searchsorted(steps, kept), np.searchsorted(steps, late_steps(ends))
    return {"steps": np.asarray(kept), "weights": weights[:, own], "read": np.asarray(ends), "late": weights[:, late]}


def shaken(run: dict, step: int) -> Iterator[dict]:
    """A run (see `parted`) at each late step up to `step`, as if that were all it logged; nothing if none are kept."""
    for end in np.flatnonzero(run.get("read", np.empty(0)) == step):
        for weights in np.moveaxis(run["late"][:, end], 1, 0):
            yield run | {"steps": np.array([step]), "weights": weights[:, None]}
