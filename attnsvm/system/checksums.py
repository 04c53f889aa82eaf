"""The SHA-256 of every file that a job writes, and what the file was made of, in a hidden file: `.x.csv.sha256`.

The first line is in the format of `sha256sum`, whose `-c` reads it too; for a folder it is of the list of its files.
The second, which `-c` takes for a comment, is the record of the job that made the file, and is there once the job has
ended well. Neither travels to a bucket, where the object alone goes: ATTNSVM_NO_CHECKSUMS in the environment, which the
workflow sets when its results lie in one, leaves the hidden files out, so that none is left beside the local copy of a
newer object. What Snakemake's cache between workflows links in has its record in the folder of that cache.
"""

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

DIFFERS = "its SHA-256 is not the one it was written with"
DATED = ".snakemake_timestamp"  # Snakemake writes it into a folder that a job has made
CACHE = "SNAKEMAKE_OUTPUT_CACHE"  # in the environment: the folder of the cache between workflows

Record = dict[str, Any]  # of a job, see attnsvm.pipeline.job_records


def keep_no_checksums() -> None:
    """No checksums in this process and in those it starts."""
    os.environ["ATTNSVM_NO_CHECKSUMS"] = "1"


def kept() -> bool:
    """Whether files have their checksums beside them."""
    return not os.environ.get("ATTNSVM_NO_CHECKSUMS")


def beside(path: str | os.PathLike) -> Path:
    """Where the checksum of a file lies."""
    path = Path(path)
    return path.with_name(f".{path.name}.sha256")


def of(path: str | os.PathLike) -> str:
    """The SHA-256 of a file; of a folder, that of the list of its files with theirs."""
    if os.path.isdir(path):
        found = (one.relative_to(path).as_posix() for one in Path(path).rglob("*") if one.is_file())
        files = sorted(name for name in found if name != DATED)
        return hashlib.sha256(b"".join(line(Path(path, name), name) for name in files)).hexdigest()
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def line(path: str | os.PathLike, name: str) -> bytes:
    """The first line of the checksum file for the bytes of `path`, which are to be called `name`."""
    return os.fsencode(f"{of(path)}  {name}\n")


def holds(path: str | os.PathLike) -> bool:
    """Whether a file has the bytes it was written with; also true of a file without a checksum."""
    sidecar = beside(path)
    if not kept() or not sidecar.exists():
        return True
    now = line(path, Path(path).name)
    return sidecar.read_bytes().startswith(now) or _in_cache(path) is not None


def record(path: str | os.PathLike, made: str = "") -> Record | None:
    """What the job noted that made a file; None where no job did, or none that came to its end.

    Args:
        made: of several jobs that made the same bytes, in a cache, the one that noted this.
    """
    found = _in_cache(path, made)  # first: what lies beside a link may be of a file that was here before
    try:
        if found is None and beside(path).is_file():  # a pipe has no end
            found = json.loads(beside(path).read_bytes().partition(b"\n# ")[2] or "null")
    except (OSError, ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) and "made" in found and isinstance(found.get("inputs"), dict) else None


def sign(path: str | os.PathLike, record: Record) -> None:
    """Note beside a file, which a job has just written, what it was made of; where it goes into a cache, there too.

    Raises:
        OSError: it cannot be written.
    """
    sidecar, text = beside(path), json.dumps(record, sort_keys=True)
    first, _, _ = sidecar.read_bytes().partition(b"\n") if sidecar.exists() else (b"", b"", b"")
    head = first + b"\n" if first else line(path, Path(path).name)
    places = [(sidecar, head + f"# {text}\n".encode())]
    if folder := os.environ.get(CACHE):
        places.append((Path(folder, f"attnsvm-{head[:64].decode()}-{record['made'][:16]}.json"), text.encode()))
    for place, content in places:
        temporary = place.with_name(f".{Path(path).name}.{os.getpid()}.sum.tmp")
        temporary.write_bytes(content)
        os.replace(temporary, place)


def is_cached(path: str | os.PathLike) -> bool:
    """Whether the cache between workflows has linked a file in."""
    folder = os.environ.get(CACHE, "")
    return bool(folder) and os.path.islink(path) and Path(folder).resolve() in Path(path).resolve().parents


def _in_cache(path: str | os.PathLike, made: str = "") -> Record | None:
    """The record of a file that the cache between workflows has linked in."""
    if not is_cached(path):
        return None
    try:
        found = Path(os.environ[CACHE]).glob(f"attnsvm-{of(path)}-{made[:16] or '*'}.json")
        return json.loads(next(iter(sorted(found))).read_bytes())
    except StopIteration:
        return None
    except (OSError, ValueError, RecursionError):
        return None


def walk(folder: str | os.PathLike[str], onerror: Callable[[OSError], object] | None = None) -> Iterator[Path]:
    """Every file under a folder, in the folders behind links too, each folder once.

    Args:
        onerror: told of every folder that cannot be read; None: it counts as empty.
    """
    seen = set()
    for above, folders, names in os.walk(os.fspath(folder), onerror=onerror, followlinks=True):
        with suppress(OSError):  # it is gone by now
            place = os.stat(above)
            if (place.st_dev, place.st_ino) in seen:  # a link to a folder that is searched anyway, or above this one
                folders.clear()
                continue
            seen.add((place.st_dev, place.st_ino))
        yield from (Path(above, name) for name in names)


def damaged(folders: Iterable[str | os.PathLike]) -> list[str]:
    """The files under `folders` that have other bytes than they were written with, sorted; none that is absent."""
    if not kept():
        return []
    files = (_described(path) for folder in folders for path in walk(folder))
    return differing(sorted(str(path) for path in files if path is not None))


def differing(files: list[str]) -> list[str]:
    """Those of the files that have other bytes than they were written with, in their order."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:  # hashing releases the interpreter's lock
        return [file for file, bad in zip(files, pool.map(_is_damaged, files), strict=True) if bad]


def compared(path: str | os.PathLike) -> bool:
    """Whether there is a file here, and a checksum that it is held against."""
    return kept() and beside(path).is_file() and os.path.isfile(path)


def forget_the_gone(folders: Iterable[str | os.PathLike]) -> None:
    """Remove the checksums under `folders` of files that are gone, and the folders that are empty then.

    Snakemake removes a file that is read once, and knows nothing of what lies hidden beside it.
    """
    for sidecar in [found for folder in folders for found in Path(folder).rglob(".*.sha256")]:
        if not os.path.lexists(sidecar.with_name(sidecar.name[1:].removesuffix(".sha256"))):
            with suppress(OSError):  # another run was faster; a folder that holds more
                sidecar.unlink(missing_ok=True)
                sidecar.parent.rmdir()


def _described(path: Path) -> Path | None:
    """The file whose checksum this is; None of another file."""
    name = path.name
    hidden = name.startswith(".") and name.endswith(".sha256")
    return path.with_name(name[1:].removesuffix(".sha256")) if hidden and name != ".sha256" else None


def _is_damaged(path: str) -> bool:
    try:
        return not holds(path)
    except FileNotFoundError:
        return False
    except OSError:  # a disk's read error
        return True
