"""The grid of an experiment: cells of one shape, each with the seeds of its instances."""

from dataclasses import dataclass, replace

from attnsvm.errors import require


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


def seeds(settings: dict, count: str = "instances") -> tuple[int, ...]:
    """first_seed, first_seed + 1, ...: as many as `settings[count]` says."""
    first = settings["first_seed"]
    return tuple(range(first, first + settings[count]))


def one_shape(settings: dict, variants: tuple[str, ...] = ("",), count: str = "instances") -> list[Cell]:
    """One cell per variant, all of one shape n, T, d and with the same seeds."""
    shape = settings["n"], settings["T"], settings["d"]
    return [Cell(*shape, seeds(settings, count), variant) for variant in variants]


def grid(n: list[int], T: list[int], d: list[int], own: tuple[int, ...]) -> list[Cell]:
    """One cell per (n, T, d), all with the same seeds."""
    return [Cell(each_n, each_T, each_d, own) for each_n in n for each_T in T for each_d in d]


def shapes(settings: dict) -> list[Cell]:
    """One cell per (n, T) of `shapes` and d of `d`, all with the same seeds."""
    pairs = [tuple(shape) for shape in settings["shapes"]]
    require(len(set(pairs)) == len(pairs), "config: problems.shapes: a pair (n, T) occurs twice")
    return [Cell(n, T, d, seeds(settings)) for n, T in pairs for d in settings["d"]]


def block_cells(cells: list[Cell], block: str) -> list[tuple[int, Cell]]:
    """The cells of block "i-of-N" (1-based), each with its place in the grid; no empty cell.

    A block holds every N-th instance, counted through all cells.
    """
    index, count = (int(part) for part in block.split("-of-"))
    require(1 <= index <= count, f"there is no block {block}: blocks are 1-of-{count} to {count}-of-{count}")
    found, position = [], 0
    for place, cell in enumerate(cells):
        own = cell.seeds[(index - 1 - position) % count :: count]
        position += len(cell.seeds)
        if own:
            found.append((place, replace(cell, seeds=own)))
    return found
