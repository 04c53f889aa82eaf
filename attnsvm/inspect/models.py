"""A transformer from a folder in the Hugging Face layout: the inputs of its attention and its heads.

With x̃ = (x, 1), which includes the bias, the logit of a head is x̃_tᵀ W z̃, W = [W_K b_K]ᵀ [W_Q b_Q] · scale, or that of
a `lifted.Head`. This is checked: for every text it is compared with the attention probabilities that the model
computes. Everything runs in float64, layer by layer (`walk`), from the folder alone: nothing is fetched, and no code in
the folder is run.
"""

import inspect
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import blake2b
from pathlib import Path

import numpy as np
import transformers

from attnsvm.inspect import packaged, tokens
from attnsvm.inspect.attention import Attention
from attnsvm.inspect.families import DECODERS, READ, require_known, require_read
from attnsvm.inspect.layers import Inputs, Layer, chosen, distinct, threads, told
from attnsvm.inspect.layerwise import Walk
from attnsvm.inspect.lifted import Head
from attnsvm.system import machine
from attnsvm.system.errors import UserError, first_line, require

SEEN = 1e-30  # probabilities below it do not determine a logit


class Reading:
    """The layers of a model on some texts, one after another: in memory are one layer and what each text has become.

    Iterating gives the layers asked for.

    Of equal texts, and of queries that see the same tokens from the same place, one is asked, the first.

    Attributes:
        numbers, heads: of the layers and of the heads asked for.
        text: the numbers, from 0, of the texts that are asked, and repeats: how many texts and queries are not.

    Args:
        folder: config.json, model.safetensors or its shards, and a tokenizer.
        texts: one input per text, cut after `longest` tokens.
        layers, heads: numbers from 0; None: all.
        position: which query of a text: "random" (one, the same in all layers), "first", "last", "all", or a number.
        seed: of the random positions.
        progress: called as tqdm is, to show how far the texts are; None: nothing is shown.
        device: where the model runs.

    Raises:
        UserError: the model or the texts cannot be read; the message is one sentence.
    """

    def __init__(
        self,
        folder: str | os.PathLike,
        texts: Sequence[str],
        layers: Sequence[int] | None = None,
        heads: Sequence[int] | None = None,
        position: str | int = "random",
        longest: int = 64,
        seed: int = 0,
        progress: Callable[..., Iterable] | None = None,
        device: str = "cpu",
    ):
        _load_compiler()
        folder = Path(folder)
        config, self.progress = _config(folder), progress
        causal, longest = config.model_type in DECODERS, _longest(folder, config, longest)
        *encoded, files = tokens.encoded(folder, texts, longest, causal)
        self.text = distinct(map(tuple, encoded[0]))
        ids, self.marks, self.words = ([each[k] for k in self.text] for each in encoded)
        self.walk = Walk(folder, config, ids, device)
        read = {folder / name for name in (packaged.CONFIG, *files)} | self.walk.checkpoint.read
        self.files = sorted(map(str, read))
        found = self.walk.attentions
        self.numbers = chosen(layers, len(found), "layer")
        self.heads = chosen(heads, found[0].heads, "head")
        places = _places(ids, self.text, position, causal, np.random.default_rng([seed, 1]))
        self.places = _unlike(ids, places, min(found, key=lambda one: one.window or np.inf))
        self.repeats = len(texts) - len(ids), sum(map(len, places)) - sum(map(len, self.places))
        self.width = config.hidden_size + 1

    def __len__(self) -> int:
        return len(self.numbers)

    def __iter__(self) -> Iterator[Layer]:
        steps, batches = range(self.numbers[-1] + 1), self.walk.batches
        ticks = told(range(len(steps) * len(batches)), len(steps) * len(batches), len(self.text), self.progress)
        for number in steps:
            layer = self.layer(number, ticks)
            if layer is not None:
                yield layer
        next(ticks, None)  # the end of what is shown

    def require_memory(self, count: int) -> None:
        """UserError unless the inputs of so many layers fit into memory."""
        size = sum(len(ids) for ids in self.walk.texts)
        need = 8.0 * self.width * (count * (size + sum(map(len, self.places))) + size)
        free = machine.memory()
        require(need < free, f"the inputs of {count} layers take {need / 1e9:.1f} GB, {free / 1e9:.1f} GB are free: "
                "ask for fewer layers or texts")  # fmt: skip

    def layer(self, number: int, ticks: Iterator) -> Layer | None:
        """All texts pass this layer; what its attention is given, or None where it is not asked for."""
        queries: dict[int, list[dict]] = {}
        with threads(self.width), self.walk.layer(number) as attention:
            weights = attention.weights() if number in self.numbers else []
            for number_of_batch, batch in enumerate(self.walk.batches):
                next(ticks, None)
                for k, states, probabilities in zip(batch, *self.walk.run(number_of_batch), strict=True):
                    if not weights:
                        break
                    X = np.column_stack([states, np.ones(len(states))])
                    _require_the_models_own(X, weights, probabilities, attention)
                    sees = attention.sees(len(X))
                    queries[k] = [
                        _query(attention, X, at, np.flatnonzero(sees[at]), self.marks[k]) for at in self.places[k]
                    ]
        if not weights:
            return None
        lifted = isinstance(weights[0], Head)
        at = [(k, place) for k, several in enumerate(self.places) for place in several]
        shown = [self.words[k][: place + 1] if attention.causal else self.words[k] for k, place in at]
        asked = [one for k in sorted(queries) for one in queries[k]]
        inputs = _inputs(asked, shown, np.array([self.text[k] for k, _ in at]), lifted, self.repeats)
        mine, every = {h: weights[h] for h in self.heads}, weights if lifted else []
        return Layer(number, inputs, mine, attention.theory, every, self.files)


def _load_compiler() -> None:
    """Load what makes a folder for compiled code as it is loaded, under a name that others know; here it makes none."""
    given = os.environ.setdefault(tokens.COMPILED, str(Path(__file__).parent))
    import torch._dynamo  # noqa: F401

    if given == str(Path(__file__).parent):
        del os.environ[tokens.COMPILED]


def read(folder: str | os.PathLike, texts: Sequence[str], **settings) -> list[Layer]:
    """Every layer asked for, at once; arguments and errors as those of `Reading`."""
    reading = Reading(folder, texts, **settings)
    reading.require_memory(len(reading))
    return list(reading)


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


def _inputs(queries: list[dict], words, text, lifted: bool, repeats) -> Inputs:
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
        repeats,
    )


def _config(folder: Path):
    require(folder.is_dir(), f"{folder}: there is no such folder; a model is a folder with config.json")
    said = packaged.said(folder)
    require_read(folder, said)
    packaged.depth(folder, said)
    try:
        config = transformers.AutoConfig.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    except Exception as error:  # each kind of model fails in its own way
        raise UserError(f"{folder}/config.json: {first_line(error.__cause__ or error)}") from error
    same = config.model_type == said["model_type"]
    require(same, f"{folder}/config.json: is read as a model of the kind {config.model_type!r}; {READ}")
    made = transformers.MODEL_MAPPING[type(config)]
    both = made[0] if isinstance(made, tuple) else made, type(config)
    source = "".join(inspect.getsource(inspect.getmodule(one)) for one in both)
    require_known(folder / packaged.CONFIG, said, config, source)
    heads, width = getattr(config, "num_attention_heads", 0), getattr(config, "hidden_size", 0)
    fits = type(heads) is type(width) is int and 0 < heads <= width
    require(fits, f"{folder}/config.json: expected at most as many heads as coordinates, got {heads!r:.40}")
    return config


def _longest(folder: Path, config, longest: int) -> int:
    """Tokens after which texts are cut; UserError where the model has fewer positions than a choice needs."""
    most = getattr(config, "max_position_embeddings", getattr(config, "max_seq_len", longest))
    require(
        isinstance(most, int), f"{folder}/config.json: max_position_embeddings: expected a number, got {most!r:.40}"
    )
    table = getattr(config, "position_embedding_type", "absolute") == "absolute"
    if table and config.model_type in ("roberta", "xlm-roberta", "camembert", "esm"):
        most -= (config.pad_token_id or 0) + 1  # the positions of these models count from there
    if config.model_type == "mpnet":
        most -= 2  # as if its padding were token 1, whatever it is
    rope = getattr(config, "rope_parameters", None) or {}
    if rope.get("rope_type") in ("dynamic", "longrope"):  # other frequencies from there on
        most = min(most, rope.get("original_max_position_embeddings") or most)
    positions = f"{most} position{'' if most == 1 else 's'}"
    require(most >= 2, f"{folder}/config.json: the model has {positions} for tokens, expected at least two")
    return min(longest, most)


def _places(encoded, text, position, causal, rng) -> list[list[int]]:
    """The positions that ask, per text; the first position of a decoder has no choice."""
    first, places = int(causal), []
    for k, ids in zip(text, encoded, strict=True):
        every = range(first, len(ids))
        named = {"first": every[:1], "last": every[-1:], "all": every}
        if position == "random":
            places.append([int(rng.choice(every))])
        elif position in named:
            places.append([*named[position]])
        else:
            require(isinstance(position, int), f"position {position!r}: expected random, first, last, all, or a number")
            why = f"text {k + 1} has positions {first} to {len(ids) - 1}"
            require(position in every, f"position {position}: {why}, where there is a choice")
            places.append([position])
    return places


def _unlike(encoded, places, narrowest: Attention) -> list[list[int]]:
    """The positions that ask, without those that see what an earlier one sees, where a query sees least.

    Two texts of a decoder that begin alike have the same vectors there: no query is on both sides of a split.
    """
    known, found = set(), []
    for ids, several in zip(encoded, places, strict=True):
        sees, found = narrowest.sees(len(ids)), [*found, []]
        for place in several:
            seen = np.flatnonzero(sees[place])
            what = place - seen[0], blake2b(np.array(ids[seen[0] : seen[-1] + 1])).digest()
            found[-1] += [] if what in known else [place]
            known.add(what)
    return found


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
    """How far our logits (T, T) are from those behind a model's probabilities (T, T); infinite where a hidden token has
    a probability."""
    if theirs[~seen].any():
        return float("inf")
    rows, best, clear = np.arange(len(ours)), theirs.argmax(1), theirs > SEEN
    given, ours = np.log(np.maximum(theirs, SEEN)), np.where(seen, ours, -np.inf)
    relative = ours - ours[rows, best][:, None] - (given - given[rows, best][:, None])
    error = np.where(clear, np.abs(relative), np.maximum(relative, 0.0)).max()  # what is not clear is small
    return float(max(error, (ours.max(1) - ours[rows, best]).max()))  # were another token selected
