"""What every experiment answers: which instances, and what each stage does with a batch of them.

The stages import torch, cvxpy and the solvers inside the methods that need them: a stage pays for, and its rule
depends on, only what it runs.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from attnsvm.errors import UserError
from attnsvm.problems import Problems

Arrays = dict[str, np.ndarray]


@dataclass(frozen=True)
class Cell:
    """One point of an experiment's grid and the seeds of its instances; `variant` names what else sets it apart."""

    n: int
    T: int
    d: int
    seeds: tuple[int, ...]
    variant: str = ""

    @property
    def label(self) -> str:
        return "_".join([f"n{self.n}", f"T{self.T}", f"d{self.d}", *filter(None, [self.variant])])

    def draw(self, draw_one) -> Problems:
        from attnsvm.draws import draw

        return draw(draw_one, self.seeds, self.n, self.T, self.d)


@dataclass(frozen=True)
class Measures:
    """`instances`: measured values, one a row. `outcomes`: what became of each instance (n, T, d, seed, outcome)."""

    instances: pd.DataFrame
    outcomes: pd.DataFrame


class Experiment(ABC):
    """An experiment with its configuration: {"problems": ..., "descent": ..., "svm": ..., "measures": ...}.

    `trainings` is how often `descent` trains each instance.
    """

    trainings = 1

    def __init__(self, config: dict):
        self.config = config

    @abstractmethod
    def cells(self) -> list[Cell]:
        """The whole grid, every cell with all its seeds."""

    @abstractmethod
    def problems(self, cell: Cell) -> Problems:
        """Draw the cell's instances."""

    @abstractmethod
    def descent(self, problems: Problems, progress) -> Arrays:
        """Train the instances; the first axis of every array but `steps` is the instance."""

    @abstractmethod
    def svm(self, problems: Problems, descent: Arrays) -> Arrays:
        """Solve the instances' max-margin problems."""

    @abstractmethod
    def measures(self, cell: Cell, problems: Problems, descent: Arrays, svm: Arrays) -> Measures:
        """Measure the instances of one cell in one block."""

    @abstractmethod
    def table(self, measures: Measures) -> pd.DataFrame:
        """The tidy table that the figure draws, from the measures of all instances."""


def block_cells(experiment: Experiment, block: str) -> list[Cell]:
    """The cells of block "i-of-N" (1-based): every N-th instance, counted through all cells; no empty cell."""
    index, count = (int(part) for part in block.split("-of-"))
    require(1 <= index <= count, f"there is no block {block}: blocks are 1-of-{count} to {count}-of-{count}")
    cells, position = [], 0
    for cell in experiment.cells():
        seeds = cell.seeds[(index - 1 - position) % count :: count]
        position += len(cell.seeds)
        if seeds:
            cells.append(replace(cell, seeds=seeds))
    return cells


def grid(config: dict, seeds: range) -> list[Cell]:
    """One cell per (n, T, d) of the lists in `config`, all with the same seeds."""
    return [Cell(n, T, d, tuple(seeds)) for n in config["n"] for T in config["T"] for d in config["d"]]


def require(condition: bool, sentence: str) -> None:
    """Raise `UserError(sentence)` unless the condition holds."""
    if not condition:
        raise UserError(sentence)


def one_shape(config: dict) -> list[Cell]:
    """The one cell of an experiment whose instances all have n, T and d as `config` says."""
    seeds = range(config["first_seed"], config["first_seed"] + config["instances"])
    return grid({key: [config[key]] for key in ("n", "T", "d")}, seeds)


def pairs(config: dict) -> list[Cell]:
    """One cell per (n, T) of `shapes` and d of `d`, all with the same seeds."""
    seeds = tuple(range(config["first_seed"], config["first_seed"] + config["instances"]))
    shapes = [tuple(shape) for shape in config["shapes"]]
    require(len(set(shapes)) == len(shapes), "config: shapes: a pair (n, T) occurs twice")
    return [Cell(n, T, d, seeds) for n, T in config["shapes"] for d in config["d"]]


def queries_of(problems: Problems, attention: str) -> np.ndarray:
    """The queries (S, n, d) of cross- or self-attention."""
    from attnsvm.inputs import ATTENTIONS

    return ATTENTIONS[attention](problems).queries


def certified(problems: Problems, selected: np.ndarray, norm: str, attention: str = "cross") -> Arrays:
    """The max-margin solutions that separate `selected` (S, n) int or (S, n, T) bool, stacked; see `svm.stack`."""
    from attnsvm.svm import separation, solve_batch, stack

    one = zip(problems.tokens, queries_of(problems, attention), selected, strict=True)
    return stack(solve_batch([separation(*arrays) for arrays in one], norm))


def share(hits: int, instances: int) -> dict:
    """A share and its 95 % Wilson score interval, as columns share, low, high, instances."""
    from scipy.stats import binomtest

    interval = binomtest(hits, instances).proportion_ci(0.95, method="wilson")
    return {"share": hits / instances, "low": interval.low, "high": interval.high, "instances": instances}


def how_to_train(settings: dict) -> dict:
    """The keyword arguments of `descent.train` that every descent section of the configuration has."""
    from attnsvm.training.steps import NORMALISATIONS

    rule = NORMALISATIONS[settings.get("normalisation", "published")](settings["learning_rate"])
    return {"rule": rule, "steps": settings["steps"], "device": settings.get("device", "cpu")}


def outcomes(cell: Cell, seeds, outcome) -> pd.DataFrame:
    """The outcome table of some instances of a cell; `outcome` is one word or one per seed."""
    return pd.DataFrame(
        {"n": cell.n, "T": cell.T, "d": cell.d, "seed": np.asarray(seeds, dtype=int), "outcome": outcome}
    )
