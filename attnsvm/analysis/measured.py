"""The results of a measurement: tidy rows per instance, and the outcome of every instance."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import wraps

import numpy as np
import pandas as pd

from attnsvm.data.cells import Cell


@dataclass(frozen=True)
class Measures:
    """`instances`: measured values, one per row. `outcomes`: the outcome of each instance (n, T, d, seed, outcome)."""

    instances: pd.DataFrame
    outcomes: pd.DataFrame


def gathered(measured: Callable[..., Iterator[pd.DataFrame]]) -> Callable[..., Measures]:
    """For a function that yields, run after run, rows of measured values and tables of `outcomes`: their Measures."""

    @wraps(measured)
    def measures(*arguments) -> Measures:
        parts = list(measured(*arguments))
        rows, ends = ([part for part in parts if ("outcome" in part) == ended] for ended in (False, True))
        return Measures(pd.concat(rows), pd.concat(ends))

    return measures


def outcomes(cell: Cell, seeds, outcome) -> pd.DataFrame:
    """The outcome table of some instances of a cell; `outcome` is one word or one per seed."""
    return pd.DataFrame(
        {"n": cell.n, "T": cell.T, "d": cell.d, "seed": np.asarray(seeds, dtype=int), "outcome": outcome}
    )


def curves(seeds: np.ndarray, steps: np.ndarray, values: dict[str, np.ndarray], **columns) -> pd.DataFrame:
    """Rows (columns, seed, step, values): one per instance and logged step.

    Args:
        seeds: (S,); steps: (L,).
        values: by column name, (S, L) each, or (S,) for values that do not change with the step.
        columns: constant columns, which come first.
    """
    shape = len(seeds), len(steps)
    frame = {"seed": np.repeat(np.asarray(seeds, dtype=int), len(steps)), "step": np.tile(steps, len(seeds))}
    for name, value in values.items():
        value = np.asarray(value, dtype=float)
        frame[name] = np.broadcast_to(value if value.ndim == 2 else value[:, None], shape).ravel()
    return pd.DataFrame(columns | frame, index=range(len(frame["seed"])))


def by_quantity(seeds: np.ndarray, steps: np.ndarray, found: dict[str, np.ndarray], **columns) -> pd.DataFrame:
    """Rows (columns, quantity, seed, step, value): those of `curves`, for one quantity after another.

    Args:
        found: by quantity, (S, L) each, or (S,).
    """
    each = (curves(seeds, steps, {"value": value}, **columns, quantity=name) for name, value in found.items())
    return pd.concat(each)


def all_solved(answers: Iterable[dict]) -> np.ndarray:
    """Which instances have a certified solution in each of these stacked answers, (S,) bool."""
    return np.logical_and.reduce([answer["status"] == "solved" for answer in answers])
