"""The arrays of an .npz file from anybody: each is read when it is asked for, once its size and its kind are known.

NumPy reads a member as its header says, and answers a file that somebody has made or damaged with twenty kinds of
errors. Here the header is held against the size of the member and against the memory that is free before anything is
allocated; members that nobody asks for stay packed; and what does not fit is one sentence.
"""

import ast
import math
import os
import re
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
MAGIC = b"\x93NUMPY\x01\x00"  # of version 1.0: NumPy writes others for records alone
# Numbers and words, no objects, which run code when they are read, and no records.
TYPE = re.compile(r"[<>]([fiu][248]|c8|c16|U[1-9][0-9]{0,5})|\|([iub]1|S[1-9][0-9]{0,5})")
LONGEST = 10_000  # bytes before the numbers
COPIES = 3  # of an array, in float64, that live at the same time: as read, as checked, and as one of many
PIECE = 2**24
LITTLE = 2**22  # bytes that are there: to ask takes longer than to read them
LAST, FIRST, SURROGATES = 0x10FFFF, 0xD800, 0x800  # code points; those that are no letters, and how many


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
        members = self._archive.infolist()
        self._members = {member.filename.removesuffix(".npy"): member for member in members}
        require(len(self._members) == len(members), f"{path}: two of its arrays have one name")

    def __iter__(self) -> Iterator[str]:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)

    def __contains__(self, name: object) -> bool:
        return name in self._members

    def header(self, name: str) -> Header:
        """Shape and type of an array, before it is read. KeyError: there is none of this name."""
        member, damaged = self._member(name), self._damaged(name)
        with _or_else(damaged):
            with self._archive.open(member) as packed:
                begin = packed.read(LONGEST)
            offset = len(MAGIC) + 2 + int.from_bytes(begin[len(MAGIC) : len(MAGIC) + 2], "little")
            require(begin.startswith(MAGIC) and offset <= len(begin), damaged)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of what is no literal
                said = ast.literal_eval(begin[len(MAGIC) + 2 : offset].decode("ascii"))
            kind, fortran, shape = said.pop("descr"), said.pop("fortran_order"), said.pop("shape")
            lengths = type(shape) is tuple and all(type(length) is int and length >= 0 for length in shape)
            require(lengths and type(fortran) is bool and not said, damaged)
        plain = type(kind) is str and TYPE.fullmatch(kind)
        require(bool(plain), f"{self.path}: the array {name} is not of plain numbers or words")
        found = Header(shape, fortran, np.dtype(kind), offset)
        size = found.offset + found.size * found.dtype.itemsize
        require(size == member.file_size, f"{self.path}: the array {name} has another size than it says")
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
        member = self._members[name]
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
        if letters.max() > LAST or (letters - FIRST < SURROGATES).any():
            raise ValueError("no letter")
    return flat
