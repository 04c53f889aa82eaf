"""How a file is written: beside its final name, then moved into place with its checksum. It takes no library."""

import errno
import os
import re
import shutil
import stat
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from itertools import zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory

from attnsvm.system import checksums
from attnsvm.system.errors import UserError, require

OTHERS = {  # what may stand under a name and is no file
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


def target(path: str | os.PathLike) -> Path:
    """The file that is to be written under this name: that behind a link, so that the link stays what it is.

    Raises:
        UserError: what is there is no file, and moving one onto it would take its place; or nobody may write to it, or
            it is where this process prints.
    """
    found = Path(os.path.realpath(path))
    with suppress(OSError):  # there is nothing yet, or what hinders is said when the file is written
        there = os.stat(path)
        kind = stat.S_IFMT(there.st_mode)
        if kind != stat.S_IFREG:
            raise UserError(f"{path}: is {OTHERS.get(kind, 'no file')}, expected a file; choose another place")
        require(bool(there.st_mode & 0o222), f"{path}: is read-only; choose another place, or allow writing to it")
        printed = any(os.path.samestat(there, one) for one in _standard())
        require(not printed, f"{path}: is where this command prints; choose another place")
    nameless = os.path.exists(path) and not os.path.exists(found)  # it is open, and was removed
    require(not nameless, f"{path}: is a file without a name; choose another place")
    require(not os.path.islink(found), f"{path}: is a link that leads back to itself, expected a file; remove it")
    return found


def _standard() -> Iterator[os.stat_result]:
    """What standard input, output and errors are."""
    for number in range(3):
        with suppress(OSError):
            yield os.fstat(number)


@contextmanager
def replacing(path: str | os.PathLike, checksum: bool = True) -> Iterator[Path]:
    """A temporary path beside `path`, moved onto it on success and removed on failure: then `path` is what it was.

    Arguments and errors as those of `replacing_all`.
    """
    with replacing_all([path], checksum) as (temporary,):
        yield temporary


@contextmanager
def replacing_all(paths: Sequence[str | os.PathLike], checksum: bool = True) -> Iterator[list[Path]]:
    """Temporary paths beside all `paths`, which are moved once all are on the disk; on failure nothing has changed.

    Args:
        paths: where a link is, the file behind it is meant. A file keeps the rights that it had.
        checksum: whether the files get their checksums beside them, as those of a build do.

    Raises:
        UserError: a file cannot be written, or something else than a file is in its place.
    """
    places = [target(path) for path in paths]
    temporaries = [place.with_name(f".{place.name}.{os.getpid()}.tmp") for place in places]
    sums = [one.with_suffix(".sum.tmp") for one in temporaries] if checksum and checksums.kept() else []
    try:
        with ExitStack() as stack:
            for path in paths:  # not the folder of a link: it may lead to a disk that is gone
                stack.enter_context(_making(Path(path).parent))
            stack.callback(_remove, (*temporaries, *sums))
            for place, temporary in zip(places, temporaries, strict=True):
                _sweep(place)
                stack.enter_context(_in_use(temporary))
            yield temporaries
            for place, temporary in zip(places, temporaries, strict=True):
                with suppress(FileNotFoundError):
                    shutil.copymode(place, temporary)
                _sync(temporary)
            for place, temporary, sidecar in zip(places, temporaries, sums, strict=False):
                sidecar.write_bytes(checksums.line(temporary, place.name))  # not synced: what it lacks is built anew
            for place, temporary, sidecar in zip_longest(places, temporaries, sums):
                _move(temporary, place, sidecar)
    except OSError as error:
        raise UserError(cannot(paths[0], error)) from error


def _move(temporary: Path, path: Path, sidecar: Path | None) -> None:
    """Move a file into place, its checksum just before it: no file is ever without. The old checksum comes back where
    the file cannot be moved."""
    if sidecar is None:
        os.replace(temporary, path)
        return
    beside = checksums.beside(path)
    before = beside.read_bytes() if beside.is_file() else None
    os.replace(sidecar, beside)
    try:
        os.replace(temporary, path)
    except OSError:
        beside.unlink() if before is None else beside.write_bytes(before)
        raise


def _remove(paths: Iterable[Path]) -> None:
    for path in paths:
        with suppress(OSError):
            path.unlink()


def _sync(path: Path) -> None:
    """A file's bytes are on the disk when its new name is: else a name could hold zeros after a loss of power."""
    with open(path, "rb") as file:
        os.fsync(file.fileno())


@contextmanager
def _making(folder: Path) -> Iterator[None]:
    """A folder is there, with those above it; those that were not before go again where the block fails."""
    missing = [one for one in (folder, *folder.parents) if not one.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    try:
        yield
    except BaseException:
        for one in missing:
            with suppress(OSError):  # somebody else has written there meanwhile
                one.rmdir()
        raise


def cannot(path: str | os.PathLike, error: OSError) -> str:
    """The sentence that something cannot be written."""
    if error.errno in (errno.EBUSY, errno.EXDEV):
        return f"{path}: is mounted by itself, so that nothing can be moved onto it; choose another place"
    if error.errno in (errno.EEXIST, errno.ENOTDIR):
        return f"{path}: cannot be written (there is a file where it needs a folder); choose another place"
    reason = os.strerror(error.errno) if error.errno else error
    return f"{path}: cannot be written ({reason}); free space or make the folder writable"


@contextmanager
def filling(folder: str | os.PathLike, last: str = "") -> Iterator[Path]:
    """A folder to fill, which becomes `folder` on success and is removed on failure; an empty one may be there.

    Args:
        folder: it can be a link, a disk of its own, or where the user stands: an empty folder stays the same one.
        last: the name in it that says that the others are there.

    Raises:
        UserError: there is something, or it cannot be written; one sentence.
    """
    place = Path(folder).resolve()  # before it is looked at: x/.. is there even where x is not
    try:
        require(not place.is_file(), f"{folder} is a file, expected a folder; choose another place")
        require(not place.exists() or not any(place.iterdir()), f"{folder} is not empty; choose another place")
        home = place if place.exists() else place.parent
        with _making(home), TemporaryDirectory(prefix=".filling-", dir=home) as beside:
            made = Path(beside) / "made"
            made.mkdir()
            yield made
            with ThreadPoolExecutor() as pool:  # side by side: a disk takes them together
                list(pool.map(_sync, (path for path in made.rglob("*") if path.is_file())))
            if home is not place:
                made.replace(place)
                return
            for path in sorted(made.iterdir(), key=lambda path: path.name == last):
                path.replace(place / path.name)
    except OSError as error:
        raise UserError(cannot(folder, error)) from error


@contextmanager
def _in_use(temporary: Path):
    """A file that is locked while it is written. On a file system without locks it is as if every file were."""
    with open(temporary, "wb") as file:
        with suppress(OSError):
            _lock(file)
        yield


def _lock(file) -> None:
    """Lock an open file, or raise an OSError."""
    try:
        import fcntl
    except ImportError:
        raise OSError("no such locks on this system") from None
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _sweep(path: Path) -> None:
    """Remove what killed processes left beside `path`, and nothing that another one, on any node, writes now."""
    ours = re.compile(rf"\.{re.escape(path.name)}\.\d+(\.sum)?\.tmp")
    for left in [one for one in path.parent.iterdir() if ours.fullmatch(one.name)]:
        try:
            with open(left.with_name(left.name.replace(".sum.tmp", ".tmp")), "r+b") as file:
                _lock(file)
                left.unlink(missing_ok=True)
        except FileNotFoundError:
            left.unlink(missing_ok=True)
        except OSError:
            continue


def save_bytes(path: str | os.PathLike, content: bytes) -> None:
    """Write a file whose bytes are at hand."""
    with replacing(path) as temporary:
        temporary.write_bytes(content)


def save_text(path: str | os.PathLike, text: str, checksum: bool = True) -> None:
    """Write a text as UTF-8; `checksum` as in `replacing`."""
    with replacing(path, checksum) as temporary:
        temporary.write_text(text, encoding="utf-8")
