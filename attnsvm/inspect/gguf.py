"""A model in one GGUF file, as a folder in the Hugging Face layout: quantised weights are those that they stand for.

The library `gguf` reads the file and its formats of quantised weights, `transformers` its tokenizer. What is done here
is what their layouts ask for: names, the settings of config.json, and the order of the rows that positions turn.
"""

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from attnsvm.errors import UserError, require
from attnsvm.inspect.packaged import CONFIG
from attnsvm.inspect.shards import INDEX

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


@contextmanager
def opened(model: Path) -> Iterator[Path]:
    """The folder of a model; of a GGUF file one that holds the same model while the block runs."""
    if model.suffix != ENDING or model.is_dir():
        yield model
        return
    with TemporaryDirectory(prefix="attnsvm-") as folder:
        unpack(model, Path(folder))
        yield Path(folder)


def unpack(file: Path, folder: Path) -> None:
    """Write config.json, weights in float32 (shards of safetensors) and the tokenizer of a GGUF file into a folder.

    Args:
        folder: it is made; empty where it is there.

    Raises:
        UserError: the library gguf is not installed, the file is no model that is read, or the folder is not empty or
            cannot be written; one sentence.
    """
    require(file.is_file(), f"{file}: there is no such file")
    place = folder.resolve()  # before it is looked at: x/.. is there even where x is not
    require(not place.is_file(), f"{folder} is a file, expected a folder; choose another place")
    require(not place.exists() or not any(place.iterdir()), f"{folder} is not empty; choose another place")
    try:
        import gguf
        from safetensors import SafetensorError
    except ImportError as error:
        raise UserError(f"{error.name}, which reads {ENDING} files, is not installed: pip install gguf") from error
    try:
        read = gguf.GGUFReader(file)
        said = {name: field.contents() for name, field in read.fields.items() if name.partition(".")[0] != "tokenizer"}
    except (ValueError, IndexError, OSError, KeyError) as error:
        raise UserError(f"{file}: cannot be read as GGUF ({str(error).strip() or 'it ends too early'})") from error
    config, interleaved = _config(file, said, {one.name: one.shape for one in read.tensors})
    weights = _weights(file, read.tensors, config, interleaved)
    try:
        _write(place, config, weights, _tokenizer(file))
    except (OSError, SafetensorError) as error:
        raise UserError(f"{folder}: cannot be written ({getattr(error, 'strerror', None) or error})") from error


def _write(folder, config, weights, tokenizer):
    """Fill a folder beside the place, or in it where it is there, and put it, or its files, in place."""
    from safetensors.numpy import save_file

    home = folder if folder.exists() else folder.parent  # there the place can be a disk of its own
    home.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix=".unpacking-", dir=home) as beside:
        made = Path(beside) / "model"
        tokenizer.save_pretrained(made)
        index: dict[str, str] = {}
        for number, part in enumerate(_shards(weights)):
            shard = f"model-{number:05d}.safetensors"
            save_file(part, made / shard, metadata={"format": "pt"})
            index |= dict.fromkeys(part, shard)
        (made / INDEX).write_text(json.dumps({"metadata": {}, "weight_map": index}, indent=1), "utf-8")
        (made / CONFIG).write_text(json.dumps(config, indent=1), "utf-8")
        if home is folder:
            for path in sorted(made.iterdir(), key=lambda path: path.name == CONFIG):  # without it there is no model
                path.replace(folder / path.name)
        else:
            made.replace(folder)


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
        except (NotImplementedError, ValueError, KeyError) as error:
            kind = getattr(one.tensor_type, "name", one.tensor_type)
            raise UserError(f"{file}: the weights {one.name} are stored as {kind}, which the library gguf cannot read; "
                            "take a file of another format") from error  # fmt: skip
        name = _name(file, one.name)
        heads = config["num_attention_heads" if ".q_proj." in name else "num_key_value_heads"]
        turned = interleaved and (".q_proj." in name or ".k_proj." in name)
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
    lacking = [name for name in NUMBERS.values() if f"{kind}.{name}" not in said]
    require(not lacking, f"{file}: there is no {kind}.{lacking[0] if lacking else ''}")
    require("token_embd.weight" in shapes, f"{file}: there are no weights token_embd.weight in it")
    config = {ours: said[f"{kind}.{theirs}"] for ours, theirs in NUMBERS.items()}
    heads, wide = config["num_attention_heads"], config["hidden_size"]
    require(isinstance(heads, int), f"{file}: its layers have different numbers of heads, which is not read")
    config |= {
        "model_type": model_type,
        "architectures": [f"{model_type.capitalize()}ForCausalLM"],
        "num_key_value_heads": said.get(f"{kind}.attention.head_count_kv", heads),
        "head_dim": said.get(f"{kind}.attention.key_length", wide // heads),
        "vocab_size": int(shapes["token_embd.weight"][1]),
        "rope_theta": said.get(f"{kind}.rope.freq_base", 10000.0),
        "attention_bias": model_type == "llama" and "blk.0.attn_q.bias" in shapes,
        "tie_word_embeddings": HEAD not in shapes,
    }
    dimensions = said.get(f"{kind}.rope.dimension_count", config["head_dim"])
    require(dimensions == config["head_dim"], f"{file}: turns {dimensions} of {config['head_dim']} rows of a head; "
            "this is not read from GGUF files")  # fmt: skip
    return config, interleaved


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


def _tokenizer(file):
    import transformers

    from attnsvm.inspect.walk import first_line

    try:
        return transformers.AutoTokenizer.from_pretrained(
            file.parent, gguf_file=file.name, local_files_only=True, trust_remote_code=False
        )
    except Exception as error:  # each kind of tokenizer fails in its own way
        raise UserError(f"{file}: its tokenizer cannot be read ({first_line(error)})") from error
