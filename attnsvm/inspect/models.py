"""A transformer from a folder in the Hugging Face layout: the inputs of its attention and its heads.

With x̃ = (x, 1), which includes the bias, the logit of a head is x̃_tᵀ W z̃, W = [W_K b_K]ᵀ [W_Q b_Q] · scale, or that of
a `lifted.Head`. This is checked: for every text it is compared with the attention probabilities that the model
computes. Everything runs in float64, from the folder alone: nothing is fetched, and no code in the folder is run.
"""

import json
import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np
import torch
import transformers

from attnsvm.errors import UserError, require
from attnsvm.inspect.attention import Attention
from attnsvm.inspect.attentions import attentions
from attnsvm.inspect.families import DECODERS, READ, refusal
from attnsvm.inspect.layers import Inputs, Layer, chosen
from attnsvm.inspect.lifted import Head
from attnsvm.svm import memory

SEEN = 1e-30  # probabilities below it do not determine a logit
WEIGHTS = ("model.safetensors", "model.safetensors.index.json")  # the second where they lie in several files
TOKENIZER = ("tokenizer.json", "vocab.txt", "vocab.json", "sentencepiece.bpe.model", "spiece.model", "tokenizer.model")


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
    model, found = _model(folder, config)
    numbers = chosen(layers, len(found), "layer")
    which = chosen(heads, found[0].heads, "head")
    places = _places(encoded, position, found[0].causal, np.random.default_rng([seed, 1]))
    weights = {number: found[number].weights() for number in numbers}
    _require_memory(encoded, places, numbers, config)
    collected: dict[int, list] = {number: [] for number in numbers}
    for k, ids in enumerate(progress(encoded)):
        states, probabilities = _run(model, found, ids)
        for number in numbers:
            X = np.column_stack([states[number], np.ones(len(ids))])
            _require_the_models_own(X, weights[number], probabilities[number], found[number])
            sees = found[number].sees(len(ids))
            collected[number] += [
                _query(found[number], X, place, np.flatnonzero(sees[place]), marks[k]) for place in places[k]
            ]
    at = [(k, place) for k, several in enumerate(places) for place in several]
    shown = [words[k][: place + 1] if found[0].causal else words[k] for k, place in at]
    text = np.array([k for k, _ in at])
    return [
        Layer(
            number,
            _inputs(collected[number], shown, text, isinstance(weights[number][0], Head)),
            {h: weights[number][h] for h in which},
            found[number].theory,
            weights[number] if isinstance(weights[number][0], Head) else [],
        )
        for number in numbers
    ]


def _query(attention, X, place, seen, mark) -> dict:
    """One query: the tokens that it sees, itself, which of them are delimiters, and where they stand."""
    return {
        "tokens": attention.tokens(X[seen[0] : seen[-1] + 1], place - seen),  # a view: a window has no hole
        "query": attention.asks(X[place]),
        "delimiters": mark[seen],
        "position": place - seen[0],
        "distances": place - seen.astype(float),
        "first": seen[0],
        "unturned": attention.unturned(X[seen[0] : seen[-1] + 1]),
    }


def _inputs(queries: list[dict], words, text, lifted: bool) -> Inputs:
    column = {name: [one[name] for one in queries] for name in queries[0]}
    return Inputs(
        column["tokens"],
        np.stack(column["query"]),
        words,
        column["delimiters"],
        text,
        np.array(column["position"]),
        column["distances"] if lifted else [],
        np.array(column["first"]),
        column["unturned"] if column["unturned"][0] is not None else [],
        len(column["query"][0]) - 1,
    )


def _config(folder: Path):
    require(folder.is_dir(), f"{folder}: there is no such folder; a model is a folder with config.json")
    require((folder / "config.json").is_file(), f"{folder}: there is no config.json in it, so it holds no model")
    try:
        given = json.loads((folder / "config.json").read_text("utf-8"))
    except ValueError as error:
        raise UserError(f"{folder}/config.json: is not JSON ({error})") from error
    kind = given.get("model_type") if isinstance(given, dict) else None
    why = refusal(given) if isinstance(given, dict) else "has an unknown layout"
    require(not why, f"{folder}: a model of the kind {kind!r} {why}; {READ}")
    weights = any((folder / name).is_file() for name in WEIGHTS)
    require(weights, f"{folder}: there is no model.safetensors in it")
    try:
        config = transformers.AutoConfig.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    except (ValueError, OSError, KeyError, TypeError) as error:
        raise UserError(f"{folder}/config.json: {_first_line(error)}") from error
    return config


def _tokenizer(folder: Path):
    found = any((folder / name).is_file() for name in TOKENIZER)
    require(found, f"{folder}: there is no tokenizer in it (tokenizer.json, or a vocabulary)")
    try:
        return transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    except Exception as error:  # each kind of tokenizer fails in its own way
        raise UserError(f"{folder}: its tokenizer cannot be read ({_first_line(error)})") from error


def _longest(config, longest: int) -> int:
    most = getattr(config, "max_position_embeddings", getattr(config, "max_seq_len", longest))
    if config.model_type in ("roberta", "xlm-roberta", "camembert", "esm"):
        most -= config.pad_token_id + 1  # the positions of these models count from there
    rope = getattr(config, "rope_parameters", None) or {}
    if rope.get("rope_type") in ("dynamic", "longrope"):  # other frequencies from there on
        most = min(most, rope.get("original_max_position_embeddings") or most)
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
        kind = transformers.AutoModelForTextEncoding if config.is_encoder_decoder else transformers.AutoModel
        model, found = kind.from_pretrained(
            folder, config=config, local_files_only=True, trust_remote_code=False, use_safetensors=True,
            attn_implementation="eager", experts_implementation="eager", dtype=torch.float64, output_loading_info=True,
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
    layers = attentions(model, config.model_type, config.model_type in DECODERS)
    require(bool(layers), f"{folder}: no attention is found in a model of the kind {config.model_type!r}; {READ}")
    return model.eval(), layers


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
    states, handles = [], []

    def capture(_, inputs):
        states.append(inputs[0][0].numpy().astype(np.float64))

    for projection in {id(one.projection): one.projection for one in attentions}.values():
        handles.append(projection.register_forward_pre_hook(capture))
    try:
        with torch.no_grad():
            out = model(input_ids=torch.tensor([ids]), output_attentions=True)
    finally:
        for handle in handles:
            handle.remove()
    require(len(states) == len(attentions), f"{attentions[0].name}: expected {len(attentions)} layers in turn, "
            f"{len(states)} were applied")  # fmt: skip
    return states, [probability[0].numpy() for probability in out.attentions]


def _require_the_models_own(X, weights, probabilities, attention: Attention):
    """UserError unless the logits are the model's, up to a constant for each query, and so are its selections."""
    seen, agrees = attention.sees(len(X)), attention.tolerance(len(X))
    for head, W in enumerate(weights):
        ours = attention.logits(W, X)
        error = _difference(probabilities[head].astype(np.float64), ours, seen)
        require(
            error <= agrees * max(np.abs(ours[seen]).max(), 1.0),
            f"{attention.name}, head {head}: its attention is not the softmax of {attention.logit}, "
            f"the logits differ by {error:.1e}",
        )


def _difference(theirs, ours, seen) -> float:
    """Of logits (T, T) from those of probabilities (T, T); infinite where a token that is not seen has one."""
    if theirs[~seen].any():
        return float("inf")
    rows, best, clear = np.arange(len(ours)), theirs.argmax(1), theirs > SEEN
    given, ours = np.log(np.maximum(theirs, SEEN)), np.where(seen, ours, -np.inf)
    relative = ours - ours[rows, best][:, None] - (given - given[rows, best][:, None])
    error = np.where(clear, np.abs(relative), np.maximum(relative, 0.0)).max()  # what is not clear is small
    return float(max(error, (ours.max(1) - ours[rows, best]).max()))  # were another token selected
