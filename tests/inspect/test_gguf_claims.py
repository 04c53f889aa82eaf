"""The header of a GGUF file, written here byte by byte: what it claims is held against the file."""

import struct

import gguf
import pytest

from attnsvm.inspect.gguf import Reader
from attnsvm.system.errors import UserError

ARRAY, TRUTH = 9, 7  # kinds of values, the second of one byte


def headed(path, tensors=b"", values=0, told=None, size=0, order="<"):
    """A file of one tensor, where there is one, and of an array of bytes, of `told` by its word; `size` at least."""
    word = struct.pack(f"{order}Q", 1) + b"a"
    array = word + struct.pack(f"{order}IIQ", ARRAY, TRUTH, values if told is None else told) + bytes(values)
    head = b"GGUF" + struct.pack(f"{order}IQQ", 3, 1 if tensors else 0, 1) + array
    path.write_bytes((head + (word + tensors if tensors else b"")).ljust(size, b"\0"))
    return path


def tensor(*shape, at=0):
    return struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, 0, at)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"tensors": tensor(11, 4), "size": 256}, "it ends before what its header says is in it"),
        ({"tensors": tensor(2**40, 2**23), "size": 256}, "it ends before what its header says is in it"),
        ({"tensors": tensor(2**32, 2**32), "size": 256}, "cannot reshape array of size 0 .*"),
        ({"tensors": tensor(4, at=256), "size": 256}, "it ends before what its header says is in it"),
        ({"tensors": struct.pack("<I", 2**31)}, "it ends before what its header says is in it"),
        ({"values": 2**21 + 1}, "its header has more than 2097152 values"),
        ({"told": 2**60}, "it ends before what its header says is in it"),
        ({"order": ">"}, "its numbers are in the other order of bytes"),
    ],
)
def test_what_does_not_is_one_sentence(given, sentence, tmp_path):
    with pytest.raises(UserError, match=rf"^{tmp_path}/a\.gguf: cannot be read as GGUF \({sentence}\)$"):
        Reader(headed(tmp_path / "a.gguf", **given))


def test_a_library_that_does_not_ask_is_not_trusted(tmp_path, monkeypatch):
    monkeypatch.setattr(Reader, "_get", gguf.GGUFReader._get)
    with pytest.raises(UserError, match="the library gguf is of a release that is not known here"):
        Reader(headed(tmp_path / "a.gguf", values=3, size=256))
