"""A tar archive compressed by zstd, written from files and read from somebody who may mean harm.

What is read is compared with a list that was checked before: a member that is not in it, stands twice, is no plain
file, has another size or another SHA-256 ends the reading. No name in the archive is resolved, and no link is made. A
budget bounds what is unpacked: of a header little, of a file its size in the list.
"""

import hashlib
import io
import json
import tarfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa

from attnsvm.system.errors import UserError
from attnsvm.system.writing import replacing

INDEX = "bundle.json"
HEADER = 2**16  # bytes that may stand before a file: its name, the rest of the file before it
LARGEST_INDEX = 2**26
PIECE = 2**20


class Damaged(Exception):
    """An archive is not what it says it is."""


class Budget:
    """A stream of which no more can be read than was allowed; `left` bytes are."""

    def __init__(self, stream):
        self.stream, self.left = stream, HEADER

    def read(self, size: int) -> bytes:
        """At most `size` bytes; raises `Damaged` beyond what is left."""
        piece = self.stream.read(min(size, PIECE))
        self.left -= len(piece)
        if self.left < 0:
            raise Damaged("it unpacks to more than it says")
        return piece


def write(path: Path, index: dict, members: Iterable[tuple[str, Path]]) -> None:
    """Write an archive: the index, then files under their names. The same files make the same archive."""
    with (
        replacing(path, checksum=False) as temporary,
        pa.output_stream(str(temporary), compression="zstd") as stream,
        tarfile.open(fileobj=stream, mode="w|", format=tarfile.PAX_FORMAT) as tar,
    ):
        content = json.dumps(index, sort_keys=True).encode()
        tar.addfile(_member(INDEX, len(content)), io.BytesIO(content))
        for name, source in members:
            with open(source, "rb") as file:
                tar.addfile(_member(name, source.stat().st_size), file)


def read_index(path: Path) -> Any:
    """The index of an archive, as it stands there: nothing in it is checked.

    Raises:
        Damaged: it is no archive of this kind.
        OSError: it cannot be read.
    """
    with _opened(path) as (tar, budget):
        try:
            return json.loads(_index(tar, budget), parse_constant=_no_number)
        except (ValueError, RecursionError) as error:
            raise Damaged(f"its {INDEX} is no JSON") from error


def unpack(
    path: Path,
    listed: Mapping[str, tuple[int, str]],
    place: Callable[[str], AbstractContextManager[Path | None]],
) -> None:
    """Go through every file of an archive, and write those that are wanted.

    Args:
        listed: size and SHA-256 of the files that it must hold, by name, and no others.
        place: gives by its name where a file is written; None: its bytes are compared and no more. It ends well only
            where the bytes are those of the list.

    Raises:
        Damaged: it holds other files, or other bytes.
        OSError: it cannot be read.
    """
    left = {*listed}
    with _opened(path) as (tar, budget):
        _index(tar, budget)
        while (member := tar.next()) is not None:
            if member.name not in left:
                raise Damaged(f"it holds {member.name!r}, which its list has not, or twice")
            left.remove(member.name)
            size, sha256 = listed[member.name]
            if member.type not in (tarfile.REGTYPE, tarfile.AREGTYPE) or member.size != size:
                raise Damaged(f"{member.name} is no plain file of {size} bytes")
            with place(member.name) as target:
                if _copied(_pieces(tar, budget, member), target) != sha256:
                    raise Damaged(f"{member.name} has another SHA-256 than its list says")
            budget.left = HEADER
        if left:
            raise Damaged(f"{len(left)} of its files are missing, {min(left)} among them")


@contextmanager
def _opened(path: Path) -> Iterator[tuple[tarfile.TarFile, Budget]]:
    """The members of an archive, and what may be read of it; whatever a bad one makes of the libraries is `Damaged`."""
    try:
        with open(path, "rb") as file, pa.input_stream(file, compression="zstd") as stream:
            budget: Any = Budget(stream)  # all that tarfile asks of a stream
            with tarfile.open(fileobj=budget, mode="r|") as tar:
                yield tar, budget
    except (Damaged, UserError):
        raise
    except Exception as error:
        if isinstance(error, OSError) and error.errno is not None:  # the disk's; those of zstd have no number
            raise
        raise Damaged(f"it is damaged or truncated ({error})") from error


def _index(tar: tarfile.TarFile, budget: Budget) -> bytes:
    """What an archive begins with."""
    member = tar.next()
    if member is None or member.name != INDEX or not member.isreg() or not 0 <= member.size <= LARGEST_INDEX:
        raise Damaged(f"it does not begin with {INDEX}")
    content = b"".join(_pieces(tar, budget, member))
    budget.left = HEADER
    return content


def _pieces(tar: tarfile.TarFile, budget: Budget, member: tarfile.TarInfo) -> Iterator[bytes]:
    """The bytes of a plain file, piece by piece."""
    budget.left = member.size + HEADER
    file = tar.extractfile(member)
    while file and (piece := file.read(PIECE)):
        yield piece


def _copied(pieces: Iterable[bytes], target: Path | None) -> str:
    """The SHA-256 of what is written."""
    found = hashlib.sha256()
    with open(target, "wb") if target else io.BytesIO() as file:
        for piece in pieces:
            found.update(piece)
            if target:
                file.write(piece)
    return found.hexdigest()


def _member(name: str, size: int) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.size = size
    return member


def _no_number(word: str):
    raise ValueError(f"{word} is no number")
