"""The numbers of a release, in one file that comes with the package: what `attnsvm compare` compares with.

A zip file of index.json and one Parquet file per figure. The tables are whole, since a summary could say that a column
differs and not where: floats keep BITS binary digits, which is finer than what is compared, and 66 tables
take 1.2 MB.
index.json says of each figure the SHA-256 of its csv, the settings it was built with and what was seen of it on other
processors (`differences.Tolerance`), and of each claim its verdict.
"""

import io
import json
import zipfile
from dataclasses import asdict, dataclass, field
from importlib.resources import files
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from attnsvm.errors import UserError
from attnsvm.publish.exchange.differences import Tolerance
from attnsvm.writing import replacing

BITS = 24  # binary digits of a number that are kept: 3e-8 of it, where 1e-6 is compared
SHIPPED = Path(str(files("attnsvm.publish.exchange"))) / "reference.zip"
DATE = (1980, 1, 1, 0, 0, 0)  # of every member: the same numbers make the same file


@dataclass(frozen=True)
class Figure:
    """What the reference knows of a figure.

    Attributes:
        sha256: of the bytes of its csv.
        experiments: the settings of the experiments behind it.
        tolerances: by column, see `differences.seen`; of the other columns nothing was seen to move.
    """

    sha256: str
    experiments: dict
    tolerances: dict[str, Tolerance] = field(default_factory=dict)


@dataclass(frozen=True)
class Reference:
    """The numbers of a release.

    Attributes:
        release: its version.
        commit: of the code; None outside git.
        machine, packages: what built it, as the provenance of figures has them.
        builds: how many builds the tolerances were seen on, this one included.
        figures: by name.
        verdicts: of each claim, by key.
        path: the file.
    """

    release: str
    commit: str | None
    machine: dict
    packages: dict
    builds: int
    figures: dict[str, Figure]
    verdicts: dict[str, str]
    path: Path = SHIPPED

    def table(self, figure: str) -> pd.DataFrame:
        """The numbers of a figure, rounded to BITS binary digits.

        Raises:
            UserError: the file is damaged.
        """
        try:
            with zipfile.ZipFile(self.path) as archive:
                return pq.read_table(io.BytesIO(archive.read(f"{figure}.parquet"))).to_pandas()
        except (OSError, KeyError, zipfile.BadZipFile, pa.ArrowException) as error:
            raise UserError(
                f"{self.path}: damaged (figure {figure}: {error}); take it again from the release"
            ) from error


def read(path: Path = SHIPPED) -> Reference:
    """The reference in a file.

    Raises:
        UserError: there is none, or it is damaged.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            index = json.loads(archive.read("index.json"))
        figures = {
            name: Figure(one["sha256"], one["experiments"], {c: Tolerance(*t) for c, t in one["tolerances"].items()})
            for name, one in index.pop("figures").items()
        }
        return Reference(**index, figures=figures, path=Path(path))
    except FileNotFoundError as error:
        raise UserError(f"{path}: there is no such reference; attnsvm compare --write-reference makes one") from error
    except (OSError, KeyError, ValueError, TypeError, zipfile.BadZipFile) as error:
        raise UserError(f"{path}: this is not a reference of attnsvm, or it is damaged ({error})") from error


def write(reference: Reference, tables: dict[str, pd.DataFrame]) -> None:
    """Write a reference with the tables of its figures to its path; the same numbers make the same bytes."""
    index = asdict(reference)
    del index["path"]
    with replacing(reference.path, checksum=False) as temporary, zipfile.ZipFile(temporary, "w") as archive:
        content = json.dumps(index, sort_keys=True, indent=1).encode()
        archive.writestr(zipfile.ZipInfo("index.json", DATE), content, zipfile.ZIP_DEFLATED)
        for name in sorted(tables):
            archive.writestr(zipfile.ZipInfo(f"{name}.parquet", DATE), _packed(tables[name]))


def _packed(table: pd.DataFrame) -> bytes:
    floats = [column for column in table if table[column].dtype.kind == "f"]
    short = table.assign(**{column: rounded(table[column].to_numpy()) for column in floats})
    buffer = io.BytesIO()
    pq.write_table(
        pa.Table.from_pandas(short, preserve_index=False),
        buffer,
        compression="zstd",
        compression_level=19,
        use_dictionary=[column for column in table if column not in floats],
        column_encoding=dict.fromkeys(floats, "BYTE_STREAM_SPLIT"),
        write_statistics=False,
    )
    return buffer.getvalue()


def rounded(numbers: np.ndarray) -> np.ndarray:
    """The numbers with BITS binary digits each, whatever their size."""
    mantissa, exponent = np.frexp(numbers)
    return np.ldexp(np.round(mantissa * 2.0**BITS), exponent - BITS)
