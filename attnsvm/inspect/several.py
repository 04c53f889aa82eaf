"""Models by the dozen: what a configuration asks for, and which files each job needs. No library is imported."""

import difflib
import inspect
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from attnsvm import inspect as inspected
from attnsvm.inspect import packaged
from attnsvm.inspect.families import require_norms, require_read
from attnsvm.inspect.packaged import WEIGHTS, shards
from attnsvm.system import checksums
from attnsvm.system.errors import require

SETTINGS = ("query", "norms", "inputs", "nuclear_inputs", "held_out", "draws", "longest", "seed")
KNOWN = ("models", "texts", *SETTINGS)
COMMAND = "ATTNSVM_INSPECT_COMMAND"  # in the environment of every job: what the user typed
DOUBLE = 8 / 2  # a weight in float64, beside one in two bytes
LEAST_MB = 2000  # what the libraries take, and the inputs of a layer of a small model


@dataclass(frozen=True)
class Model:
    """A model that is asked for.

    Attributes:
        layers: how many there are.
        files: configuration, weights, tokenizer; absolute, so that they are no files of a workflow with a prefix.
        megabytes: what a job needs that reads one layer.
    """

    folder: str
    layers: int
    files: list[str]
    megabytes: int

    def fingerprint(self) -> list:
        """What tells this model from another one here: of small files their SHA-256, of weights their dates."""
        told = [Path(file) for file in self.files]
        small = [(path.name, checksums.of(path)) for path in told if path.name.endswith(packaged.TOLD)]
        large = [(path.name, path.stat()) for path in told if not path.name.endswith(packaged.TOLD)]
        return small + [(name, found.st_size, found.st_mtime_ns) for name, found in large]


@dataclass(frozen=True)
class Asked:
    """What a configuration asks for.

    Attributes:
        models: by name. texts: a file with one text per line; None: those of the package.
        settings: of `inspect.inspection`, by name.
    """

    models: dict[str, Model]
    texts: str | None
    settings: dict

    @cached_property
    def texts_sha256(self) -> str:
        """That of the file with the texts; "" for those of the package, which are a part of the code."""
        return checksums.of(self.texts) if self.texts else ""


def resolve(config: dict) -> Asked:
    """What is asked for, checked.

    Args:
        config: {"models": {name: folder}}, and where they differ from the defaults "texts" and `SETTINGS`.

    Raises:
        UserError: a key or a value is not allowed, or a model is not one that is read; the message is one sentence.
    """
    for key in config:
        close = difflib.get_close_matches(str(key), KNOWN, n=1)
        hint = f"did you mean {close[0]}?" if close else f"known are {', '.join(KNOWN)}"
        require(key in KNOWN, f"{key}: there is no such setting of the module inspect; {hint}")
    models = config.get("models")
    require(
        isinstance(models, dict) and bool(models),
        "models: expected names and folders, as in --config 'models={small: path/of/a/model}'",
    )
    for name in models:
        fits = isinstance(name, str) and re.fullmatch(r"[A-Za-z0-9][\w.+-]*", name) is not None and name != "logs"
        require(fits, f"models: {name!r} cannot name a folder; letters, digits and . _ + - can")
    texts = config.get("texts")
    require(texts is None or Path(str(texts)).is_file(), f"texts: there is no file {texts}")
    defaults = inspect.signature(inspected.inspection).parameters
    settings = {name: config.get(name, defaults[name].default) for name in SETTINGS}
    settings = inspected.settled(**settings)
    settings["norms"] = settings["norms"] and list(settings["norms"])  # as YAML has it
    where = None if texts is None else str(Path(str(texts)).absolute())
    return Asked({name: _model(name, folder, settings["norms"]) for name, folder in models.items()}, where, settings)


def _model(name, given, norms) -> Model:
    require(given not in (None, ""), f"models: {name}: expected a folder, got none")
    folder, out = Path(str(given)), Path("inspect", name)
    require(
        not packaged.holds(folder, out),
        f"models: {name}: {out}, where its table is written, lies in the folder of the model, {folder}; "
        "choose another name, or move the model",
    )
    require(folder.suffix != ".gguf", f"models: {name}: {folder}: expected a folder; attnsvm inspect reads GGUF files")
    config = packaged.said(folder)
    require_read(folder, config)
    require_norms(folder, config.get("model_type"), norms)
    layers = packaged.depth(folder, config)
    index = shards(folder)
    weights = sorted({*index.values()}) or [folder / WEIGHTS]
    files = [str(one.absolute()) for one in [*packaged.told(folder), *weights]]
    size = sum(one.stat().st_size for one in weights)
    return Model(str(folder), layers, files, LEAST_MB + int(DOUBLE * size / layers / 1e6))
