"""The header of a GGUF file, written here byte by byte: what it claims is held against the file."""

import struct

import pytest

from attnsvm.inspect.gguf import ARRAY, require_sound
from attnsvm.system.errors import UserError

TRUTH = 7  # a kind of value, of one byte


def headed(path, tensors=b"", values=0, size=0):
    """A file of one tensor, where there is one, and of one array of so many bytes, that ends at `size` at least."""
    word = struct.pack("<Q", 1) + b"a"
    array = word + struct.pack("<IIQ", ARRAY, TRUTH, values) + bytes(values)
    head = b"GGUF" + struct.pack("<IQQ", 3, 1 if tensors else 0, 1) + array
    path.write_bytes((head + (word + tensors if tensors else b"")).ljust(size, b"\0"))
    return path


def tensor(*shape, at=0):
    return struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, 0, at)


def test_what_fits_is_sound(tmp_path):
    require_sound(headed(tmp_path / "a.gguf", tensor(100, 8), values=3, size=100))


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"tensors": tensor(101, 8), "size": 100}, "a tensor is larger than the file"),
        ({"tensors": tensor(2**40, 2**23), "size": 100}, "a tensor is larger than the file"),
        ({"tensors": tensor(0, 8), "size": 100}, "a tensor is larger than the file"),
        ({"tensors": tensor(4, at=101), "size": 100}, "a tensor lies beyond the end of the file"),
        ({"tensors": tensor(*[1] * 5), "size": 100}, "a tensor has 5 axes"),
        ({"values": 2**21 + 1}, "its arrays have more than 2097152 values"),
    ],
)
def test_what_does_not_is_one_sentence(given, sentence, tmp_path):
    with pytest.raises(UserError, match=rf"^{tmp_path}/a\.gguf: cannot be read as GGUF \({sentence}\)$"):
        require_sound(headed(tmp_path / "a.gguf", **given))
