"""How a file is written: beside its final name, then moved into place with its checksum. It takes no library."""

import os
import stat
from contextlib import contextmanager, suppress
from pathlib import Path

from attnsvm import checksums
from attnsvm.errors import UserError, require

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
        UserError: what is there is no file, and moving one onto it would take its place.
    """
    with suppress(OSError):  # there is nothing yet, or what hinders is said when the file is written
        kind = stat.S_IFMT(os.stat(path).st_mode)
        if kind != stat.S_IFREG:
            raise UserError(f"{path}: is {OTHERS.get(kind, 'no file')}, expected a file; choose another place")
    found = Path(os.path.realpath(path))
    require(not os.path.islink(found), f"{path}: is a link that leads back to itself, expected a file; remove it")
    return found


@contextmanager
def replacing(path: str | os.PathLike, checksum: bool = True):
    """A temporary path beside `path`, moved onto it on success and removed on failure.

    Args:
        path: where a link is, the file behind it is meant.
        checksum: whether the file gets its checksum beside it, as the files of a build do.

    Raises:
        UserError: the file cannot be written, or something else than a file is in its place.
    """
    named, path = Path(path), target(path)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    sidecar = temporary.with_suffix(".sum.tmp")
    try:
        named.parent.mkdir(parents=True, exist_ok=True)  # not that of a link, which may lead to a disk that is gone
        _sweep(path)
        with _in_use(temporary):
            yield temporary
            if checksum and checksums.kept():
                sidecar.write_bytes(checksums.line(temporary, path.name))
                os.replace(sidecar, checksums.beside(path))
            os.replace(temporary, path)  # last: no file is ever without its checksum
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else error
        raise UserError(f"{named}: cannot be written ({reason}); free space or make the folder writable") from error
    finally:
        for left in (temporary, sidecar):
            with suppress(OSError):
                left.unlink()


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
    for left in path.parent.glob(f".{path.name}.*.tmp"):
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
