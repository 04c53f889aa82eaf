"""Snakemake's records of what made each file, one small file per output: its own, and those beside the results.

A file without a sound record is built anew, so no edit goes unseen whatever was lost. The records lie beside the
results too, and travel with them: what Snakemake has lost is taken from there. A record beside the results is always
that of the file which is there: a job takes it away before it writes the file anew, and the end of a run puts it back.
"""

import base64
import json
import os
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from attnsvm.system.errors import UserError

OWN = ".snakemake/metadata"
TRAVELLING = "results/.metadata"  # in the folder of a scale
FORMAT = 6  # of Snakemake's records
LISTS = ("input", "params")
PIECE = 254  # characters in the name of a file
PLACE = "ATTNSVM_RECORDS"  # in the environment of every job: the folder beside its results


def name(path: str) -> str:
    """The name of the record of an output: its path in URL-safe base 64, a long one in pieces, as Snakemake has it."""
    whole = base64.urlsafe_b64encode(path.encode()).decode()
    *folders, last = (whole[k : k + PIECE] for k in range(0, len(whole), PIECE))
    return "/".join([*(f"@{piece}" for piece in folders), last])


def output(name: str) -> str:
    """The path of the output that a record is about."""
    return base64.urlsafe_b64decode("".join(piece.removeprefix("@") for piece in name.split("/"))).decode()


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


def begin(inputs: Iterable[str], outputs: Iterable[str]) -> None:
    """What a job does first: the records beside the results of what it writes go, and no input is from the future.

    Snakemake fails a job whose inputs have a later date than what it wrote, as after a clock that was wrong.

    Raises:
        UserError: a record cannot be taken away.
    """
    if place := os.environ.get(PLACE):
        forget(Path(place), outputs)
    now = time.time()
    for path in inputs:
        with suppress(OSError):  # gone by now, or somebody else's
            if os.stat(path).st_mtime > now:
                os.utime(path, (now, now))


def forget(travelling: Path, paths: Iterable[str]) -> None:
    """Take away the records beside the results of files that are about to be written anew."""
    for path in paths:
        try:
            (travelling / name(path)).unlink(missing_ok=True)
        except OSError as error:
            raise UserError(f"{travelling}: cannot be written ({error.strerror}); make it writable") from error


def pack(own: Path, travelling: Path) -> None:
    """Put Snakemake's records beside the results; not one that is older than its file, which a job has not finished."""
    for path in _files(own):
        place, text = travelling / path.relative_to(own), _read(path)
        if text and _read(place) != text and not _outlived(path, own):
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


def lacking(own: Path, files: Iterable[str], least: int) -> list[str]:
    """Those of the files of which Snakemake has no record that it compares.

    Args:
        least: the format from which on it compares one.
    """
    return [path for path in files if _format(own / name(path)) < least]


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


def _format(path: Path) -> int:
    text = _read(path)
    found = json.loads(text).get("record_format_version", 0) if text else 0
    return found if isinstance(found, int) else 0


def _outlived(record: Path, own: Path) -> bool:
    """Whether the file of a record was written after it."""
    try:
        return os.stat(output(record.relative_to(own).as_posix())).st_mtime_ns > record.stat().st_mtime_ns
    except (OSError, ValueError):  # the file is gone; the record of something else
        return False


def _save(path: Path, text: str) -> None:
    """Write a record at one stroke. The writer of files would look for leftovers, too long among so many."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        temporary.write_text(text, "utf-8")
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
