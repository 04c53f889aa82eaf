"""How a file is written: beside its final name, then moved into place with its checksum. It takes no library."""

import os
from contextlib import contextmanager, suppress
from pathlib import Path

from attnsvm.errors import UserError
from attnsvm.files import checksums


@contextmanager
def replacing(path: str | os.PathLike):
    """A temporary path beside `path`, moved onto it with its checksum on success and removed on failure."""
    path = Path(path)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    sidecar = temporary.with_suffix(".sum.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        for left in path.parent.glob(f".{path.name}.*.tmp"):  # by a process that was killed
            left.unlink(missing_ok=True)
        yield temporary
        if checksums.kept():
            sidecar.write_text(checksums.line(temporary, path.name))
            os.replace(sidecar, checksums.beside(path))
        os.replace(temporary, path)  # last: no file is ever without its checksum
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else error
        raise UserError(f"{path}: cannot be written ({reason}); free space or make the folder writable") from error
    finally:
        for left in (temporary, sidecar):
            with suppress(OSError):
                left.unlink()


def save_bytes(path: str | os.PathLike, content: bytes) -> None:
    """Write a file whose bytes are at hand."""
    with replacing(path) as temporary:
        temporary.write_bytes(content)


def save_text(path: str | os.PathLike, text: str) -> None:
    """Write a text as UTF-8."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")
