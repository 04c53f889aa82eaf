"""The files with the weights of a model, found without a library."""

import json
import os
import re
from collections import Counter, defaultdict
from pathlib import Path

from attnsvm.errors import UserError, require
from attnsvm.reading import LARGEST, json_file, opened, start

ONE, INDEX = "model.safetensors", "model.safetensors.index.json"  # the second where they lie in several files, shards
PICKLED = "pytorch_model.bin"  # one file of older models


def shards(folder: Path) -> dict[str, Path]:
    """{weight: its file} as the index says; empty where one file has all weights.

    Raises:
        UserError: there are no weights, or a shard is not there.
    """
    path = folder / INDEX
    if (folder / ONE).is_file() or (not path.is_file() and (folder / PICKLED).is_file()):
        return {}
    require(path.is_file(), f"{folder}: there is no {ONE} in it")
    given = json_file(path)
    try:
        given = given["weight_map"]
        index = {str(name): folder / Path(file).name for name, file in given.items()}
        if not index:
            raise ValueError("no weights")
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UserError(f"{path}: expected JSON with weight_map, the file of every weight; fetch it again") from error
    for shard, count in sorted(Counter(index.values()).items()):
        require(shard.is_file(), f"{shard}: there is no such file, and {INDEX} says that it has {count} weights; "
                "fetch it")  # fmt: skip
    return index


def one_file(folder: Path) -> Path:
    """The file that has all weights, where `shards` names none."""
    return folder / (ONE if (folder / ONE).is_file() else PICKLED)


def layers(folder: Path, inside: str = "") -> int | None:
    """How many layers there are weights of; None where the weights are a pickle, which only a library reads.

    Args:
        inside: begins the names of the layers that count, of a model with more than one stack.

    Raises:
        UserError: as `shards`, or the file that has all weights is damaged.
    """
    index, one = shards(folder), one_file(folder)
    if not index and one.name == PICKLED:
        return None
    numbers: dict[str, set[str]] = defaultdict(set)
    for name in index or _named(one):
        numbered = re.search(r"(?:^|\.)(\d+)\.", name)
        if numbered and name.removeprefix("model.").removeprefix("transformer.").startswith(inside):
            numbers[name[: numbered.start()]].add(numbered[1])
    return max(map(len, numbers.values()), default=0)


def _named(path: Path) -> list[str]:
    """The names of the weights in a file of safetensors, from its header."""
    size = int.from_bytes(start(path, 8), "little")
    with opened(path) as file:
        right = 0 < size <= min(LARGEST, os.fstat(file.fileno()).st_size - 8)
        file.seek(8)
        try:
            named = json.loads(file.read(size)) if right else None
        except (ValueError, RecursionError):
            named = None
    require(isinstance(named, dict), f"{path}: cannot be read (its header is no list of weights); fetch it again")
    return list(named or ())
