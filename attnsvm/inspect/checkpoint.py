"""The weights of a model on disk: which file has which, and the weights themselves, read when they are asked for."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open

from attnsvm.errors import UserError, require

ONE, INDEX = "model.safetensors", "model.safetensors.index.json"  # the second where they lie in several files, shards
PLAIN = ("F64", "F32", "F16", "BF16")  # what else there is needs more than one tensor to make a weight


class Checkpoint:
    """A folder with model.safetensors or its shards. Nothing but headers is read until weights are asked for.

    Attributes:
        named_by: the file that says which weights there are.
        files: {name: the file that has the weight}.
        shapes: {name: (...,)}. kinds: {name: how its numbers are stored, as safetensors calls it}.

    Raises:
        UserError: there are no weights, a shard is missing or damaged, or the index names what is not there.
    """

    def __init__(self, folder: Path):
        whole = (folder / ONE).is_file()
        require(whole or (folder / INDEX).is_file(), f"{folder}: there is no {ONE} in it")
        self.named_by = folder / (ONE if whole else INDEX)
        index = None if whole else _index(folder)
        self.files: dict[str, Path] = {}
        self.shapes: dict[str, tuple[int, ...]] = {}
        self.kinds: dict[str, str] = {}
        for path in [folder / ONE] if index is None else sorted({*index.values()}):
            with _opened(path) as file:
                for name in file.keys():  # noqa: SIM118 (it is no dictionary)
                    tensor = file.get_slice(name)
                    self.files[name], self.shapes[name] = path, tuple(tensor.get_shape())
                    self.kinds[name] = tensor.get_dtype()
        for name, path in (index or {}).items():
            there = self.files.get(name) == path
            require(there, f"{path}: the weights {name} are not in it, where {INDEX} says they are; fetch it again")

    @contextmanager
    def tensors(self, names: Iterable[str]) -> Iterator[dict[str, Any]]:
        """{name: the weight, read where it is sliced}; [...] is all of it. Files are open inside."""
        with ExitStack() as stack:
            opened: dict[Path, Any] = {}
            for name in names:
                path = self.files[name]
                if path not in opened:
                    opened[path] = stack.enter_context(_opened(path))
            yield {name: opened[self.files[name]].get_slice(name) for name in names}


def _index(folder: Path) -> dict[str, Path]:
    """{weight: its file} as the index of the shards says, all of which are there."""
    path = folder / INDEX
    try:
        given = json.loads(path.read_text("utf-8"))["weight_map"]
        index = {str(name): folder / Path(file).name for name, file in given.items()}
    except (ValueError, KeyError, TypeError, AttributeError, OSError) as error:
        raise UserError(f"{path}: expected JSON with weight_map, the file of every weight; fetch it again") from error
    for shard, count in sorted(Counter(index.values()).items()):
        require(shard.is_file(), f"{shard}: there is no such file, and {INDEX} says that it has {count} weights; "
                "fetch it")  # fmt: skip
    return index


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    try:
        file = safe_open(path, "pt")
    except (SafetensorError, OSError) as error:
        raise UserError(f"{path}: cannot be read ({str(error).strip().splitlines()[0].rstrip('.:')})") from error
    with file as opened:
        yield opened
