"""Intermediate files: atomic to write, checked when read.

A block file is an uncompressed .npz of arrays named `cell/array`; a table is Parquet. Both are written beside their
final name and moved into place, so a name either holds a whole file or nothing. Reading verifies the zip archive's
CRC-32 sums and Parquet's page checksums.
"""

import os
import zipfile
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pandas as pd

from attnsvm.errors import UserError

Cells = dict[str, dict[str, np.ndarray]]


@contextmanager
def replacing(path: str | os.PathLike):
    """A temporary path beside `path`, moved onto it on success and removed on failure."""
    path = Path(path)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield temporary
        os.replace(temporary, path)
    except OSError as error:
        raise UserError(
            f"{path}: cannot be written ({error.strerror}); free space or make the folder writable"
        ) from error
    finally:
        temporary.unlink(missing_ok=True)


def save_cells(path: str | os.PathLike, cells: Cells) -> None:
    """Write the arrays of every cell of a block."""
    flat = {f"{cell}/{name}": array for cell, arrays in cells.items() for name, array in arrays.items()}
    with replacing(path) as temporary, open(temporary, "wb") as file:
        np.savez(file, **flat)


def load_cells(path: str | os.PathLike) -> Cells:
    """Read a block file written by `save_cells`."""

    def read() -> Cells:
        cells: Cells = {}
        with np.load(path, allow_pickle=False) as archive:
            for key in archive.files:
                cell, name = key.split("/")
                cells.setdefault(cell, {})[name] = archive[key]
        return cells

    return _whole(path, read)


def save_table(path: str | os.PathLike, table: pd.DataFrame) -> None:
    """Write a table as Parquet with page checksums."""
    with replacing(path) as temporary:
        table.to_parquet(temporary, index=False, write_page_checksum=True)


def load_table(path: str | os.PathLike) -> pd.DataFrame:
    """Read a table written by `save_table`."""

    def read() -> pd.DataFrame:
        import pyarrow.parquet

        return pyarrow.parquet.read_table(path, page_checksum_verification=True).to_pandas()

    return _whole(path, read)


def save_csv(path: str | os.PathLike, table: pd.DataFrame) -> None:
    """Write a table as csv; floats keep every digit that tells them apart."""
    with replacing(path) as temporary:
        table.to_csv(temporary, index=False, lineterminator="\n")


def load_csv(path: str | os.PathLike) -> pd.DataFrame:
    """Read a table written by `save_csv`."""
    return _whole(path, lambda: pd.read_csv(path))


def save_text(path: str | os.PathLike, text: str) -> None:
    """Write a text as UTF-8."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def _whole(path, read: Callable):
    try:
        return read()
    except FileNotFoundError as error:
        raise UserError(f"{path}: missing; run snakemake to build it") from error
    except (ValueError, OSError, EOFError, KeyError, zipfile.BadZipFile) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise UserError(f"{path}: damaged or truncated ({reason}); delete it and run snakemake again") from error
