"""What enters the attention of a pretrained encoder, with its heads; and some of its tokens under a random head.

A cell `layer<k>` is one instance, its seed the number of the layer: our sentences, one query position each, and the W
of every head (H, d, d), d counting the constant 1 that carries the biases. The cell `trained` has small instances: some
tokens of some sentences at some layer, in orthonormal coordinates of what they span, all divided by one number so that
their mean square length is one; v and the labels are random.
"""

from functools import cache

import numpy as np
import torch

from attnsvm.data.cells import Cell, seeds
from attnsvm.data.problems import Problems
from attnsvm.inspect import families, models, packaged, sentences
from attnsvm.system.errors import require

TRAINED = "trained"
TRAINED_STREAM = 52673  # keeps these draws apart from those of the query positions


def cells(settings):
    config = packaged.config(settings["model"])
    kind = config.get("model_type")
    known = f"this figure reads encoders of the kinds {', '.join(families.ENCODERS)}"
    where = f"config: experiments.pretrained.problems.model: {settings['model']!r}"
    require(kind in families.ENCODERS, f"{where} is a model of the kind {kind!r}; {known}")
    for key in ("num_hidden_layers", "hidden_size"):
        require(isinstance(config.get(key), int), f"{where}: its config.json does not say {key}")
    depth, width = config["num_hidden_layers"], config["hidden_size"] + 1
    wrong = [k for k in settings["layers"] if k >= depth]
    layers = f"{where} has the layers 0 to {depth - 1}: name others in experiments.pretrained.problems.layers"
    require(not wrong, layers)
    size = settings["texts"], settings["longest"], width
    n, T = settings["n"], settings["T"]
    own = [Cell(*size, (layer,), f"layer{layer}") for layer in settings["layers"]]
    return [*own, Cell(n, T, n * (T + 1), seeds(settings), TRAINED)]


def problems(cell, settings):
    layers = _layers(*(settings[key] for key in ("model", "texts", "longest", "seed")))
    if cell.variant != TRAINED:
        return _stacked([_layer(layers[number], cell, settings["heads"]) for number in cell.seeds], cell.seeds)
    chosen = [layers[settings["layers"][seed % len(settings["layers"])]].inputs for seed in cell.seeds]
    drawn = [_small(inputs, cell, seed) for inputs, seed in zip(chosen, cell.seeds, strict=True)]
    return _stacked(drawn, cell.seeds)


@cache
def _layers(model, texts, longest, seed):
    """Every layer of the model by its number."""
    known = sentences()
    require(
        texts <= len(known), f"config: experiments.pretrained.problems.texts: {texts}: there are {len(known)} sentences"
    )
    torch.set_num_threads(1)  # sums in another order would have other last digits
    read = models.read(packaged.located(model), known[:texts], longest=longest, seed=seed)
    framed = all(list(np.flatnonzero(marks)) == [0, len(marks) - 1] for marks in read[0].inputs.delimiters)
    sentence = "the tokenizer does not put every text between two delimiters, which this figure asks about"
    require(framed, f"config: experiments.pretrained.problems.model: {model!r}: {sentence}; see attnsvm inspect")
    return {layer.number: layer for layer in read}


def _layer(layer, cell, most):
    lengths = np.array([len(X) for X in layer.inputs.tokens])
    tokens = np.zeros((cell.n, cell.T, cell.d))
    for i, X in enumerate(layer.inputs.tokens):
        tokens[i, : len(X)] = X
    heads = np.stack([layer.heads[h] for h in sorted(layer.heads)[:most]])
    return tokens, layer.inputs.queries, np.ones(cell.n), heads, lengths


def _small(inputs, cell, seed):
    stream = np.random.default_rng([TRAINED_STREAM, seed])
    long = [i for i, X in enumerate(inputs.tokens) if len(X) >= cell.T]
    require(
        len(long) >= cell.n,
        f"config: experiments.pretrained.problems.T: {len(long)} texts have {cell.T} tokens, {cell.n} are needed",
    )
    texts = stream.choice(long, cell.n, replace=False)
    tokens = [inputs.tokens[i][stream.choice(len(inputs.tokens[i]), cell.T, replace=False)] for i in texts]
    rows = np.vstack([*tokens, inputs.queries[texts]])
    coordinates = np.zeros((len(rows), cell.d))
    within = np.linalg.qr(rows.T, mode="r").T  # rows @ an orthonormal basis of their span
    coordinates[:, : within.shape[1]] = within / np.sqrt((rows**2).sum(1).mean())
    v = stream.normal(size=cell.d)
    labels = 2.0 * (stream.normal(size=cell.n) > 0) - 1.0
    split = cell.n * cell.T
    return coordinates[:split].reshape(cell.n, cell.T, -1), coordinates[split:], labels, v / np.linalg.norm(v)


def _stacked(drawn, numbers):
    arrays = [np.stack(column).astype(np.float64) for column in list(zip(*drawn, strict=True))[:4]]
    lengths = np.stack([one[4] for one in drawn]) if len(drawn[0]) > 4 else None
    return Problems(*arrays, seeds=np.array(numbers, dtype=np.int64), lengths=lengths)
