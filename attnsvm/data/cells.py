"""The grid of an experiment: cells of one shape, each with the seeds of its instances."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from attnsvm.system.errors import require

COUNTED = ("first_seed", "instances", "candidates")  # which seeds there are: only `cells` is given these


@dataclass(frozen=True)
class Cell:
    """One point of an experiment's grid and the seeds of its instances; `variant` names what else sets it apart.

    In a grid the seeds follow one another, so that blocks are ranges of them.
    """

    n: int
    T: int
    d: int
    seeds: Sequence[int]
    variant: str = ""

    @property
    def label(self) -> str:
        return "_".join([f"n{self.n}", f"T{self.T}", f"d{self.d}", *filter(None, [self.variant])])


def seeds(settings: dict, count: str = "instances") -> range:
    """first_seed, first_seed + 1, ...: as many as `settings[count]` says."""
    first = settings["first_seed"]
    return range(first, first + settings[count])


def one_shape(settings: dict, variants: tuple[str, ...] = ("",), count: str = "instances") -> list[Cell]:
    """One cell per variant, all of one shape n, T, d and with the same seeds."""
    shape = settings["n"], settings["T"], settings["d"]
    return [Cell(*shape, seeds(settings, count), variant) for variant in variants]


def grid(n: list[int], T: list[int], d: list[int], own: Sequence[int]) -> list[Cell]:
    """One cell per (n, T, d), all with the same seeds."""
    return [Cell(each_n, each_T, each_d, own) for each_n in n for each_T in T for each_d in d]


def shapes(settings: dict) -> list[Cell]:
    """One cell per (n, T) of `shapes` and d of `d`, all with the same seeds."""
    pairs = [tuple(shape) for shape in settings["shapes"]]
    require(len(set(pairs)) == len(pairs), "config: problems.shapes: a pair (n, T) occurs twice")
    return [Cell(n, T, d, seeds(settings)) for n, T in pairs for d in settings["d"]]


def of_parts(parts: Iterable[Sequence]) -> list[tuple[int, Cell]]:
    """The cells of a block, each with its place in the grid; `parts` as `blocks.Part` has them, or as lists."""
    return [(place, Cell(n, T, d, range(first, last + 1), variant)) for place, n, T, d, variant, first, last in parts]
