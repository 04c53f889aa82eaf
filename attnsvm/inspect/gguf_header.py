"""The header of a GGUF file, held against the size of the file before the library `gguf` takes what it says.

The library counts as far as the header tells it to, and has no end where a length is forged.
"""

import os
import struct
from pathlib import Path
from typing import IO

from attnsvm.errors import UserError, require
from attnsvm.reading import opened, start

MAGIC, VERSIONS = b"GGUF", (2, 3)
SIZES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}  # bytes of numbers, by their type
WORD, ARRAY = 8, 9
MOST = 2**21  # values in all arrays: vocabularies have half of it
AXES = 4
DENSEST = 8  # weights in a byte: no format has more


def require_sound(file: Path) -> None:
    """UserError unless a file is GGUF whose header ends inside of it, with tensors that fit; one sentence."""
    begin = start(file, len(MAGIC))
    with opened(file) as stream:
        try:
            require(begin == MAGIC, "its first letters are others")
            _Header(stream, os.fstat(stream.fileno()).st_size).read()
        except (UserError, struct.error) as error:
            why = "it ends too early" if isinstance(error, struct.error) else error
            raise UserError(f"{file}: cannot be read as GGUF ({why})") from error


class _Header:
    def __init__(self, stream: IO[bytes], size: int):
        self.stream, self.size, self.values, self.order = stream, size, 0, "<"

    def read(self) -> None:
        self.stream.read(len(MAGIC))
        version = self._number("I")
        if version & 0xFFFF == 0:  # the other order of bytes
            version, self.order = version >> 24 | (version >> 8 & 0xFF00), ">"
        require(version in VERSIONS, f"version {version} is not known")
        tensors, pairs = self._number("Q"), self._number("Q")
        for _ in range(self._counted(pairs, 8 + 4 + 1)):
            self._word()
            self._value(self._number("I"))
        for _ in range(self._counted(tensors, 8 + 4 + 4 + 8)):
            self._word()
            axes, elements = self._number("I"), 1
            require(1 <= axes <= AXES, f"a tensor has {axes} axes")
            for _ in range(axes):
                elements *= self._number("Q")
            require(0 < elements <= DENSEST * self.size, "a tensor is larger than the file")
            self._skip(4)
            require(self._number("Q") <= self.size, "a tensor lies beyond the end of the file")

    def _value(self, kind: int, inside: bool = False) -> None:
        if kind == ARRAY and not inside:
            kind, count = self._number("I"), self._number("Q")
            self.values += self._counted(count, SIZES.get(kind, 8))
            require(self.values <= MOST, f"its arrays have more than {MOST} values")
            if kind in SIZES:
                self._skip(count * SIZES[kind])
                return
            for _ in range(count):
                self._value(kind, inside=True)
        elif kind == WORD:
            self._word()
        else:
            require(kind in SIZES, "a value is of a kind that is not known")
            self._skip(SIZES[kind])

    def _counted(self, count: int, least: int) -> int:
        """A count of what takes so many bytes each at least, where the file has room for it."""
        require(count * least <= self.size, "it ends too early")
        return count

    def _number(self, kind: str) -> int:
        return struct.unpack(self.order + kind, self.stream.read(struct.calcsize(kind)))[0]

    def _word(self) -> None:
        self._skip(self._number("Q"))

    def _skip(self, size: int) -> None:
        require(self.stream.tell() + size <= self.size, "it ends too early")
        self.stream.seek(size, os.SEEK_CUR)
