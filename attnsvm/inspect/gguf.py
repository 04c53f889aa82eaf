"""A model in one GGUF file, as a folder in the Hugging Face layout whose weights lie in the file.

The library `gguf` reads the file and its formats of quantised weights, `transformers` its tokenizer. What is done here
is what their layouts ask for: names, the settings of config.json, and the order of the rows that positions turn. A
weight becomes numbers when it is asked for.
"""

import json
import math
import re
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import torch

from attnsvm.inspect import packaged, tokens
from attnsvm.inspect.packaged import CONFIG, GGUF, INDEX
from attnsvm.system.errors import UserError, first_line, require
from attnsvm.system.untrusted import start
from attnsvm.system.writing import filling, save_text

# {architecture, and so model_type: whether pairs of rows are neighbours in the file, where they are half a head apart
# in the layout of the folder}
READ = {"llama": True, "qwen2": False, "qwen3": False}
TURNED = {"q": "attention", "k": "key_value"}
OUTSIDE = {"token_embd": "model.embed_tokens", "output_norm": "model.norm", "output": "lm_head"}
INSIDE = {
    **{f"attn_{name}": f"self_attn.{name}_proj" for name in "qkv"},
    "attn_output": "self_attn.o_proj",
    **{f"attn_{name}_norm": f"self_attn.{name}_norm" for name in "qk"},
    "attn_norm": "input_layernorm",
    "ffn_norm": "post_attention_layernorm",
    **{f"ffn_{name}": f"mlp.{name}_proj" for name in ("gate", "up", "down")},
}
NUMBERS = {
    "num_hidden_layers": "block_count",
    "hidden_size": "embedding_length",
    "intermediate_size": "feed_forward_length",
    "num_attention_heads": "attention.head_count",
    "max_position_embeddings": "context_length",
    "rms_norm_eps": "attention.layer_norm_rms_epsilon",
}
MORE = ("attention.head_count_kv", "attention.key_length", "attention.value_length", "rope.freq_base", "vocab_size")

TOLD = ("GGUF.", "general.", "split.", "quantize.", "tokenizer.")  # begin what says nothing of the arithmetic
WORDS = tuple(
    f"tokenizer.ggml.{name}"
    for name in ("model", "pre", "add_space_prefix", "scores", "precompiled_charsmap", "bos_token_id", "add_bos_token")
)
# Ways to split a text, as llama.cpp has them. With those of the second kind a text begins with a token unless the file
# says that it does not, and a part that is a word of the vocabulary is that word, whatever pairs are joined.
SPLIT = ("gpt-2", "smaug-bpe", "qwen2", "deepseek-r1-qwen", "gpt-4o", "smollm")
WHOLE = ("llama3", "llama-v3", "llama-bpe", "falcon3", "tekken")
# Settings that change nothing as long as they say this.
NEUTRAL = {"rope.scaling.type": "none", "rope.scaling.factor": 1.0, "rope.scale_linear": 1.0, "attention.causal": True,
           "attention.sliding_window": 0, "expert_count": 0, "expert_used_count": 0}  # fmt: skip
MOST = 2**21  # values that the header names: the largest vocabularies have three in four of it


class Reader(gguf.GGUFReader):
    """The library's reader, which by itself counts as far as a forged length tells it to, beyond the end of the file.

    Raises:
        UserError: it cannot be read, the message is one sentence.
    """

    def __init__(self, file: Path):
        self.asked = 0
        require(start(file, len(GGUF)) == GGUF, f"{file}: cannot be read as GGUF (its first letters are others)")
        try:
            super().__init__(file)
            require(self.asked > 0, "the library gguf is of a release that is not known here")
            named = [name for name in self.fields if name in WORDS or not name.startswith("tokenizer.")]
            self.said = {name: self.fields[name].contents() for name in named}
        except Exception as error:  # of NumPy's many kinds
            raise UserError(f"{file}: cannot be read as GGUF ({first_line(error)})") from error

    def _get(self, offset, dtype, count=1, override_order=None):
        if not self.asked:
            self.data = np.asarray(self.data)  # a view of the same file, of which pieces are made faster
        self.asked += 1
        require(self.asked <= MOST, f"its header has more than {MOST} values")
        require(self.byte_order == "I", "its numbers are in the other order of bytes")
        begin, size = int(offset), np.dtype(dtype).itemsize * int(count)
        require(begin + size <= len(self.data), "it ends before what its header says is in it")
        return self.data[begin : begin + size].view(dtype)


class Weight:
    """A weight as safetensors gives one: its shape, and its numbers as float32, which are made when it is sliced.

    Args:
        heads: whose rows turn together where they are neighbours in the file; 0: they are not.

    Raises:
        UserError: its format cannot be read, or its rows cannot be shared among the heads.
    """

    def __init__(self, path: Path, tensor: gguf.ReaderTensor, heads: Any = 0):
        self.path, self.name, self.data, self.kind = path, tensor.name, tensor.data, tensor.tensor_type
        self.shape, self.heads = [*map(int, reversed(tensor.shape))], heads
        self._numbers(self.data[:1] if len(self.shape) > 1 else self.data)
        fits = not heads or (type(heads) is int and self.shape[0] % (2 * heads) == 0)
        require(fits, f"{path}: the weights {tensor.name} have {self.shape[0]} rows, which {heads} heads cannot share")

    def get_shape(self) -> list[int]:
        return self.shape

    def get_dtype(self) -> str:
        return "F32"

    def __getitem__(self, which: Any) -> torch.Tensor:
        rows = self._numbers(self.data if self.heads else self.data[which])
        if self.heads:  # neighbours turn together, and are to be half a head apart
            rows = rows.reshape(self.heads, -1, 2, *rows.shape[1:]).swapaxes(1, 2).reshape(rows.shape)[which]
        return torch.from_numpy(rows.copy())

    def _numbers(self, data: np.ndarray) -> np.ndarray:
        try:
            with np.errstate(all="ignore"):  # NaN is refused, with the weights, where they are read
                return gguf.quants.dequantize(data, self.kind)
        except Exception as error:  # it does not say which there are
            raise UserError(f"{self.path}: the weights {self.name} are stored as {self.kind.name}, which the library "
                            "gguf cannot read; take a file of another format") from error  # fmt: skip


class Part(dict[str, Weight]):
    """The weights in a GGUF file of a folder that `unpack` wrote; UserError as `Reader` and `Weight`."""

    get_slice = dict.__getitem__

    def __init__(self, path: Path):
        super().__init__()
        config = packaged.said(path.parent)
        turned = {f".{name}_proj.": config.get(f"num_{which}_heads") for name, which in TURNED.items()}
        file = path.resolve()  # which has a name that the user knows
        for one in Reader(file).tensors:
            name = _name(file, one.name)
            heads = [count for inside, count in turned.items() if inside in name and READ.get(config["model_type"])]
            self[name] = Weight(file, one, *heads)


def unpack(file: Path, folder: Path) -> list[Path]:
    """Write config.json, the tokenizer of a GGUF file, and links to all its parts into a folder.

    Args:
        folder: it is made; empty where it is there.

    Returns:
        The files that were read: those of all parts.

    Raises:
        UserError: the file is no model that is read, or the folder is not empty or cannot be written; one sentence.
    """
    first = Reader(file)
    parts = _parts(file, first.said.get("split.count", 1))
    tensors = {part: Reader(part).tensors if part != file else first.tensors for part in parts}
    shapes = {one.name: tuple(map(int, one.shape)) for part in parts for one in tensors[part]}
    config = _config(file, first.said, shapes)
    index: dict[str, str] = {}
    with filling(folder, last=CONFIG) as made:
        for number, part in enumerate(parts, 1):
            link = made / f"model-{number:05}.gguf"
            link.symlink_to(part.resolve())
            index |= {_name(part, one.name): link.name for one in tensors[part]}
        split = first.said.get(WORDS[1]) if first.said[WORDS[0]] == "gpt2" else None
        tokens.save(file, made, digits=split == "smollm", whole=split in WHOLE, begins=first.said.get(WORDS[-1]))
        save_text(made / INDEX, json.dumps({"metadata": {}, "weight_map": index}, indent=1), checksum=False)
        save_text(made / CONFIG, json.dumps(config, indent=1), checksum=False)
    return parts


def _parts(file: Path, count: object) -> list[Path]:
    """The files of a model that says that it is split into so many."""
    if count in (0, 1):
        return [file]
    named = re.fullmatch(r"(.*)-00001-of-(\d{5})", file.stem)
    whole = named is not None and int(named[2]) == count
    require(whole, f"{file}: is one of {count} parts of a model; name the first one, which ends in -00001-of-{count}")
    return [file.with_name(f"{named[1]}-{k:05}-of-{named[2]}.gguf") for k in range(1, int(named[2]) + 1)]


def _config(file, said, shapes) -> dict:
    """What config.json says.

    Args:
        shapes: of the weights by name, the last axis first.
    """
    kind = said.get("general.architecture")
    require(
        kind in READ, f"{file}: holds a model of the architecture {kind!r}; from GGUF files {', '.join(READ)} are read"
    )
    words = shapes.get("token_embd.weight", ())
    require(len(words) == 2, f"{file}: there are no weights token_embd.weight in it, or they are no matrix")
    config = {ours: _number(file, said, f"{kind}.{theirs}") for ours, theirs in NUMBERS.items()}
    heads, wide = config["num_attention_heads"], config["hidden_size"]
    config |= {
        "model_type": kind,
        "architectures": [f"{kind.capitalize()}ForCausalLM"],
        "num_key_value_heads": _number(file, said, f"{kind}.attention.head_count_kv", heads),
        "head_dim": _number(file, said, f"{kind}.attention.key_length", wide // heads),
        "vocab_size": words[1],
        "rope_theta": _number(file, said, f"{kind}.rope.freq_base", 10000.0),
        "attention_bias": kind == "llama" and "blk.0.attn_q.bias" in shapes,
        "tie_word_embeddings": "output.weight" not in shapes,
    }
    _require_known(file, said, kind, NEUTRAL | {"rope.dimension_count": config["head_dim"]})
    return config


def _require_known(file, said, kind, neutral) -> None:
    """UserError unless each setting is one that is heeded here, or one that changes nothing."""
    require(said.get("general.type", "model") == "model", f"{file}: holds no model (general.type)")
    words, split, space, scores, letters, first, begins = map(said.get, WORDS)
    then = "; take the folder of the model with its tokenizer.json"
    require(words in ("llama", "gpt2"), f"{file}: its tokenizer is of the kind {words!r}, and those of llama and gpt2 "
            f"are read{then}")  # fmt: skip
    require(not letters, f"{file}: tokenizer.ggml.precompiled_charsmap has rules for letters, which are not "
            f"heeded{then}")  # fmt: skip
    if words == "llama":
        ranks = all(float(score).is_integer() for score in scores or ())
        require(ranks, f"{file}: the scores of its words are no ranks of pairs that are joined{then}")
        require(space is not False, f"{file}: tokenizer.ggml.add_space_prefix is False, which is not heeded{then}")
    named = words == "llama" or first is not None or not (split in WHOLE if begins is None else begins)
    require(named, f"{file}: there is no tokenizer.ggml.bos_token_id, with which its texts begin{then}")
    plain = words == "llama" or split in SPLIT + WHOLE
    require(plain, f"{file}: tokenizer.ggml.pre is {split!r}, a way to split texts that is not known here{then}")
    heeded = {f"{kind}.{name}" for name in (*NUMBERS.values(), *MORE)}
    neutral = {f"{kind}.{name}": value for name, value in neutral.items()}
    for name, value in said.items():
        known = name in heeded or name.startswith(TOLD) or (name in neutral and value == neutral[name])
        require(known, f"{file}: {name} is {value!r:.40}, which is not read from GGUF files and may change what it "
                "computes; take the folder of the model with its safetensors")  # fmt: skip


def _number(file, said, name: str, otherwise=None):
    """A number above zero that a file says: whole, but for what is measured."""
    found = said.get(name, otherwise)
    require(found is not None, f"{file}: there is no {name}")
    kinds = int | float if name.endswith(("epsilon", "freq_base")) else int
    fits = isinstance(found, kinds) and not isinstance(found, bool) and 0 < found < math.inf
    require(fits, f"{file}: {name}: expected a number above 0, got {found!r:.40}")
    return found


def _name(file, name) -> str:
    """The name of a tensor in the layout of the folder."""
    stem, _, kind = name.rpartition(".")
    block, _, part = stem.removeprefix("blk.").partition(".")
    known = (stem in OUTSIDE and kind == "weight") or (stem.startswith("blk.") and block.isdecimal() and part in INSIDE)
    require(known, f"{file}: the weights {name} have no place in a model of this kind")
    return f"{OUTSIDE[stem]}.{kind}" if stem in OUTSIDE else f"model.layers.{block}.{INSIDE[part]}.{kind}"
