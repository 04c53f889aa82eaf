"""A model in one GGUF file, as a folder in the Hugging Face layout: quantised weights are those that they stand for.

The library `gguf` reads the file and its formats of quantised weights, `transformers` its tokenizer. What is done here
is what their layouts ask for: names, the settings of config.json, and the order of the rows that positions turn. And
the header is held against the size of the file before the library takes what it says: it counts as far as the header
tells it to, and has no end where a length is forged.
"""

import json
import math
import os
import re
import struct
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO

import numpy as np

from attnsvm.inspect import tokens
from attnsvm.inspect.packaged import CONFIG, INDEX
from attnsvm.system import extras
from attnsvm.system.errors import UserError, require
from attnsvm.system.untrusted import opened as opened_file
from attnsvm.system.untrusted import start
from attnsvm.system.writing import filling, save_text

ENDING = ".gguf"
SHARD = 2**30  # bytes of a file of weights
# {architecture: (model_type, whether pairs of rows are neighbours in the file, where they are half a head apart in the
# layout of the folder)}
READ = {"llama": ("llama", True), "qwen2": ("qwen2", False), "qwen3": ("qwen3", False)}
OUTSIDE = {"token_embd": "embed_tokens", "output_norm": "norm"}
INSIDE = {
    **{f"attn_{name}": f"self_attn.{name}_proj" for name in "qkv"},
    "attn_output": "self_attn.o_proj",
    **{f"attn_{name}_norm": f"self_attn.{name}_norm" for name in "qk"},
    "attn_norm": "input_layernorm",
    "ffn_norm": "post_attention_layernorm",
    **{f"ffn_{name}": f"mlp.{name}_proj" for name in ("gate", "up", "down")},
}
HEAD = "output.weight"  # of the words; without it the model takes the embeddings
NUMBERS = {
    "num_hidden_layers": "block_count",
    "hidden_size": "embedding_length",
    "intermediate_size": "feed_forward_length",
    "num_attention_heads": "attention.head_count",
    "max_position_embeddings": "context_length",
    "rms_norm_eps": "attention.layer_norm_rms_epsilon",
}

TOLD = ("GGUF.", "general.", "split.", "quantize.", "tokenizer.")  # begin what says nothing of the arithmetic
WORDS = "tokenizer.ggml.model", "tokenizer.ggml.pre", "tokenizer.ggml.add_space_prefix"
SPLIT = (
    "gpt-2",
    "llama3",
    "llama-v3",
    "llama-bpe",
    "smaug-bpe",
    "falcon3",
    "qwen2",
    "deepseek-r1-qwen",
    "tekken",
    "gpt-4o",
    "smollm",  # whose vocabulary has single digits alone
)  # ways to split a text that transformers knows
MORE = ("attention.head_count_kv", "attention.key_length", "attention.value_length", "rope.freq_base",
        "rope.dimension_count", "vocab_size")  # fmt: skip
# Settings that change nothing as long as they say this.
NEUTRAL = {"rope.scaling.type": "none", "rope.scaling.factor": 1.0, "rope.scale_linear": 1.0, "attention.causal": True,
           "attention.sliding_window": 0, "expert_count": 0, "expert_used_count": 0}  # fmt: skip

MAGIC, VERSIONS = b"GGUF", (2, 3)
SIZES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}  # bytes of numbers, by their type
WORD, ARRAY = 8, 9
MOST = 2**21  # values in all arrays: vocabularies have half of it
AXES = 4
DENSEST = 8  # weights in a byte: no format has more


@contextmanager
def opened(model: Path) -> Iterator[tuple[Path, list[Path]]]:
    """The folder of a model, and none; of a GGUF file a folder that holds it while the block runs, and its parts."""
    if not model.is_file() or start(model, len(MAGIC)) != MAGIC:
        yield model, []
        return
    with TemporaryDirectory(prefix="attnsvm-") as folder:
        yield Path(folder), unpack(model, Path(folder))


def unpack(file: Path, folder: Path) -> list[Path]:
    """Write config.json, weights in float32 (shards of safetensors) and the tokenizer of a GGUF file into a folder.

    Args:
        folder: it is made; empty where it is there.

    Returns:
        The files that were read: those of all parts.

    Raises:
        UserError: the library gguf is not installed, the file is no model that is read, or the folder is not empty or
            cannot be written; one sentence.
    """
    extras.needed("gguf", "safetensors", extra="models")
    from safetensors import SafetensorError

    said, tensors, parts = _whole(file)
    config, interleaved = _config(file, said, {one.name: tuple(map(int, one.shape)) for one in tensors})
    weights = _weights(file, tensors, config, interleaved)
    try:
        with filling(folder, last=CONFIG) as made:
            tokens.save(file, made)
            _write(made, config, weights)
    except SafetensorError as error:
        raise UserError(f"{folder}: cannot be written ({error})") from error
    return parts


def _whole(file: Path) -> tuple[dict, list, list[Path]]:
    """What a file says, and the tensors of all parts that the model is split into, which come last."""
    said, tensors = _read(file)
    count = said.get("split.count", 0)
    if count in (0, 1):
        return said, tensors, [file]
    named = re.fullmatch(r"(.*)-(\d{5})-of-(\d{5})", file.stem)
    fits = isinstance(count, int) and named is not None and int(named[3]) == count
    require(fits, f"{file}: is one of {count} parts of a model, and its name does not end in -00001-of-{count:05}.gguf")
    assert named is not None
    parts = [file.with_name(f"{named[1]}-{k:05d}-of-{count:05d}{ENDING}") for k in range(1, count + 1)]
    missing = [part.name for part in parts if not part.is_file()]
    require(not missing, f"{file}: is one of {count} parts of a model, and {', '.join(missing[:9])} are not beside it")
    require(named[2] == "00001", f"{file}: is one of {count} parts of a model; name the first one, {parts[0].name}")
    for number, part in enumerate(parts[1:], 1):
        there, more = _read(part)
        same = there.get("split.count") == count and there.get("split.no") == number
        require(same, f"{part}: is not part {number + 1} of the model in {file.name}")
        tensors += more
    wanted = said.get("split.tensors.count", len(tensors))
    require(wanted == len(tensors), f"{file}: its parts have {len(tensors)} tensors, where {wanted} are said")
    return said, tensors, parts


def _read(file: Path) -> tuple[dict, list]:
    """What the header of a file says, but for the tokenizer, and its tensors, mapped."""
    import gguf

    require_sound(file)
    try:
        read = gguf.GGUFReader(file)
        named = [name for name in read.fields if name in WORDS or not name.startswith("tokenizer.")]
        said = {name: read.fields[name].contents() for name in named}
    except Exception as error:  # of NumPy's many kinds
        raise UserError(f"{file}: cannot be read as GGUF ({str(error).strip() or 'it ends too early'})") from error
    return said, list(read.tensors)


def _write(folder, config, weights):
    from safetensors.numpy import save_file

    index: dict[str, str] = {}
    for number, part in enumerate(_shards(weights)):
        shard = f"model-{number:05d}.safetensors"
        save_file(part, folder / shard, metadata={"format": "pt"})
        index |= dict.fromkeys(part, shard)
    save_text(folder / INDEX, json.dumps({"metadata": {}, "weight_map": index}, indent=1), checksum=False)
    save_text(folder / CONFIG, json.dumps(config, indent=1), checksum=False)


def _shards(weights: Iterable[tuple[str, np.ndarray]]) -> Iterator[dict[str, np.ndarray]]:
    """The weights in parts of `SHARD` bytes or a little more, so that few of them are in memory."""
    part: dict[str, np.ndarray] = {}
    for name, values in weights:
        part[name] = values
        if sum(one.nbytes for one in part.values()) >= SHARD:
            yield part
            part = {}
    if part:
        yield part


def _weights(file, tensors, config, interleaved) -> Iterator[tuple[str, np.ndarray]]:
    """Name and numbers of every tensor, one at a time."""
    import gguf

    for one in tensors:
        try:
            values = gguf.quants.dequantize(one.data, one.tensor_type).astype(np.float32)
        except Exception as error:  # it does not say which there are
            kind = getattr(one.tensor_type, "name", one.tensor_type)
            raise UserError(f"{file}: the weights {one.name} are stored as {kind}, which the library gguf cannot read; "
                            "take a file of another format") from error  # fmt: skip
        name = _name(file, one.name)
        heads = config["num_attention_heads" if ".q_proj." in name else "num_key_value_heads"]
        turned = interleaved and (".q_proj." in name or ".k_proj." in name)
        fits = not turned or len(values) % (2 * heads) == 0
        require(fits, f"{file}: the weights {one.name} have {len(values)} rows, which {heads} heads cannot share")
        yield name, np.ascontiguousarray(_half_apart(values, heads) if turned else values)


def _config(file, said, shapes) -> tuple[dict, bool]:
    """What config.json says, and whether rows that turn together are neighbours.

    Args:
        shapes: of the weights by name, the last axis first.
    """
    kind = said.get("general.architecture")
    require(
        kind in READ, f"{file}: holds a model of the architecture {kind!r}; from GGUF files {', '.join(READ)} are read"
    )
    model_type, interleaved = READ[kind]
    scaling = said.get(f"{kind}.rope.scaling.type", "none")
    plain = scaling == "none" and "rope_freqs.weight" not in shapes
    require(
        plain,
        f"{file}: scales the frequencies of its positions, which is not read from GGUF files; take the folder of the "
        "model with its safetensors",
    )
    _require_known(file, said, kind)
    require("token_embd.weight" in shapes, f"{file}: there are no weights token_embd.weight in it")
    require(len(shapes["token_embd.weight"]) == 2, f"{file}: the weights token_embd.weight are no matrix")
    config = {ours: _number(file, said, f"{kind}.{theirs}") for ours, theirs in NUMBERS.items()}
    heads, wide = config["num_attention_heads"], config["hidden_size"]
    layers = {name.split(".")[1] for name in shapes if name.startswith("blk.")}
    there = layers == {str(k) for k in range(len(layers))} and len(layers) == config["num_hidden_layers"]
    require(there, f"{file}: says that it has {config['num_hidden_layers']} layers, and has weights of {len(layers)}")
    config |= {
        "model_type": model_type,
        "architectures": [f"{model_type.capitalize()}ForCausalLM"],
        "num_key_value_heads": _number(file, said, f"{kind}.attention.head_count_kv", heads),
        "head_dim": _number(file, said, f"{kind}.attention.key_length", wide // heads),
        "vocab_size": shapes["token_embd.weight"][1],
        "rope_theta": _number(file, said, f"{kind}.rope.freq_base", 10000.0),
        "attention_bias": model_type == "llama" and "blk.0.attn_q.bias" in shapes,
        "tie_word_embeddings": HEAD not in shapes,
    }
    dimensions = said.get(f"{kind}.rope.dimension_count", config["head_dim"])
    require(dimensions == config["head_dim"], f"{file}: turns {dimensions} of {config['head_dim']} rows of a head; "
            "this is not read from GGUF files")  # fmt: skip
    return config, interleaved


def _require_known(file, said, kind) -> None:
    """UserError unless each setting is one that is heeded here, or one that changes nothing."""
    require(said.get("general.type", "model") == "model", f"{file}: holds no model (general.type)")
    words, split, space = map(said.get, WORDS)
    plain = words != "gpt2" or split in SPLIT
    require(plain, f"{file}: tokenizer.ggml.pre is {split!r}, a way to split texts that is not known here; take the "
            "folder of the model with its tokenizer.json")  # fmt: skip
    require(words != "llama" or space is not False, f"{file}: tokenizer.ggml.add_space_prefix is False, which is not "
            "heeded; take the folder of the model with its tokenizer.json")  # fmt: skip
    heeded = {f"{kind}.{name}" for name in (*NUMBERS.values(), *MORE)}
    neutral = {f"{kind}.{name}": value for name, value in NEUTRAL.items()}
    for name, value in said.items():
        known = name in heeded or name.startswith(TOLD) or (name in neutral and value == neutral[name])
        require(known, f"{file}: {name} is {value!r:.40}, which is not read from GGUF files and may change what it "
                "computes; take the folder of the model with its safetensors")  # fmt: skip


def _number(file, said, name: str, otherwise=None):
    """A number above zero that a file says: whole, but for what is measured."""
    found = said.get(name, otherwise)
    require(found is not None, f"{file}: there is no {name}")
    different = f"{file}: its layers have different numbers of heads, which is not read"
    require(not (isinstance(found, list) and ".head_count" in name), different)
    whole = isinstance(found, int) and not isinstance(found, bool)
    measured = isinstance(found, float) and name.endswith(("epsilon", "freq_base")) and math.isfinite(found)
    require((whole or measured) and found > 0, f"{file}: {name}: expected a number above 0, got {found!r:.40}")
    return found


def _name(file, name) -> str:
    """The name of a tensor in the layout of the folder."""
    stem, _, kind = name.rpartition(".")
    block, _, part = stem.partition(".")[2].partition(".")
    if name == HEAD:
        return "lm_head.weight"
    if stem in OUTSIDE:
        return f"model.{OUTSIDE[stem]}.{kind}"
    known = stem.startswith("blk.") and block.isdecimal() and part in INSIDE
    require(known, f"{file}: the weights {name} have no place in a model of this kind")
    return f"model.layers.{block}.{INSIDE[part]}.{kind}"


def _half_apart(rows: np.ndarray, heads: int) -> np.ndarray:
    """Rows (heads · r, ...) in which neighbours turn together, so that k and k + r/2 of each head do."""
    return rows.reshape(heads, -1, 2, *rows.shape[1:]).swapaxes(1, 2).reshape(rows.shape)


def require_sound(file: Path) -> None:
    """UserError unless a file is GGUF whose header ends inside of it, with tensors that fit; one sentence."""
    begin = start(file, len(MAGIC))
    with opened_file(file) as stream:
        try:
            require(begin == MAGIC, "its first letters are others")
            _Header(stream, os.fstat(stream.fileno()).st_size).read()
        except (UserError, struct.error) as error:
            why = "it ends too early" if isinstance(error, struct.error) else error
            raise UserError(f"{file}: cannot be read as GGUF ({why})") from error


class _Header:
    def __init__(self, stream: IO[bytes], size: int):
        self.stream, self.size, self.values, self.order = stream, size, 0, "<"

    def read(self) -> None:
        self.stream.read(len(MAGIC))
        version = self._number("I")
        if version & 0xFFFF == 0:  # the other order of bytes
            version, self.order = version >> 24 | (version >> 8 & 0xFF00), ">"
        require(version in VERSIONS, f"version {version} is not known")
        tensors, pairs = self._number("Q"), self._number("Q")
        for _ in range(self._counted(pairs, 8 + 4 + 1)):
            self._word()
            self._value(self._number("I"))
        for _ in range(self._counted(tensors, 8 + 4 + 4 + 8)):
            self._word()
            axes, elements = self._number("I"), 1
            require(1 <= axes <= AXES, f"a tensor has {axes} axes")
            for _ in range(axes):
                elements *= self._number("Q")
            require(0 < elements <= DENSEST * self.size, "a tensor is larger than the file")
            self._skip(4)
            require(self._number("Q") <= self.size, "a tensor lies beyond the end of the file")

    def _value(self, kind: int, inside: bool = False) -> None:
        if kind == ARRAY and not inside:
            kind, count = self._number("I"), self._number("Q")
            self.values += self._counted(count, SIZES.get(kind, 8))
            require(self.values <= MOST, f"its arrays have more than {MOST} values")
            if kind in SIZES:
                self._skip(count * SIZES[kind])
                return
            for _ in range(count):
                self._value(kind, inside=True)
        elif kind == WORD:
            self._word()
        else:
            require(kind in SIZES, "a value is of a kind that is not known")
            self._skip(SIZES[kind])

    def _counted(self, count: int, least: int) -> int:
        """A count of what takes so many bytes each at least, where the file has room for it."""
        require(count * least <= self.size, "it ends too early")
        return count

    def _number(self, kind: str) -> int:
        return struct.unpack(self.order + kind, self.stream.read(struct.calcsize(kind)))[0]

    def _word(self) -> None:
        self._skip(self._number("Q"))

    def _skip(self, size: int) -> None:
        require(self.stream.tell() + size <= self.size, "it ends too early")
        self.stream.seek(size, os.SEEK_CUR)
