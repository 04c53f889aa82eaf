"""A transformer from a folder in the Hugging Face layout: the inputs of its attention and the W of every head.

With x̃ = (x, 1), which includes the bias, the logit of a head is x̃_tᵀ W z̃, W = [W_K b_K]ᵀ [W_Q b_Q] · scale. This is
checked: for every text it is compared with the attention probabilities that the model computes. Everything runs in
float64, from the folder alone: nothing is fetched, and no code in the folder is run.
"""

import json
import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np
import torch
import transformers

from attnsvm.errors import UserError, require
from attnsvm.inspect.layers import Inputs, Layer, chosen
from attnsvm.svm import memory

AGREES = 1e-5  # relative difference up to which logits are those of the model
SEEN = 1e-30  # probabilities below it do not determine a logit
TOKENIZER = ("tokenizer.json", "vocab.txt", "vocab.json", "sentencepiece.bpe.model", "spiece.model", "tokenizer.model")

ENCODERS = ("bert", "roberta", "xlm-roberta", "camembert", "electra")
DECODERS = ("gpt2",)
READ = "encoders of the BERT kind and decoders of the GPT-2 kind are read"
NO_SOFTMAX = ("fnet", "mamba", "mamba2", "falcon_mamba", "rwkv", "recurrent_gemma", "xlstm", "poolformer")
NO_SINGLE_W = ("mpnet", "deberta", "deberta-v2", "t5", "mt5", "longt5", "xlnet", "bloom", "mpt", "transfo-xl")
ROTARY = ("rope_theta", "rope_parameters", "rope_scaling", "rotary_pct", "rotary_dim", "rotary_emb_base")


class Attention:
    """The attention of one layer: the module whose input is captured, and how W is read from its weights."""

    def __init__(self, name: str, module, causal: bool):
        self.name, self.module, self.causal = name, module, causal
        self.heads = module.num_heads if causal else module.num_attention_heads
        self.projection = module.c_attn if causal else module.key

    def weights(self) -> list[np.ndarray]:
        """The W (D + 1, D + 1) of every head."""
        if self.causal:
            D = self.module.embed_dim
            weight = np.vstack([_array(self.module.c_attn.weight), _array(self.module.c_attn.bias)]).T
            query, key = weight[:D], weight[D : 2 * D]
        else:
            query, key = (
                np.column_stack([_array(linear.weight), _array(linear.bias)])
                for linear in (self.module.query, self.module.key)
            )
        size = len(query) // self.heads
        parts = (slice(h * size, (h + 1) * size) for h in range(self.heads))
        return [key[part].T @ query[part] * self.module.scaling for part in parts]


def read(
    folder: str | os.PathLike,
    texts: Sequence[str],
    layers: Sequence[int] | None = None,
    heads: Sequence[int] | None = None,
    position: str | int = "random",
    longest: int = 64,
    seed: int = 0,
    progress: Callable[[Iterable], Iterable] = iter,
) -> list[Layer]:
    """Every layer asked for, with the inputs that its queries had on the texts.

    Args:
        folder: config.json, model.safetensors and a tokenizer.
        texts: one input per text, cut after `longest` tokens.
        layers, heads: numbers from 0; None: all.
        position: which query of a text: "random" (one, the same in all layers), "first", "last", "all", or a number.
        seed: of the random positions.
        progress: wraps the texts, to show how far the model is.

    Raises:
        UserError: the model or the texts cannot be read; the message is one sentence.
    """
    folder = Path(folder)
    config = _config(folder)
    tokenizer = _tokenizer(folder)
    encoded, marks, words = _encoded(tokenizer, texts, _longest(config, longest), config.model_type in DECODERS)
    model, attentions = _model(folder, config)
    numbers = chosen(layers, len(attentions), "layer")
    which = chosen(heads, attentions[0].heads, "head")
    places = _places(encoded, position, attentions[0].causal, np.random.default_rng([seed, 1]))
    weights = {number: attentions[number].weights() for number in numbers}
    _require_memory(encoded, places, numbers, config)
    collected = {number: ([], []) for number in numbers}
    for k, ids in enumerate(progress(encoded)):
        states, probabilities = _run(model, attentions, ids)
        for number in numbers:
            X = np.column_stack([states[number], np.ones(len(ids))])
            _require_the_models_own(X, weights[number], probabilities[number], attentions[number])
            for place in places[k]:
                collected[number][0].append(X[: place + 1] if attentions[number].causal else X)
                collected[number][1].append(X[place])
    at = [(k, place) for k, several in enumerate(places) for place in several]
    ends = [place + 1 if attentions[0].causal else len(encoded[k]) for k, place in at]
    shown = [words[k][:end] for (k, _), end in zip(at, ends, strict=True)]
    delimiters = [marks[k][:end] for (k, _), end in zip(at, ends, strict=True)]
    text, position_of = (np.array(column, dtype=int) for column in zip(*at, strict=True))
    return [
        Layer(
            number,
            Inputs(collected[number][0], np.stack(collected[number][1]), shown, delimiters, text, position_of),
            {h: weights[number][h] for h in which},
        )
        for number in numbers
    ]


def _array(parameter) -> np.ndarray:
    return parameter.detach().numpy().astype(np.float64)


def _config(folder: Path):
    require(folder.is_dir(), f"{folder}: there is no such folder; a model is a folder with config.json")
    require((folder / "config.json").is_file(), f"{folder}: there is no config.json in it, so it holds no model")
    try:
        given = json.loads((folder / "config.json").read_text("utf-8"))
    except ValueError as error:
        raise UserError(f"{folder}/config.json: is not JSON ({error})") from error
    kind = given.get("model_type") if isinstance(given, dict) else None
    name = f"{folder}: a model of the kind {kind!r}"
    require(kind not in NO_SOFTMAX, f"{name} has no softmax attention, so it selects no tokens; {READ}")
    rotary = any(key in given for key in ROTARY) or given.get("position_embedding_type") == "rotary"
    require(not rotary, f"{name} has rotary positions, so no single W gives its logits; {READ}")
    relative = kind in NO_SINGLE_W or given.get("position_embedding_type", "absolute") != "absolute"
    require(not relative, f"{name} adds terms that depend on distance to its logits, so no single W gives them; {READ}")
    require(kind in ENCODERS + DECODERS, f"{name} has an unknown layout; {READ}")
    require((folder / "model.safetensors").is_file(), f"{folder}: there is no model.safetensors in it")
    try:
        config = transformers.AutoConfig.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    except (ValueError, OSError, KeyError, TypeError) as error:
        raise UserError(f"{folder}/config.json: {_first_line(error)}") from error
    backward = kind in ENCODERS and getattr(config, "is_decoder", False)
    require(not backward, f"{name}, used as a decoder, is not read; {READ}")
    return config


def _tokenizer(folder: Path):
    found = any((folder / name).is_file() for name in TOKENIZER)
    require(found, f"{folder}: there is no tokenizer in it (tokenizer.json, or a vocabulary)")
    try:
        return transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    except Exception as error:  # each kind of tokenizer fails in its own way
        raise UserError(f"{folder}: its tokenizer cannot be read ({_first_line(error)})") from error


def _longest(config, longest: int) -> int:
    most = getattr(config, "max_position_embeddings", longest)
    if config.model_type in ("roberta", "xlm-roberta", "camembert"):
        most -= config.pad_token_id + 1  # the positions of these models count from there
    return min(longest, most)


def _encoded(tokenizer, texts, longest, causal):
    """Token numbers, which of them are delimiters, and their words, per text."""
    require(len(texts) > 0, "texts: expected at least one line that is not empty")
    special, encoded, marks, words = _delimiters(tokenizer), [], [], []
    for number, text in enumerate(texts, 1):
        ids = tokenizer(text, truncation=True, max_length=longest, verbose=False)["input_ids"]
        inside = [k for k in ids if k not in special]
        require(
            len(ids) >= 2 and len(inside) >= 1,
            f"text {number} ({text[:40]!r}): expected at least two tokens, the tokenizer makes {len(ids)}"
            if len(ids) < 2
            else f"text {number} ({text[:40]!r}): expected a word, the tokenizer finds only delimiters",
        )
        mark = np.array([k in special for k in ids])
        if causal:
            mark[0] = True  # a decoder without delimiters uses its first token as one
        encoded.append(ids)
        marks.append(mark)
        words.append([_word(tokenizer, k) for k in ids])
    return encoded, marks, words


def _delimiters(tokenizer) -> set[int]:
    """The special tokens that mark a beginning or an end; an unknown or a masked word is a word."""
    ends = {tokenizer.bos_token_id, tokenizer.eos_token_id, tokenizer.cls_token_id, tokenizer.sep_token_id}
    return set(tokenizer.all_special_ids) - ({tokenizer.unk_token_id, tokenizer.mask_token_id} - ends)


def _word(tokenizer, number: int) -> str:
    """The token as the vocabulary has it where that is readable; a byte-level token is decoded."""
    token = tokenizer.convert_ids_to_tokens(number)
    decoded = tokenizer.decode([number])
    return token if token.isascii() or not decoded.strip() else decoded


def _model(folder: Path, config):
    transformers.utils.logging.disable_progress_bar()
    level = transformers.utils.logging.get_verbosity()
    transformers.utils.logging.set_verbosity_error()
    try:
        model, found = transformers.AutoModel.from_pretrained(
            folder, config=config, local_files_only=True, trust_remote_code=False, use_safetensors=True,
            attn_implementation="eager", dtype=torch.float64, output_loading_info=True,
        )  # fmt: skip
    except Exception as error:  # safetensors, torch and transformers each have their own
        raise UserError(f"{folder}/model.safetensors: cannot be read ({_first_line(error)})") from error
    finally:
        transformers.utils.logging.set_verbosity(level)
    missing = sorted(name for name in {*found["missing_keys"]} if not name.startswith("pooler."))
    require(not missing, f"{folder}/model.safetensors: the weights {', '.join(missing[:3])} are not in it")
    for name, parameter in model.named_parameters():
        finite = bool(torch.isfinite(parameter).all())
        require(finite, f"{folder}/model.safetensors: the weights {name} have NaN or infinity")
    causal = config.model_type in DECODERS
    wanted = ("c_attn", "scaling") if causal else ("query", "key", "scaling")
    attentions = [
        Attention(name, module, causal)
        for name, module in model.named_modules()
        if all(hasattr(module, part) for part in wanted) and "cross" not in name
    ]
    require(bool(attentions), f"{folder}: no attention is found in a model of the kind {config.model_type!r}; {READ}")
    return model.eval(), attentions


def _first_line(error) -> str:
    lines = str(error).strip().splitlines()
    return lines[0].rstrip(".:") if lines else type(error).__name__


def _places(encoded, position, causal, rng) -> list[list[int]]:
    """The positions that ask, per text; the first position of a decoder has no choice."""
    first, places = int(causal), []
    for number, ids in enumerate(encoded, 1):
        every = range(first, len(ids))
        match position:
            case "random":
                places.append([int(rng.choice(every))])
            case "first":
                places.append([first])
            case "last":
                places.append([len(ids) - 1])
            case "all":
                places.append(list(every))
            case int():
                why = f"text {number} has positions {first} to {len(ids) - 1}"
                require(position in every, f"position {position}: {why}, where there is a choice")
                places.append([position])
            case _:
                raise UserError(f"position {position!r}: expected random, first, last, all, or a number")
    return places


def _require_memory(encoded, places, numbers, config):
    need = 8.0 * sum(len(ids) + len(several) for ids, several in zip(encoded, places, strict=True))
    need *= len(numbers) * (config.hidden_size + 1)
    free = memory.available()
    require(need < free, f"the inputs of {len(numbers)} layers take {need / 1e9:.1f} GB, {free / 1e9:.1f} GB are free: "
            "ask for fewer layers or texts")  # fmt: skip


def _run(model, attentions, ids):
    """The inputs (T, D) and the probabilities (heads, T, T) of every layer for one text."""
    states, handles = {}, []
    for number, attention in enumerate(attentions):

        def capture(_, inputs, number=number):
            states[number] = inputs[0][0].numpy().astype(np.float64)

        handles.append(attention.projection.register_forward_pre_hook(capture))
    try:
        with torch.no_grad():
            out = model(input_ids=torch.tensor([ids]), output_attentions=True)
    finally:
        for handle in handles:
            handle.remove()
    return states, [probability[0].numpy() for probability in out.attentions]


def _require_the_models_own(X, weights, probabilities, attention):
    """UserError unless X W Xᵀ gives the model's logits, up to a constant for each query, and its selections."""
    seen = np.tri(len(X), dtype=bool) if attention.causal else np.ones((len(X), len(X)), dtype=bool)
    for head, W in enumerate(weights):
        theirs, ours = probabilities[head].astype(np.float64), np.where(seen, (X @ W @ X.T).T, -np.inf)
        rows, best, clear = np.arange(len(X)), theirs.argmax(1), theirs > SEEN
        given = np.log(np.maximum(theirs, SEEN))
        relative = ours - ours[rows, best][:, None] - (given - given[rows, best][:, None])
        error = np.abs(np.where(clear, relative, 0.0)).max()
        lost = (ours.max(1) - ours[rows, best]).max()  # were another token selected
        size = max(np.abs(ours[seen]).max(), 1.0)
        require(
            not theirs[~seen].any() and max(error, lost) <= AGREES * size,
            f"{attention.name}, head {head}: its attention is not the softmax of x_tᵀ W z, "
            f"the logits differ by {max(error, lost):.1e}",
        )
