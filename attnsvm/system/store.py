"""Intermediate files: atomic to write, checked when read.

A block file is an uncompressed .npz of nested dicts of arrays, the names along the way joined by slashes; a table is
Parquet. Every file is written beside its final name and moved into place, so a name either holds a whole file or
nothing, and every read first compares it with its checksum (`attnsvm.system.checksums`). Pandas is imported where a
table is read: stages that pass arrays on need not wait for it.
"""

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from attnsvm.system import checksums, npz
from attnsvm.system.errors import UserError, require
from attnsvm.system.writing import replacing
from attnsvm.system.writing import save_bytes as save_bytes
from attnsvm.system.writing import save_text as save_text

if TYPE_CHECKING:
    import pandas as pd

FORMULA = re.compile("'*[=+\\-@\t\n＝＋－＠]")  # begins what a spreadsheet runs, or such a text quoted
HIDDEN = "."  # begins the names of cells that no stage reads

Tree = dict[str, "np.ndarray | Tree"]


class Arrays(dict):
    """Arrays, or dicts of them, by name; one that the file lacks is a `UserError` that names the module to mend."""

    def __init__(self, path: str | os.PathLike, place: str):
        super().__init__()
        self.path, self.place = path, place

    def __missing__(self, name: str):
        stage, known = Path(self.path).stem, ", ".join(self) or "nothing"
        raise UserError(
            f"{self.path}: there is no array {self.place}/{name}: {stage}.py of this experiment returned {known}; "
            f"let it return {name!r}, or read another name in the later stages"
        )


class Cells(dict[str, Arrays]):
    """The cells of a block file by label; one that the file lacks has no arrays."""

    def __init__(self, path: str | os.PathLike):
        super().__init__()
        self.path = path

    def __missing__(self, cell: str) -> Arrays:
        return Arrays(self.path, cell)


def save_cells(path: str | os.PathLike, cells: dict[str, Tree]) -> None:
    """Write the arrays of every cell of a block; dicts may hold dicts, and no name a slash."""
    with replacing(path) as temporary, open(temporary, "wb") as file:
        np.savez(file, **dict(_leaves(cells)))  # type: ignore[arg-type]  # NumPy's own keyword is no name of ours


def load_cells(path: str | os.PathLike, hidden: bool = False) -> Cells:
    """Read a block file written by `save_cells`; an empty dict in it is not seen again.

    Args:
        hidden: read the cells that no stage reads, and no others.
    """

    def read() -> Cells:
        cells, arrays = Cells(path), npz.Arrays(path)
        for key in arrays:
            if key.startswith(HIDDEN) != hidden:
                continue
            cell, *folders, name = key.split("/")
            inside = cells.setdefault(cell, Arrays(path, cell))
            for folder in folders:
                inside = inside.setdefault(folder, Arrays(path, f"{inside.place}/{folder}"))
            inside[name] = arrays[key]
        return cells

    return _whole(path, read)


def _leaves(tree: dict, above: str = "") -> Iterator[tuple[str, np.ndarray]]:
    for name, value in tree.items():
        if "/" in name:
            raise ValueError(f"{above}{name}: expected a name without a slash")
        if isinstance(value, dict):
            yield from _leaves(value, f"{above}{name}/")
        else:
            yield f"{above}{name}", value


def save_table(path: str | os.PathLike, table: "pd.DataFrame") -> None:
    """Write a table as Parquet with page checksums."""
    with replacing(path) as temporary:
        write_table(temporary, table)


def write_table(path: str | os.PathLike, table: "pd.DataFrame") -> None:
    """What `save_table` puts into a file."""
    table.to_parquet(path, index=False, write_page_checksum=True)


def load_table(path: str | os.PathLike) -> "pd.DataFrame":
    """Read a table written by `save_table`."""

    def read() -> "pd.DataFrame":
        import pyarrow.parquet

        return pyarrow.parquet.read_table(path, page_checksum_verification=True).to_pandas()

    return _whole(path, read)


def save_csv(path: str | os.PathLike, table: "pd.DataFrame") -> None:
    """Write a table as csv; floats keep every digit that tells them apart."""
    with replacing(path) as temporary:
        write_csv(temporary, table)


def write_csv(path: str | os.PathLike, table: "pd.DataFrame") -> None:
    """What `save_csv` puts into a file."""
    table.to_csv(path, index=False, lineterminator="\n")


def as_text(table: "pd.DataFrame") -> "pd.DataFrame":
    """A table for a csv with words of strangers: those that a spreadsheet would run stand behind an apostrophe."""
    words = table.select_dtypes(exclude=["number", "bool"])
    return table.assign(**{name: words[name].map(_quoted) for name in words})


def _quoted(value: object) -> object:
    if not isinstance(value, str):
        return value
    line = value.replace("\r", "\\r")  # which would end the row without being in quotes
    return f"'{line}" if FORMULA.match(line) else line


def load_csv(path: str | os.PathLike) -> "pd.DataFrame":
    """Read a table written by `save_csv`."""
    import pandas as pd

    return _whole(path, lambda: pd.read_csv(path))


def _whole(path, read: Callable):
    """What `read` makes of a file; whatever goes wrong there is one sentence. The libraries do not say what may."""
    require(os.path.exists(path), f"{path}: missing; run snakemake to build it")
    try:
        require(checksums.holds(path), checksums.DIFFERS)
        return read()
    except Exception as error:
        reason = str(error).removeprefix(f"{path}: ").partition("\n")[0] or type(error).__name__
        raise UserError(f"{path}: damaged or truncated ({reason}); delete it and run snakemake again") from error
