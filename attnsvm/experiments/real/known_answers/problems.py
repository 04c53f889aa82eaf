"""Atoms of reactions at the layers of a model that maps them, and at a layer of one with random weights.

A cell is one layer, its seed the number of the layer. An input is a reaction: the atoms of its reactants, then those
atoms of the product that have one right answer; `labels` says what is known of them (`asked.FACTS`). The queries are
among the tokens, so `queries` only repeats the last one. `head` (H, 2, r, d) has the rows of keys and queries of every
head, none of the model with random weights.
"""

from functools import lru_cache

import numpy as np

from attnsvm.data.cells import Cell
from attnsvm.data.problems import Problems
from attnsvm.data.reactions import Reaction, held_apart, reactions, same_string, same_token
from attnsvm.errors import require
from attnsvm.experiments.real.known_answers import model
from attnsvm.experiments.real.known_answers.asked import FACTS
from attnsvm.experiments.real.known_answers.outside import PACKAGE
from attnsvm.inspect import packaged

UNTRAINED = "untrained"
SPLIT_STREAM = 27


def cells(settings):
    known = packaged.config(packaged.located(settings["model"], PACKAGE))
    where = f"config: experiments.known_answers.problems.model: {settings['model']!r}"
    kind = known.get("model_type")
    require(kind == "albert", f"{where} is a model of the kind {kind!r}; this figure reads the kind 'albert'")
    depth = known["num_hidden_layers"]
    layers = settings["layers"]
    require(
        max(layers) < depth and settings["untrained"] in layers,
        f"{where} has the layers 0 to {depth - 1}: name others in experiments.known_answers.problems.layers, "
        "and one of them in experiments.known_answers.problems.untrained",
    )
    chosen = _chosen(settings)
    T = max(len(one.reactants) + len(unique(one)) for one, _ in chosen)
    size = len(chosen), T, known["hidden_size"] + 1
    own = [Cell(*size, (number,), f"layer{number}") for number in layers]
    return [*own, Cell(*size, (settings["untrained"],), UNTRAINED)]


def problems(cell, settings):
    chosen = _chosen(settings)
    known = np.stack([facts(one, held, cell.T) for one, held in chosen])
    drawn = [_layer(cell, settings, number, [one for one, _ in chosen]) for number in cell.seeds]
    tokens, head = (np.stack(column) for column in zip(*drawn, strict=True))
    labels = np.broadcast_to(known, (len(tokens), *known.shape))
    lengths = [len(one.reactants) + len(unique(one)) for one, _ in chosen]
    lengths = np.broadcast_to(np.array(lengths), (len(tokens), len(chosen)))
    return Problems(tokens, tokens[:, :, -1], labels, head, np.array(cell.seeds, dtype=np.int64), lengths)


def _chosen(settings):
    """[(reaction, whether it is held out)]."""
    rng = np.random.default_rng([SPLIT_STREAM, settings["seed"]])
    sides = held_apart(reactions(), settings["fold"])
    found = []
    for held, (side, most) in enumerate(zip(sides, (settings["fitted"], settings["held_out"]), strict=True)):
        kept = [side[k] for k in rng.permutation(len(side))]
        found += [(one, bool(held)) for one in kept if unique(one)][:most]
    return found


def unique(reaction: Reaction) -> list[int]:
    """The numbers of the atoms of the product that have one right answer."""
    return [k for k, right in enumerate(reaction.answers) if len(right) == 1]


def facts(reaction: Reaction, held: bool, T: int) -> np.ndarray:
    """(FACTS, T) of one reaction, see `asked.FACTS`; the atoms of the product stand behind those of the reactants."""
    kept, start = unique(reaction), len(reaction.reactants)
    same, string = same_token(reaction), same_string(reaction)
    columns = {
        "answer": [reaction.answers[k][0] for k in kept],
        "same token": [same[k] for k in kept],
        "string": [string[k] for k in kept],
        "place": kept,
        "template": reaction.template,
        "held": int(held),
    }
    found = np.full((len(FACTS), T), -1.0)
    for row, name in zip(found, FACTS, strict=True):
        row[start : start + len(kept)] = columns[name]
    return found


def _layer(cell, settings, number, chosen):
    """Tokens (n, T, d) and heads of one layer."""
    seed = settings["seed"] if cell.variant == UNTRAINED else None
    layers = (settings["untrained"],) if cell.variant == UNTRAINED else tuple(settings["layers"])
    tokens = np.zeros((cell.n, cell.T, cell.d))
    found = _states(settings["model"], seed, layers, tuple(chosen))[number]
    for row, one, X in zip(tokens, chosen, found, strict=True):
        places = [*one.reactants, *(one.product[k] for k in unique(one))]
        row[: len(places)] = X[places]
    rows = model.heads(model.model(settings["model"], seed), number)
    return tokens, rows[:0] if cell.variant == UNTRAINED else rows[: settings["heads"]]


@lru_cache(maxsize=1)  # all layers of the reactions in one pass
def _states(name, seed, layers, chosen):
    return model.states(name, model.model(name, seed), layers, [one.tokens for one in chosen])
