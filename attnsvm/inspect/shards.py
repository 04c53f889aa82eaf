"""The files with the weights of a model, found without a library."""

import json
from collections import Counter
from pathlib import Path

from attnsvm.errors import UserError, require

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
    try:
        given = json.loads(path.read_text("utf-8"))["weight_map"]
        index = {str(name): folder / Path(file).name for name, file in given.items()}
        if not index:
            raise ValueError("no weights")
    except (ValueError, KeyError, TypeError, AttributeError, OSError) as error:
        raise UserError(f"{path}: expected JSON with weight_map, the file of every weight; fetch it again") from error
    for shard, count in sorted(Counter(index.values()).items()):
        require(shard.is_file(), f"{shard}: there is no such file, and {INDEX} says that it has {count} weights; "
                "fetch it")  # fmt: skip
    return index


def one_file(folder: Path) -> Path:
    """The file that has all weights, where `shards` names none."""
    return folder / (ONE if (folder / ONE).is_file() else PICKLED)
