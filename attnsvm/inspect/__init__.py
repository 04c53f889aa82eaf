"""Is a head of attention a max-margin separator of the tokens that it selects? Certified answers, and null models.

`heads` gives a table with one row per head, and `inspection` the same table with a page to look at. docs/inspect.md
says what the columns mean. Models are read through `transformers`: the extra `models`.
"""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

from attnsvm.inspect import families, packaged
from attnsvm.inspect.layers import chosen
from attnsvm.svm.arguments import setting
from attnsvm.system import extras
from attnsvm.system.errors import UserError, require
from attnsvm.system.untrusted import start
from attnsvm.system.untrusted import text as text_of

if TYPE_CHECKING:
    import pandas as pd

    from attnsvm.inspect.running import Inspection

__all__ = ["heads", "inspection", "lines", "sentences", "why"]

LEAST = {"inputs": 2, "nuclear_inputs": 2, "draws": 0, "longest": 2, "jobs": 1, "seed": 0}
HELD_OUT = 0.3  # share of the texts, of which `why` says nothing unless asked
LARGEST = 2**30  # bytes of texts
HEADS = ("num_attention_heads", "n_head", "n_heads", "num_heads")  # what config.json calls their number
WRITTEN = ("heads.parquet", "heads.csv", "heads.html")  # into the folder of an inspection


def heads(model: Any, texts: Sequence[str] | None = None, **settings) -> "pd.DataFrame":
    """One row per head; arguments and errors as those of `inspection`."""
    return inspection(model, texts, **settings).table


def inspection(
    model: Any,
    texts: Sequence[str] | None = None,
    *,
    tokenizer: Any = None,
    layers: Sequence[int] | None = None,
    heads: Sequence[int] | None = None,
    query: str | int = "random",
    norms: Sequence[str] | None = None,
    inputs: int = 150,
    nuclear_inputs: int = 16,
    held_out: float = HELD_OUT,
    draws: int = 2,
    longest: int = 64,
    seed: int = 0,
    jobs: int = 1,
    device: str = "cpu",
    loss: bool = True,
    progress: Callable[..., Iterable] | None = None,
    command: str = "",
    then: str = "attnsvm why MODEL",
) -> "Inspection":
    """Inspect every head of a model on some texts.

    Args:
        model: a folder in the Hugging Face layout, a .gguf file, or an .npz file of arrays, see
            `attnsvm.inspect.arrays.read`; or a model of transformers in memory.
        tokenizer: of a model in memory: one of transformers, or of the library tokenizers.
        texts: one input per text; None: `sentences()`. A file of arrays holds its inputs, and takes no texts.
        layers, heads: numbers from 0; None: all.
        query: the position of the query in a text: "random" (one per text), "first", "last", "all", or a number from 0.
        norms: "fro", "nuc" or both; None: both, or "fro" where logits depend on distance.
        inputs: the largest number of fitted queries, and of held-out queries; drawn where there are
            more.
        nuclear_inputs: the largest number of queries fitted in the nuclear norm, which takes longer.
        held_out: share of the texts that is held out.
        draws: null models of each kind per head and norm.
        longest: tokens after which a text is cut.
        seed: of positions, split and null models.
        jobs: number of processes.
        device: where the model runs, "cpu", "cuda" or "cuda:N"; all else is done by the processor.
        progress: called as tqdm is, with an iterable, `total` and `desc`; None: nothing is shown.
        loss: whether the loss of the whole model is measured, which takes long for a large one.
        command, then: the command line, and what asks of one head, without its numbers; printed on the page.

    Returns:
        `.table` is a DataFrame, `.save(folder)` writes heads.parquet, heads.csv and heads.html.

    Raises:
        UserError, ValueError: the model, the texts or a setting is wrong; the message is one sentence.
    """
    given = settled(
        norms=norms, inputs=inputs, nuclear_inputs=nuclear_inputs, held_out=held_out, draws=draws, longest=longest,
        jobs=jobs, query=query, seed=seed, texts=texts, device=device,
    )  # fmt: skip
    with _on_disk(model, tokenizer) as path:
        families.require_norms(path, _kind(path), given["norms"])
        _require_there(path, layers, heads)
        running = _needs("running")
        plan, jobs = running.Plan(**{name: given[name] for name in running.Plan.__match_args__}), given["jobs"]
        with _unpacked(path) as (place, parts):
            read = _read(place, layers, heads, given, None, running.at_once(jobs))
            made = partial(_needs("page").origin, path if tokenizer is None else path.name, given["seed"], command)
            plan = replace(plan, model=_needs("whole").of(read) if loss else "it was not asked for")
            return running.run(path.name, lambda files: made(parts or files), read, plan, jobs, progress, then)


def why(
    model: Any,
    texts: Sequence[str] | None = None,
    *,
    tokenizer: Any = None,
    layer: int = 0,
    head: int = 0,
    text: int | None = None,
    query: str | int = "random",
    inputs: int = 150,
    longest: int = 64,
    seed: int = 0,
    device: str = "cpu",
    progress: Callable[..., Iterable] | None = None,
) -> "pd.DataFrame":
    """The support tokens that hold each selection of one head, with multipliers and flip radii.

    Args:
        layer, head: numbers from 0.
        text: the number of a text, from 0, for its selections alone; None: all that `inspection` fits by default.
        model, tokenizer, texts, query, inputs, longest, seed, device, progress: as for `inspection`.

    Returns:
        A row for each support token of each selection, columns as in `attnsvm.inspect.reasons.COLUMNS`;
        `.attrs["fitted"]` says which queries W_mm is fitted on.

    Raises:
        UserError, ValueError: as `inspection`; or no W is certified to separate the tokens that the head selects.
    """
    given = settled(inputs=inputs, longest=longest, query=query, seed=seed, texts=texts, device=device)
    layer, head, text = setting(layer), setting(head), setting(text)
    with _on_disk(model, tokenizer) as path, _unpacked(path) as (place, _):
        _require_there(path, [layer], [head])
        layers, reasons = _needs("layers"), _needs("reasons")
        (read,) = _read(place, [layer], [head], given, progress)
    mine = np.flatnonzero(read.inputs.text == text)
    last = int(read.inputs.text.max())
    without = ", without those that repeat an earlier one" if any(read.inputs.repeats) else ""
    require(text is None or len(mine) > 0, f"text {text}: the texts have the numbers 0 to {last}{without}")
    fitted, _ = layers.split(read.inputs, HELD_OUT, given["inputs"], np.random.default_rng([given["seed"], 2]))
    more = np.setdiff1d(mine, fitted)
    with layers.threads(read.inputs.queries.shape[1]):
        table = reasons.reasons(read, head, np.union1d(fitted, more))
    table.attrs["fitted"] = f"{len(fitted)} queries that inspect fits" + f", and text {text}" * bool(len(more))
    sentence = f"layer {layer}, head {head}: no W is certified to separate what it selects, so no token holds it"
    require(len(table) > 0, f"{sentence}; ask for fewer inputs")
    return table if text is None else table[table["text"] == text].reset_index(drop=True)


@contextmanager
def _on_disk(model: Any, tokenizer: Any) -> Iterator[Path]:
    """The place of a model; one in memory is written into a folder, by its own library, while the block runs.

    Raises:
        UserError: it cannot be written; or it has no tokenizer, or needs none.
    """
    extras.needed("pandas", extra="models")
    live = hasattr(model, "save_pretrained")
    require(live or isinstance(model, str | os.PathLike), f"model: expected a folder, a file, or a model of "
            f"transformers, got a {type(model).__name__}; give the arrays of another in an .npz file")  # fmt: skip
    fits = (
        hasattr(tokenizer, "save_pretrained") or type(tokenizer).__name__ == "Tokenizer" if live else tokenizer is None
    )
    require(fits, "tokenizer: expected that of transformers or tokenizers with a model in memory, and none otherwise")
    if not live:
        yield Path(model)
        return
    model = getattr(model, "_orig_mod", model)  # compiled
    name = type(model).__name__
    with TemporaryDirectory(prefix="attnsvm-") as folder:
        path = Path(folder, name)
        _needs("layerwise").save(model, tokenizer, path)
        try:
            yield path
        except UserError as error:
            raise UserError(str(error).replace(str(path), name)) from error


@contextmanager
def _unpacked(model: Path) -> Iterator[tuple[Path, list[Path]]]:
    """The place of a model, and none; of a GGUF file a folder while the block runs, and the file's parts."""
    if not _is_gguf(model):
        yield model, []
        return
    with TemporaryDirectory(prefix="attnsvm-") as folder:
        yield Path(folder), _needs("gguf").unpack(model, Path(folder))


def _is_gguf(model: Path) -> bool:
    return model.is_file() and start(model, len(packaged.GGUF)) == packaged.GGUF


def sentences() -> list[str]:
    """235 short English sentences, written for this package: texts for a first look at a model."""
    return files("attnsvm.inspect").joinpath("sentences.txt").read_text("utf-8").splitlines()


def lines(path: str | os.PathLike) -> list[str]:
    """The lines of a text file that are not empty; UserError where there are none.

    A line ends where an editor, or `wc`, sees its end: other separators that Unicode has are part of a text.
    """
    require(bool(str(path)), "texts: expected the name of a file, got an empty one")
    found = [line.strip() for line in re.split("\r\n|\r|\n", text_of(path, LARGEST)) if line.strip()]
    require(bool(found), f"{path}: expected one text per line, got none")
    return found


def _read(model, layers, heads, given, show, at_once=1):
    """The layers asked for, from a folder or a file of arrays; of a folder one after another, so many at a time."""
    query, longest, seed, texts, device = (given[name] for name in ("query", "longest", "seed", "texts", "device"))
    layers, heads = _asked("layers", layers), _asked("heads", heads)
    require(Path(model).suffix not in (".json", ".safetensors"), f"{model}: is a file of a model: name its folder")
    if Path(model).is_file() or Path(model).suffix == ".npz":
        require(query == "random", f"{model}: a file of arrays has one query for each input, and query chooses none")
        require(texts is None, f"{model}: a file of arrays holds its inputs; give texts only with a model in a folder")
        require(not layers or list(layers) == [0], f"{model}: a file of arrays is one layer, number 0")
        require(device == "cpu", f"{model}: a file of arrays has no model that would run on {device}")
        return _needs("arrays").read(model, heads)
    require(Path(model).is_dir(), f"{model}: expected a folder (download a model first), a .gguf file, or an .npz file")
    texts = sentences() if texts is None else texts

    reading = _needs("models").Reading(model, texts, layers, heads, query, longest, seed, show, device)
    reading.require_memory(min(at_once, len(reading)))
    return reading


def _require_there(model: Path, layers, heads) -> None:
    """UserError where config.json has fewer layers or heads than are asked for: before libraries are loaded."""
    if (model / packaged.CONFIG).is_file():
        said = packaged.said(model)
        families.require_read(model, said)
        chosen(_asked("layers", layers), packaged.depth(model, said), "layer")
        count = next((said[name] for name in HEADS if type(said.get(name)) is int), None)
        if count is not None:
            chosen(_asked("heads", heads), count, "head")


def _kind(model: Path) -> object:
    """The kind of a model, from its settings; of a GGUF file one with positions as all have that are read from one."""
    if model.is_dir():
        return packaged.said(model).get("model_type")
    return "llama" if _is_gguf(model) else None


def settled(**given) -> dict:
    """Settings of `inspection`, by name, as Python has them: a number of NumPy is the number, one norm a list of one.

    Raises:
        UserError: one is wrong, whatever the model.
    """
    found: dict[str, Any] = {}
    for name, value in given.items():
        match name:
            case "norms" if value is None:
                found[name] = None
            case "norms":
                found[name] = tuple(dict.fromkeys(map(str, np.ravel(value))))
                known = bool(found[name]) and set(found[name]) <= {"fro", "nuc"}
                require(known, f"norms: expected fro, nuc or both, got {', '.join(found[name]) or 'none'}")
            case "texts":
                found[name] = None if value is None else _texts(value)
            case "held_out":
                found[name] = value = setting(value)
                share = _number(value, float) and 0 <= value < 1
                require(share, f"held_out: expected a share from 0 up to below 1, got {value!r}")
            case "device":
                found[name] = _device(str(value))
            case "query":
                found[name] = value = setting(value)
                asks = _number(value, int) or value in ("random", "first", "last", "all")
                require(asks, f"query: expected random, first, last, all, or a number, got {value!r}")
            case _:
                found[name] = _whole(name, value, LEAST[name])
    return found


def _device(name: str) -> str:
    """A device that there is, and that has float64."""
    require("mps" not in name, f"device: {name} has no numbers of 64 bits, with which heads are compared; take cpu")
    kind, _, number = name.partition(":")
    known = name == "cpu" or (kind == "cuda" and (number.isdecimal() or name == kind))
    require(known, f"device: expected cpu, cuda or cuda:N, got {name!r:.40}")
    if name != "cpu":
        cuda = import_module("torch").cuda
        count = cuda.device_count() if cuda.is_available() else 0
        require(
            int(number or 0) < count, f"device: PyTorch finds {count} GPUs here, and {name} is none of them; take cpu"
        )
    return name


def _texts(given: Any) -> list[str]:
    """Texts as Python has them, from a list of them or an array."""
    one = f"one text, {given[:40]!r}" if isinstance(given, str) else f"a {type(given).__name__}"
    a_list = isinstance(given, Iterable) and not isinstance(given, str | bytes | bytearray | Mapping | Set)
    require(a_list and getattr(given, "ndim", 1) == 1, f"texts: expected a list of texts, got {one}")
    found = list(given)
    for number, text in enumerate(found, 1):
        got = f"{type(text).__name__}, {text!r:.40}"
        require(isinstance(text, str), f"texts: expected a text in place {number}, got {got}; leave it out or mend it")
    return [str(text) for text in found]


def _asked(name: str, numbers) -> list[int] | None:
    """The layers or heads asked for; None: all."""
    if numbers is None:
        return None
    found = [setting(one) for one in np.ravel(numbers)]
    fits = bool(found) and all(_number(one, int) for one in found)
    require(fits, f"{name}: expected numbers from 0 on, or None for all, got {found}")
    return found


def _whole(name: str, value: object, least: int) -> int:
    found = setting(value)
    fits = _number(found, int) and found >= least
    require(fits, f"{name}: expected a number from {least} on, got {found!r}")
    return found


def _number(value: object, *kinds: type) -> bool:
    return isinstance(value, (int, *kinds)) and not isinstance(value, bool)


def _needs(name: str):
    """A module of this package whose libraries may not be installed."""
    try:
        return import_module(f"attnsvm.inspect.{name}")
    except ModuleNotFoundError as error:
        raise extras.missing(str(error.name), extra="models") from error
