"""How a file of a stranger is read: a plain file, not beyond the size of its kind, as values or one sentence.

What arrays hold is read by `attnsvm.system.npz`. It takes no library; that for YAML is imported where YAML is read.
"""

import json
import os
import stat
from collections.abc import Iterable
from typing import IO, Any

from attnsvm.system.errors import UserError, require

LARGEST = 2**25  # bytes of a text that is read whole: the lists of weights of the largest models take half of it
YAML = 2**20  # bytes: what is read of it takes a hundred times as much memory
MOST = 10**6  # values of a YAML file, counted wherever an alias repeats them
DEEPEST = 100  # lists and mappings in one another: a parser in C ends the process where there are some ten thousand
DIGITS = 100  # letters of a number: some forms of a long one take minutes to read, or cannot be printed
NUMBERS = ("tag:yaml.org,2002:int", "tag:yaml.org,2002:float")
PIECE = 2**20
MERGE = "tag:yaml.org,2002:merge"  # the tag of the key <<, which takes over the keys of another mapping
POINTER = b"version https://git-lfs.github.com/spec/"  # begins what git has in the place of a large file


def opened(path: str | os.PathLike) -> IO[bytes]:
    """A file to read; UserError where there is none, or something that never ends, as a pipe or a device."""
    try:
        kind = os.stat(path).st_mode
        if stat.S_ISREG(kind):
            return open(path, "rb")
    except (FileNotFoundError, NotADirectoryError, ValueError) as error:  # the last: a name with a zero in it
        raise UserError(f"{path}: there is no such file") from error
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror})") from error
    raise UserError(f"{path}: is {'a folder' if stat.S_ISDIR(kind) else 'a device or a pipe'}, expected a file")


def start(path: str | os.PathLike, size: int) -> bytes:
    """The first bytes of a file; UserError as `opened`, and where git-lfs has not fetched the file."""
    with opened(path) as file:
        try:
            found, least = bytearray(), max(size, len(POINTER))
            while piece := file.read(min(least - len(found), PIECE)):  # no more is taken than there is
                found += piece
        except OSError as error:
            raise UserError(f"{path}: cannot be read ({error.strerror})") from error
    fetched = not found.startswith(POINTER)
    require(fetched, f"{path}: is a pointer of git-lfs in the place of the file; fetch the file: git lfs pull")
    return bytes(found[:size])


def content(path: str | os.PathLike, most: int = LARGEST) -> bytes:
    """The bytes of a file; UserError as `start`, and where there are more than `most`."""
    found = start(path, most + 1)
    require(len(found) <= most, f"{path}: is larger than {most / 1e6:.3g} MB, more than is read of a file of its kind")
    return found


def text(path: str | os.PathLike, most: int = LARGEST) -> str:
    """A text in UTF-8; a mark of its beginning, as some editors put there, is no part of it. UserError as `content`."""
    try:
        return content(path, most).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: cannot be read (it is not UTF-8)") from error


def json_file(path: str | os.PathLike) -> Any:
    """What a JSON file says; UserError as `text`, and where it is no JSON, or nested too deeply."""
    try:
        return json.loads(text(path))
    except (ValueError, RecursionError) as error:
        why = "nested too deeply" if isinstance(error, RecursionError) else error
        raise UserError(f"{path}: is not JSON ({why})") from error


def yaml_file(path: str | os.PathLike) -> Any:
    """What a YAML file says; UserError as `content` and `yaml_of`."""
    return yaml_of(content(path, YAML), str(path))


def yaml_of(content: bytes | str, where: str) -> Any:
    """What a YAML text says; one in which a key occurs twice would lose the first value in silence.

    Args:
        where: begins the sentence of an error.

    Raises:
        UserError: it is no YAML, a key occurs twice, or its aliases repeat one another without end.
    """
    import yaml

    try:
        text = content if isinstance(content, str) else content.decode("utf-8-sig")
        kind = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the first is ten times faster
        require(_depth(yaml.parse(text, kind)) <= DEEPEST, f"{where}: this is nested too deeply")
        loader = kind(text)
        node = loader.get_single_node()
        if node is None:
            return None
        require(_size(loader, node, {}) <= MOST, f"{where}: its aliases repeat one another, to more than {MOST} values")
        return loader.construct_document(node)
    except UnicodeDecodeError as error:
        raise UserError(f"{where}: this is not UTF-8 text") from error
    except (yaml.YAMLError, ValueError, TypeError, OverflowError) as error:  # also of numbers and dates that are none
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark and "\n" in text else ""
        raise UserError(f"{where}{line}: this is not YAML ({getattr(error, 'problem', None) or error})") from error


def _depth(events: Iterable) -> int:
    """How many lists and mappings lie in one another, as far as `DEEPEST`; the events of YAML are found in a loop."""
    depth = deepest = 0
    for event in events:
        kind = type(event).__name__
        depth += kind in ("SequenceStartEvent", "MappingStartEvent")
        depth -= kind in ("SequenceEndEvent", "MappingEndEvent")
        deepest = max(deepest, depth)
        if deepest > DEEPEST:
            break
    return deepest


def _size(loader, node, known: dict[int, float]) -> float:
    """How many values there are below a node where each alias stands for all of its own; infinite in a circle."""
    from yaml.constructor import ConstructorError

    if id(node) not in known:
        known[id(node)] = float("inf")  # until it is known: what leads back to itself has no end
        inside = [] if isinstance(node.value, str) else node.value
        if node.id == "mapping":
            inside = [part for pair in inside for part in pair]
        elif node.tag in NUMBERS and len(node.value) > DIGITS:
            raise ConstructorError(None, None, f"a number of more than {DIGITS} letters", node.start_mark)
        known[id(node)] = 1 + sum(_size(loader, part, known) for part in inside)
        if node.id == "mapping":
            _require_once(loader, [key for key, _ in node.value if key.tag != MERGE])
    return known[id(node)]


def _require_once(loader, keys: list) -> None:
    """An error of YAML where a key is there twice; what is no word and no number is no key of anything here."""
    from yaml.constructor import ConstructorError

    seen = set()
    for key in keys:
        if key.id != "scalar":
            raise ConstructorError(None, None, "a key is not a word or a number", key.start_mark)
        name = loader.construct_object(key)
        if name in seen:
            raise ConstructorError(None, None, f"the key {name!r} occurs twice", key.start_mark)
        seen.add(name)
