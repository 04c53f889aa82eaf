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

from attnsvm.publish.exchange.differences import Tolerance
from attnsvm.system.errors import UserError, require
from attnsvm.system.untrusted import LARGEST, start
from attnsvm.system.writing import replacing

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
            return pq.read_table(io.BytesIO(_member(self.path, f"{figure}.parquet"))).to_pandas()
        except UserError:
            raise
        except Exception as error:  # whatever a damaged table raises
            raise UserError(
                f"{self.path}: damaged (figure {figure}: {error}); take it again from the release"
            ) from error


def read(path: Path = SHIPPED) -> Reference:
    """The reference in a file.

    Raises:
        UserError: there is none, or it is damaged.
    """
    try:
        index = json.loads(_member(path, "index.json"))
        figures = {
            name: Figure(one["sha256"], one["experiments"], {c: Tolerance(*t) for c, t in one["tolerances"].items()})
            for name, one in index.pop("figures").items()
        }
        found = Reference(**index, figures=figures, path=Path(path))
        require(_sound(found), "its numbers or words are of another kind")
        return found
    except UserError:
        raise
    except Exception as error:  # whatever a damaged list raises
        raise UserError(f"{path}: this is not a reference of attnsvm, or it is damaged ({error})") from error


def _member(path: Path, name: str) -> bytes:
    """A file in a reference; UserError where there is no reference, or it is damaged or vast."""
    require(Path(path).exists(), f"{path}: there is no such reference; attnsvm compare --write-reference makes one")
    start(path, 1)
    try:
        with zipfile.ZipFile(path) as archive:
            require(archive.getinfo(name).file_size <= LARGEST, f"its {name} is larger than {LARGEST / 1e6:.3g} MB")
            return archive.read(name)
    except Exception as error:  # zipfile does not say which there are
        raise UserError(f"{path}: this is not a reference of attnsvm, or it is damaged ({error})") from error


def _sound(reference: Reference) -> bool:
    """Whether all that is printed or compared is of its kind."""
    words = [reference.release, reference.machine["cpu"], reference.packages["python"], *reference.verdicts.values()]
    figures = reference.figures.values()
    seen = [number for one in figures for tolerance in one.tolerances.values() for number in tolerance]
    return (
        all(isinstance(word, str) for word in words)
        and all(isinstance(number, int | float) and 0 <= number < np.inf for number in seen)
        and all(isinstance(one.sha256, str) and isinstance(one.experiments, dict) for one in figures)
    )


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
