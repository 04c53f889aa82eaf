"""Snakemake's records of what made each file, one small file per output: its own, and those beside the results.

A file without a sound record is built anew, so no edit goes unseen whatever was lost. The records lie beside the
results too, and travel with them: what Snakemake has lost is taken from there. A record beside the results is always
that of the file which is there: a run takes it away before it writes the file anew, and puts it back when it ends.
"""

import base64
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from attnsvm.errors import UserError

OWN = ".snakemake/metadata"
STARTED = ".snakemake/incomplete"  # a file of the same name for each output that a job has begun to write
TRAVELLING = "results/.metadata"  # in the folder of a scale
FORMAT = 6  # of Snakemake's records
LISTS = ("input", "params")


def name(path: str) -> str:
    """The name of the record of an output: its path in URL-safe base 64, as Snakemake has it."""
    return base64.urlsafe_b64encode(path.encode()).decode()


def put(
    folder: Path,
    at: str,
    path: str,
    rule: str,
    params: list[str],
    inputs: Iterable[str],
    sha256: Mapping[str, str],
) -> None:
    """Write the record of a file that is about to come, or is here with these bytes already.

    Args:
        folder: of the clone.
        at: the folder of the scale, see `plan.folder`.
        path: of the file, in the clone.
        rule: that makes it; the report of Snakemake asks for it.
        params: what its job was given, each as Python writes it.
        inputs: the files it was made from.
        sha256: of those inputs that are known, by path.
    """
    inputs = sorted(inputs)
    sums = {path: f"sha256:{sha256[path]}" for path in inputs if path in sha256}
    record = {"rule": rule, "input": inputs, "params": params, "input_checksums": sums, "record_format_version": FORMAT}
    (folder / OWN / name(path)).unlink(missing_ok=True)  # of a file that was here before
    _save(folder / at / TRAVELLING / name(path), json.dumps(record))


def forget(travelling: Path, paths: Iterable[str]) -> None:
    """Take away the records beside the results of files that are about to be written anew."""
    for path in paths:
        (travelling / name(path)).unlink(missing_ok=True)


def pack(own: Path, started: Path, travelling: Path) -> None:
    """Put Snakemake's records beside the results, but for files that a job has begun to write and not finished."""
    for path in _files(own):
        place, text = travelling / path.relative_to(own), _read(path)
        if text and not (started / path.relative_to(own)).exists() and _read(place) != text:
            _save(place, text)
    for left in travelling.glob(".*.tmp"):  # by a process that was killed
        left.unlink(missing_ok=True)


def restore(own: Path, travelling: Path) -> None:
    """Give Snakemake, from beside the results, the records that it has lost; take away those that it could not read.

    Raises:
        UserError: they cannot be written.
    """
    try:
        for path in _files(travelling):
            place = own / path.relative_to(travelling)
            if not _read(place) and (text := _read(path)):
                _save(place, text)
        for path in _files(own):
            if _read(path) is None:
                path.unlink(missing_ok=True)
    except OSError as error:
        raise UserError(
            f"{own}: cannot be written ({error.strerror}), and Snakemake keeps its records there"
        ) from error


def _files(folder: Path) -> list[Path]:
    """The records in a folder."""
    found = (Path(above, file) for above, _, files in os.walk(folder) for file in files)
    return sorted(path for path in found if not path.name.startswith("."))


def _read(path: Path) -> str | None:
    """A record; "" where there is none, or the beginning of one that another process writes; None of anything else."""
    try:
        text = path.read_text("utf-8")
        found = json.loads(text)
    except (OSError, json.JSONDecodeError):
        return ""
    except (ValueError, RecursionError):
        return None
    sound = isinstance(found, dict) and all(isinstance(found.get(key, []), list) for key in LISTS)
    return text if sound else None


def _save(path: Path, text: str) -> None:
    """Write a record at one stroke. The writer of files would look for leftovers, too long among so many."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        temporary.write_text(text, "utf-8")
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
