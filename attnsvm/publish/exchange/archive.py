"""A tar archive compressed by zstd, written from files and read from somebody who may mean harm.

What is read is compared with a list that stands first in the archive: a member that is not in it, stands twice, is no
plain file, has another size or another SHA-256 ends the reading. So no name is resolved that was not checked before,
and no link is made. A budget bounds what is unpacked: of a header little, of a file its size in the list.
"""

import io
import json
import os
import shutil
import tarfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import IO, Any

import pyarrow as pa

from attnsvm import checksums
from attnsvm.writing import replacing

INDEX = "bundle.json"
HEADER = 2**16  # bytes that may stand before a file: its name and its date, the rest of the file before it
LARGEST_INDEX = 2**26
PIECE = 2**20


class Damaged(Exception):
    """An archive is not what it says it is."""


class Budget:
    """A stream of which no more can be read than was allowed; `left` bytes are."""

    def __init__(self, stream):
        self.stream, self.left = stream, 0

    def read(self, size: int) -> bytes:
        """At most `size` bytes; raises `Damaged` beyond what is left."""
        piece = self.stream.read(min(size, PIECE))
        self.left -= len(piece)
        if self.left < 0:
            raise Damaged("it unpacks to more than it says")
        return piece


def write(path: Path, index: dict, members: Iterable[tuple[str, Path | bytes]]) -> None:
    """Write an archive: the index, then files and bytes under their names, the files with their dates."""
    with (
        replacing(path, checksum=False) as temporary,
        pa.output_stream(str(temporary), compression="zstd") as stream,
        tarfile.open(fileobj=stream, mode="w|", format=tarfile.PAX_FORMAT) as tar,
    ):
        _add(tar, INDEX, json.dumps(index, sort_keys=True).encode())
        for name, source in members:
            _add(tar, name, source)


def read_index(path: Path) -> dict:
    """The index of an archive, as it stands there: nothing in it is checked.

    Raises:
        Damaged: it is no archive of this kind.
    """
    with _Members(path) as members:
        return _index(members)


def unpack(path: Path, sizes: dict[str, int], sha256: dict[str, str], place: Callable[[str], Path]) -> None:
    """Unpack every file of an archive.

    Args:
        sizes, sha256: of the files that it must hold, by name, and no others.
        place: where a file is to be written, by its name.

    Raises:
        Damaged: it holds other files, or other bytes.
    """
    with _Members(path) as members:
        _index(members)
        left = set(sizes)
        while (member := members.next()) is not None:
            if member.name not in left:
                raise Damaged(f"it holds {member.name!r}, which its list has not, or twice")
            left.remove(member.name)
            if not member.isreg() or member.size != sizes[member.name]:
                raise Damaged(f"{member.name} is no plain file of {sizes[member.name]} bytes")
            target = place(member.name)
            target.parent.mkdir(parents=True, exist_ok=True)
            if members.copy(member, target) != sha256[member.name]:
                raise Damaged(f"{member.name} has another SHA-256 than its list says")
        if left:
            raise Damaged(f"{len(left)} of its files are missing, {min(left)} among them")


class _Members:
    """The members of an archive one by one; what tarfile and zstd say of a damaged one becomes `Damaged`."""

    def __init__(self, path: Path):
        self.path = path

    def __enter__(self):
        self.raw = pa.input_stream(str(self.path), compression="zstd")
        self.stream: Any = Budget(self.raw)  # all that tarfile asks of a stream
        self.stream.left = HEADER
        self.tar: tarfile.TarFile = _meant(lambda: tarfile.TarFile.open(fileobj=self.stream, mode="r|"))
        return self

    def __exit__(self, *_):
        self.raw.close()

    def next(self) -> tarfile.TarInfo | None:
        """The next member; None at the end."""
        self.stream.left = HEADER
        return _meant(self.tar.next)

    def copy(self, member: tarfile.TarInfo, target: Path) -> str:
        """Write a plain file with its date; returns its SHA-256."""
        self.stream.left = member.size + HEADER
        with open(target, "wb") as file:
            _meant(lambda: shutil.copyfileobj(self._opened(member), file, PIECE))
        _meant(lambda: os.utime(target, (member.mtime, member.mtime)))
        return checksums.of(target)

    def content(self, member: tarfile.TarInfo) -> bytes:
        self.stream.left = member.size + HEADER
        return _meant(lambda: self._opened(member).read())

    def _opened(self, member: tarfile.TarInfo) -> IO[bytes]:
        opened = self.tar.extractfile(member)
        if opened is None:
            raise Damaged(f"{member.name} is no plain file")
        return opened


def _index(members: _Members) -> dict:
    member = members.next()
    if member is None or member.name != INDEX or not member.isreg() or member.size > LARGEST_INDEX:
        raise Damaged(f"it does not begin with {INDEX}")
    try:
        found = json.loads(members.content(member))
    except ValueError as error:
        raise Damaged(f"its {INDEX} is no JSON") from error
    if not isinstance(found, dict):
        raise Damaged(f"its {INDEX} is no object")
    return found


def _meant(read: Callable):
    """What `read` returns; `Damaged` for what a bad archive makes of it."""
    try:
        return read()
    except (tarfile.TarError, EOFError, pa.ArrowException, ValueError, OverflowError) as error:
        raise Damaged(f"it is damaged or truncated ({error})") from error
    except OSError as error:
        if error.errno is None:  # zstd's; those of the disk have a number
            raise Damaged(f"it is damaged or truncated ({error})") from error
        raise


def _add(tar: tarfile.TarFile, name: str, source: Path | bytes) -> None:
    member = tarfile.TarInfo(name)
    if isinstance(source, bytes):
        member.size = len(source)
        tar.addfile(member, io.BytesIO(source))
        return
    found = source.stat()
    member.size, member.mtime = found.st_size, found.st_mtime
    with open(source, "rb") as file:
        tar.addfile(member, file)
