"""The arrays of an .npz file from anybody: each is read when it is asked for, once its size and its kind are known.

NumPy reads a member as its header says, and answers a file that somebody has made or damaged with twenty kinds of
errors. Here the header is held against the size of the member and against the memory that is free before anything is
allocated; members that nobody asks for stay packed; and what does not fit is one sentence.
"""

import io
import math
import os
import warnings
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np

from attnsvm.system import machine
from attnsvm.system.errors import UserError, require
from attnsvm.system.untrusted import start

START, NOTHING = b"PK\x03\x04", b"PK\x05\x06"  # of a zip archive with something in it, and without
KINDS = "biufcSU"  # of NumPy's types: numbers and words, no objects, which run code when they are read, and no records
READERS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
LONGEST = 2**14  # bytes of a member that hold its header: NumPy takes 10,000
COPIES = 3  # of an array, in float64, that live at the same time: as read, as checked, and as one of many
PIECE = 2**24
LITTLE = 2**22  # bytes that are there: to ask takes longer than to read them
LAST = 0x10FFFF  # code point


class Header(NamedTuple):
    """What the first bytes of a member say of its array.

    Attributes:
        offset: where the numbers begin, in bytes.
    """

    shape: tuple[int, ...]
    fortran: bool
    dtype: np.dtype
    offset: int

    @property
    def size(self) -> int:
        return math.prod(self.shape)


class Arrays(Mapping[str, np.ndarray]):
    """The arrays of an .npz file by name, read when they are asked for.

    Raises:
        UserError: it is no such file; from every use of a name, its array cannot be read; one sentence says why.
    """

    def __init__(self, path: str | os.PathLike):
        self.path = path
        with _or_else(f"{path}: is not an .npz file of plain arrays") as sentence:
            require(start(path, len(START)) in (START, NOTHING), sentence)
            self._archive = zipfile.ZipFile(path)
        self._members: dict[str, list[zipfile.ZipInfo]] = {}
        for member in self._archive.infolist():
            self._members.setdefault(member.filename.removesuffix(".npy"), []).append(member)

    def __iter__(self) -> Iterator[str]:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)

    def __contains__(self, name: object) -> bool:
        return name in self._members

    def header(self, name: str) -> Header:
        """Shape and type of an array, before it is read. KeyError: there is none of this name."""
        member = self._member(name)
        with _or_else(self._damaged(name)):
            with self._archive.open(member) as packed:
                begin = io.BytesIO(packed.read(LONGEST))
            version = np.lib.format.read_magic(begin)
            require(version in READERS, f"{self.path}: the array {name} is of a format that is not known")
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of Python 2
                found = Header(*READERS[version](begin), begin.tell())
        plain = found.dtype.kind in KINDS and found.dtype.itemsize > 0 and found.dtype.subdtype is None
        require(plain, f"{self.path}: the array {name} is not of plain numbers or words, but of {found.dtype.kind!r}")
        size = found.offset + found.size * found.dtype.itemsize
        require(
            all(type(length) is int and length >= 0 for length in found.shape) and size == member.file_size,
            f"{self.path}: the array {name} has another size than it says",
        )
        return found

    def __getitem__(self, name: str) -> np.ndarray:
        found = self.header(name)
        need = COPIES * found.size * max(found.dtype.itemsize, 8)
        free = machine.memory() if need > LITTLE else need
        require(
            need <= free,
            f"{self.path}: the array {name} needs about {need / 1e9:.3g} GB of memory, {free / 1e9:.3g} GB are free: "
            "take fewer inputs, or tokens of fewer dimensions",
        )
        flat = np.empty(found.size, dtype=found.dtype)
        with _or_else(self._damaged(name)), self._archive.open(self._member(name)) as packed:
            packed.read(found.offset)
            unread = flat.view(np.uint8).data
            while unread:
                piece = packed.read(min(len(unread), PIECE))
                if not piece:
                    raise EOFError
                unread[: len(piece)] = piece
                unread = unread[len(piece) :]
            packed.read(1)  # the end, where the sum is compared
            array = _sound(flat).reshape(found.shape, order="F" if found.fortran else "C")
        return array

    def _damaged(self, name: str) -> str:
        return f"{self.path}: the array {name} is damaged, or no array"

    def _member(self, name: str) -> zipfile.ZipInfo:
        member, *others = self._members[name]
        require(not others, f"{self.path}: there is more than one array {name}")
        require(not member.flag_bits & 1, f"{self.path}: the array {name} is encrypted")
        packed = member.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
        require(packed, f"{self.path}: the array {name} is packed in a way that NumPy does not write")
        return member


@contextmanager
def _or_else(sentence: str) -> Iterator[str]:
    """`UserError(sentence)` for whatever zipfile and NumPy make of bytes that are not as they should be.

    Neither says which exceptions these are.
    """
    try:
        yield sentence
    except UserError:
        raise
    except Exception as error:
        raise UserError(sentence) from error


def starts_as_archive(path: str | os.PathLike) -> bool:
    """Whether the first bytes of a file are those of an archive; UserError as `untrusted.start`."""
    return start(path, len(START)) == START


def _sound(flat: np.ndarray) -> np.ndarray:
    """The array, where its bytes are values of its type: a truth value is 0 or 1, and a letter a code point."""
    if flat.dtype.kind == "b":
        return flat.view(np.uint8) != 0
    if flat.dtype.kind == "U" and flat.size:
        letters = flat.view(np.dtype(np.uint32).newbyteorder(flat.dtype.byteorder))
        if letters.max() > LAST:
            raise ValueError("no code point")
    return flat
