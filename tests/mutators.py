"""Files as strangers hand them in: each mutator makes of the bytes of a good file those of another, by a generator.

What was changed has all its sums right where the format has sums, so that the change itself is met and not the sum.
"""

import io
import json
import struct
import zipfile

import numpy as np


def packed(array):
    """The bytes of a .npy file."""
    file = io.BytesIO()
    np.lib.format.write_array(file, array, allow_pickle=True)
    return file.getvalue()


def bytes_changed(rng, content):
    """Some bytes have other values, are gone, or are there twice."""
    content = bytearray(content)
    for _ in range(rng.integers(1, 4)):
        content = content or bytearray(1)
        at = int(rng.integers(len(content)))
        size = int(rng.integers(1, 40))
        match rng.integers(4):
            case 0:
                content[at] = rng.integers(256)
            case 1:
                del content[at : at + size]
            case 2:
                content[at:at] = content[at : at + size]
            case _:
                content = content[: at + 1]
    return bytes(content)


def member_changed(rng, content, change):
    """A zip archive with one member changed, all sums right; `change`: of its name and bytes."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(made, "w") as new:
        names = old.namelist()
        chosen = names[rng.integers(len(names))]
        for name in names:
            inside = old.read(name)
            new.writestr(*(change(rng, name, inside) if name == chosen else (name, inside)))
    return made.getvalue()


def members_changed(rng, content):
    """A member's header, bytes or name are others, and all sums are right."""
    return member_changed(rng, content, _array_changed)


def _array_changed(rng, name, inside):
    match rng.integers(4):
        case 0:
            inside = bytes_changed(rng, inside)
        case 1:
            array = np.load(io.BytesIO(inside))
            inside = packed(KINDS[rng.integers(len(KINDS))](array))
        case 2:
            name = "".join(chr(k) for k in rng.integers(1, 0x2FF, 9)) + ".npy"
        case _:
            start = inside.index(b"{")
            end = inside.index(b"\n")
            header = bytearray(inside[start:end])
            header[rng.integers(len(header))] = rng.integers(32, 127)
            inside = inside[:start] + bytes(header) + inside[end:]
    return name, inside


KINDS = [
    lambda x: x[..., None],
    lambda x: x.astype(str),
    lambda x: x.astype(object),
    lambda x: np.zeros_like(x, dtype=np.float32),
    lambda x: np.zeros((0, *x.shape)),
    lambda x: np.full(x.shape, np.nan),
    lambda x: np.full(x.shape, np.inf),
    lambda x: np.full(x.shape, -1),
    lambda x: np.full(x.shape, 2**63, dtype=np.uint64),
    lambda x: np.full(x.shape, 1e308),
    lambda x: np.array(b"bytes"),
    lambda x: np.array("\x1b[31m"),
    lambda x: np.ones(x.shape, dtype=bool),
    lambda x: np.ones(x.shape, dtype=complex),
    lambda x: np.ones(x.shape, dtype=np.longdouble),
]


HOSTILE = [
    *(None, True, -1, 0, 1, 3, 10**5, 10**9, 2**63, -(10**18), 0.5, 1e308, float("nan"), float("inf")),
    *("", "two", "\x1b[2J\x1b[31m", "../../../etc/passwd", "\ud800", "x" * 5000, "\u2028\n\r\0"),
    *([], {}, [[]], [None] * 50, {"": {}}, [10**9] * 3, {"type": "Replace"}),
]
LINES = [
    *("\x1b[2J\n", "\0\n", "\u2028\r\n", "\ufeff\n", "\n" * 50, "x" * 10**5, "9" * 5000 + "\n", '1e999,nan,"\n'),
    *(
        "&a [*a]\n",
        "a: &a [x,x]\n<<: *a\n",
        "\t- x: }\n",
        "? [a]\n",
        "!!python/object:os.x y\n",
        "- " * 1500 + "\n",
        "2001-99-99\n",
    ),
]
DEEP = "deep down"  # stands for lists in lists in lists


def values_changed(rng, content):
    """JSON of which one value or key is another, is gone, or is there twice."""
    whole = json.loads(content)
    places = [*_places(whole)]
    for _ in range(rng.integers(1, 3)):
        parent, key = places[rng.integers(len(places))]
        match rng.integers(6):
            case 0 if isinstance(parent, dict):
                parent[f"{key}_"] = parent.pop(key, None)
            case 1 if isinstance(parent, dict):
                parent.pop(key, None)
            case 2:
                parent[key] = DEEP
            case 3:
                other, at = places[rng.integers(len(places))]
                parent[key] = json.loads(json.dumps(other[at] if isinstance(other, list) or at in other else None))
            case _:
                parent[key] = HOSTILE[rng.integers(len(HOSTILE))]
        places = [*_places(whole)] or places
    text = json.dumps(whole).replace(json.dumps(DEEP), "[" * 3000 + "]" * 3000)
    if rng.integers(20) == 0:
        text = text[:-1] + "," + text[1:]  # every key twice
    return text.encode()


def _places(value):
    """Where a JSON value has others: (list or dict, place)."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, below in list(inside)[:200]:
        yield value, key
        yield from _places(below)


def header_changed(rng, content):
    """Safetensors of which the list of weights is another, and its length right."""
    size = int.from_bytes(content[:8], "little")
    header = values_changed(rng, content[8 : 8 + size])
    return struct.pack("<Q", len(header)) + header + content[8 + size :]


def numbers_changed(rng, content):
    """Some numbers of four or eight bytes are others: lengths, counts, types, offsets."""
    content = bytearray(content)
    for _ in range(rng.integers(1, 4)):
        kind = ("<I", "<Q")[rng.integers(2)]
        number = [0, 1, 2, 9, 255, 2**16, 2**31 - 1, 2**31, 2**32 - 1, 2**40, 2**62, 2**64 - 1][rng.integers(12)]
        at = int(rng.integers(min(len(content), 3000)))
        struct.pack_into(kind, content, min(at, len(content) - 8), number % 2 ** (8 * struct.calcsize(kind)))
    return bytes(content)


def lines_changed(rng, content):
    """A text of which some lines are others."""
    lines = content.decode("utf-8").splitlines(keepends=True)
    for _ in range(rng.integers(1, 4)):
        at = int(rng.integers(len(lines) + 1))
        match rng.integers(4):
            case 0:
                lines[at:at] = lines[at - 1 : at]
            case 1:
                del lines[at : at + 1]
            case _:
                lines[at:at] = [LINES[rng.integers(len(LINES))]]
    return "".join(lines).encode("utf-8", "surrogatepass")


def zip_changed(rng, content):
    """A member changed by its kind."""

    def change(rng, name, inside):
        return name, (values_changed if name.endswith(".json") and rng.integers(3) else bytes_changed)(rng, inside)

    return member_changed(rng, content, change)
