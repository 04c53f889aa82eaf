"""Files of strangers: what is not needed stays packed, and whatever is wrong with the rest is one sentence."""

import os
import re
import shutil
import struct
import zipfile
import zlib

import numpy as np
import pytest
from mutators import packed

from attnsvm import command
from attnsvm.system import npz
from attnsvm.system.errors import UserError, shown

BLOCK = np.arange(24.0).reshape(2, 3, 4)


def headed(header, body=b"", version=b"\x01\x00"):
    """A .npy file with this header."""
    size = struct.pack("<H" if version == b"\x01\x00" else "<I", len(header))
    return b"\x93NUMPY" + version + size + header.encode("latin1") + body


def described(descr="'<f8'", shape="(2, 3, 4)", order="False"):
    return f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}\n"


def archive(path, *members, compression=zipfile.ZIP_STORED):
    """A zip file of (name, bytes)."""
    with zipfile.ZipFile(path, "w", compression) as made:
        for name, content in members:
            made.writestr(name, content)
    return path


def read(path, name="x"):
    return npz.Arrays(path)[name]


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_what_numpy_writes_is_read_as_numpy_reads_it(save, tmp_path, monkeypatch):
    monkeypatch.setattr(npz, "PIECE", 1_000_003)
    kinds = {
        "f8": BLOCK,
        "f4": BLOCK.astype("<f4"),
        "big": BLOCK.astype(">f8"),
        "fortran": np.asfortranarray(BLOCK),
        "strided": BLOCK[:, ::2],
        "bool": BLOCK > 3,
        "int": np.arange(5),
        "number": np.array(3.5),
        "word": np.array("fro"),
        "words": np.array([["a", "ü"], ["", "long"]], dtype=">U7"),
        "complex": BLOCK + 1j,
        "none": np.zeros((0, 3)),
        "large": np.arange(2**18, dtype=float),
    }
    save(tmp_path / "x.npz", **kinds)
    given = npz.Arrays(tmp_path / "x.npz")
    assert {*given} == {*kinds}
    assert len(given) == len(kinds)
    assert "f8" in given
    assert "f9" not in given
    for name, wanted in kinds.items():
        assert given.header(name).shape == wanted.shape
        assert given[name].dtype == wanted.dtype
        np.testing.assert_array_equal(given[name], wanted)
        assert given[name].flags.writeable
    with pytest.raises(KeyError):
        given["f9"]


def test_a_file_of_no_arrays_is_one(tmp_path):
    np.savez(tmp_path / "x.npz")
    assert dict(npz.Arrays(tmp_path / "x.npz")) == {}
    assert not npz.starts_as_archive(tmp_path / "x.npz")


def test_an_array_that_nobody_asks_for_stays_packed(tmp_path):
    whole = packed(BLOCK)
    path = archive(tmp_path / "x.npz", ("x.npy", whole), ("other.npy", b"no array"), ("words", b"\0" * 100))
    np.testing.assert_array_equal(read(path), BLOCK)
    for name in ("other", "words"):
        with pytest.raises(UserError, match=f"the array {name} is damaged, or no array$"):
            read(path, name)


def test_memory_that_is_not_there_is_refused_before_it_is_taken(tmp_path, monkeypatch):
    path = archive(tmp_path / "x.npz", ("x.npy", packed(BLOCK)))
    monkeypatch.setattr(npz, "LITTLE", 0)
    monkeypatch.setattr(npz.machine, "memory", lambda: 3.0 * BLOCK.nbytes - 1)
    sentence = r"x\.npz: the array x needs about 5\.76e-07 GB of memory, 5\.75e-07 GB are free: take fewer inputs"
    with pytest.raises(UserError, match=sentence):
        read(path)
    monkeypatch.setattr(npz.machine, "memory", lambda: 3.0 * BLOCK.nbytes)
    np.testing.assert_array_equal(read(path), BLOCK)


def test_memory_is_asked_for_from_some_megabytes_on(tmp_path, monkeypatch):
    path = archive(tmp_path / "x.npz", ("x.npy", packed(np.zeros(npz.LITTLE // 24 + 1))))
    monkeypatch.setattr(npz.machine, "memory", lambda: 1e6)
    assert npz.LITTLE <= 2**22
    with pytest.raises(UserError, match=r"the array x needs about 0\.00419 GB of memory, 0\.001 GB are free"):
        read(path)


def forged_size(path, size):
    """Let the archive say that its only member has so many bytes, packed and unpacked."""
    content = bytearray(path.read_bytes())
    entry = content.rindex(b"PK\x01\x02")
    content[entry + 20 : entry + 28] = struct.pack("<II", size, size)
    path.write_bytes(content)
    return path


def test_a_size_that_is_only_claimed_is_not_taken(tmp_path):
    """The header and the archive agree on 4 GB, and there are 200 bytes."""
    content = headed(described(shape=f"({2**29 - 16},)"), b"\0" * 100)
    offset = len(content) - 100
    path = archive(tmp_path / "x.npz", ("x.npy", content))
    forged_size(path, offset + 8 * (2**29 - 16))
    with pytest.raises(UserError, match=r"needs about|damaged"):
        read(path)


BODY = BLOCK.tobytes()
CONTENTS = {
    "no header": (b"", "damaged, or no array"),
    "text": (b"tokens\n", "damaged, or no array"),
    "a header without end": (b"\x93NUMPY\x02\x00\xff\xff\xff\xff" + b"{" * 99, "damaged, or no array"),
    "a deep header": (headed("(" * 5000 + ")" * 5000, BODY), "damaged, or no array"),
    "no dictionary": (headed("[1]", BODY), "damaged, or no array"),
    "code": (headed("__import__('os').system('true')", BODY), "damaged, or no array"),
    "no shape": (headed("{'descr': '<f8', 'fortran_order': False}", BODY), "damaged, or no array"),
    "an unknown type": (headed(described("'<q9'"), BODY), "is not of plain numbers or words"),
    "objects": (packed(np.array([{}, 1], dtype=object)), "is not of plain numbers or words"),
    "records": (packed(np.zeros(3, dtype=[("a", "f8"), ("b", "i4")])), "is not of plain numbers or words"),
    "vectors as numbers": (headed(described("('<f8', (4,))", "(2, 3)"), BODY), "is not of plain numbers or words"),
    "dates": (packed(np.zeros(3, dtype="M8[s]")), "is not of plain numbers or words"),
    "words without letters": (headed(described("'<U0'", "(9, 9)")), "is not of plain numbers or words"),
    "too few numbers": (headed(described(), BODY[:-1]), "has another size than it says"),
    "too many numbers": (headed(described(), BODY + b"\0"), "has another size than it says"),
    "a vast shape": (headed(described(shape=f"({10**9}, {10**9})"), BODY), "has another size than it says"),
    "a negative shape": (headed(described(shape="(-2, -3, 4)"), BODY), "damaged, or no array"),
    "too many axes": (headed(described(shape=f"({'1, ' * 70}24)"), BODY), "damaged, or no array"),
    "no numbers, and too many": (headed(described(shape=f"(0, {10**30})")), "damaged, or no array"),
    "no code point": (headed(described("'<U1'", "()"), b"\xff\xff\xff\x7f"), "damaged, or no array"),
}


@pytest.mark.parametrize(("content", "sentence"), CONTENTS.values(), ids=CONTENTS)
def test_a_member_that_is_no_array_is_one_sentence(content, sentence, tmp_path):
    path = archive(tmp_path / "x.npz", ("x.npy", content))
    with pytest.raises(UserError, match=sentence) as caught:
        read(path)
    assert str(caught.value).startswith(f"{path}: the array x ")
    assert "\n" not in str(caught.value)


def test_truths_are_zero_or_one(tmp_path):
    """A byte of two is neither equal to true nor to false."""
    path = archive(tmp_path / "x.npz", ("x.npy", headed(described("'|b1'", "(3,)"), b"\0\1\2")))
    assert read(path).view(np.uint8).tolist() == [0, 1, 1]


def test_what_numpy_does_not_pack_is_refused(tmp_path):
    whole = packed(BLOCK)
    path = archive(tmp_path / "encrypted.npz", ("x.npy", whole))
    content = bytearray(path.read_bytes())
    for start, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.rindex(start) + place] |= 1
    path.write_bytes(content)
    with pytest.raises(UserError, match="the array x is encrypted"):
        read(path)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_arrays_of_one_name_are_none(tmp_path):
    """Readers that take the first and readers that take the last would see other numbers."""
    for second in ("x.npy", "x"):
        path = archive(tmp_path / "x.npz", ("x.npy", packed(BLOCK)), (second, packed(2 * BLOCK)))
        with pytest.raises(UserError, match="two of its arrays have one name"):
            read(path)


def test_what_is_no_archive_is_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.save("array.npy", BLOCK)
    shutil.copy("array.npy", "array.npz")
    (tmp_path / "empty.npz").write_bytes(b"")
    (tmp_path / "start.npz").write_bytes(b"PK\x03\x04")
    os.mkfifo("pipe.npz")
    (tmp_path / "folder.npz").mkdir()
    none = "is not an .npz file of plain arrays"
    for name, sentence in {
        "array.npz": none,
        "empty.npz": none,
        "start.npz": none,
        "pipe.npz": "is a device or a pipe, expected a file",
        "folder.npz": "is a folder, expected a file",
        "missing.npz": "there is no such file",
        "array.npy/x.npz": "there is no such file",
        "a\0b": "there is no such file",
        "x" * 300: r"cannot be read \(File name too long\)",
    }.items():
        with pytest.raises(UserError, match=f"^{re.escape(shown(name))}: {sentence}$"):
            npz.Arrays(name)


def test_a_long_name_in_an_answer_is_a_file_that_is_not_there(tmp_path, capsys):
    rng = np.random.default_rng(0)
    np.savez(tmp_path / "t.npz", tokens=rng.normal(size=(3, 4, 5)), queries=rng.normal(size=(3, 5)), selected=[0, 0, 0])
    answer = tmp_path / "answer.npz"
    assert command.main(["solve", str(tmp_path / "t.npz"), "--out", str(answer)]) == 0
    for name in ("x" * 5000, "a\0b", "..", "", "\x1b[2J"):
        np.savez(answer, **dict(npz.Arrays(answer)) | {"problem": np.array(name)})
        capsys.readouterr()
        assert command.main(["verify", str(answer)]) == 1
        said = capsys.readouterr().out.splitlines()
        assert len(said) == 2
        assert "there is no file " in said[0]
        assert said[0].isprintable()


def test_a_sum_is_compared_at_the_end_of_what_is_packed(tmp_path):
    """Deflated, one number more than the header says: the size in the archive is what counts."""
    path = archive(tmp_path / "x.npz", ("x.npy", packed(BLOCK)), compression=zipfile.ZIP_DEFLATED)
    content = path.read_bytes()
    sum_ = struct.pack("<I", zlib.crc32(packed(BLOCK)))
    assert content.count(sum_) == 2
    path.write_bytes(content.replace(sum_, b"\0\0\0\0"))
    with pytest.raises(UserError, match="the array x is damaged"):
        read(path)
