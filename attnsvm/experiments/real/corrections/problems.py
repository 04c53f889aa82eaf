"""Atoms of reactions at the layer of one head, and which of its mistakes are to be corrected while the rest is kept.

A cell is one third of the molecules, held out; its seed is the number of that third. Inputs are reactions, as in
`known_answers`, and `head` (1, 2, r, d) has the rows of keys and queries. Behind the facts of each atom, `labels` has
one row for each draw: 1 for a named mistake, 2 for a mapping that is right and kept.
"""

from functools import lru_cache

import numpy as np

from attnsvm.data.cells import Cell
from attnsvm.data.problems import Problems
from attnsvm.data.reactions import reactions
from attnsvm.errors import require
from attnsvm.experiments.real.corrections import model
from attnsvm.experiments.real.corrections.asked import KEPT, NAMED, of_all
from attnsvm.experiments.real.known_answers.problems import facts, unique

SPLIT_STREAM, DRAW_STREAM = 28, 29


def cells(settings):
    T = max(len(one.reactants) + len(unique(one)) for one in reactions())
    width = model.model(settings["model"]).config.hidden_size + 1
    sizes = {fold: len(_chosen(fold, *_sizes(settings))) for fold in settings["folds"]}
    return [Cell(size, T, width, (fold,), f"fold{fold}") for fold, size in sizes.items()]


def problems(cell, settings):
    (fold,) = cell.seeds
    chosen = _chosen(fold, *_sizes(settings))
    known = np.stack([facts(one, held, cell.T) for one, held in chosen])
    lengths = np.array([len(one.reactants) + len(unique(one)) for one, _ in chosen])
    tokens, rows = _layer(cell, settings, [one for one, _ in chosen])
    every, held = of_all(tokens, known.astype(int), lengths)
    right = every.selections(rows[0].T @ rows[1]) == every.answer
    marks = np.zeros((len(chosen), 0, cell.T))
    for draw in _draws(every, right, held, fold, settings):
        row = np.zeros((len(chosen), 1, cell.T))
        row[known[:, :1] >= 0] = draw
        marks = np.concatenate([marks, row], axis=1)
    labels = np.concatenate([known, marks], axis=1)
    seeds = np.array(cell.seeds, dtype=np.int64)
    return Problems(tokens[None], tokens[None, :, -1], labels[None], rows[None], seeds, lengths[None])


def _sizes(settings):
    return settings["fitted"], settings["held_out"], settings["seed"]


@lru_cache(maxsize=4)
def _chosen(fold, fitted, held_out, seed):
    """[(reaction, whether it is held out)]."""
    rng = np.random.default_rng([SPLIT_STREAM, seed, fold])
    known = [one for one in reactions() if unique(one)]
    order = [known[k] for k in rng.permutation(len(known))]
    away = [(one, True) for one in order if one.molecules == fold]
    return [(one, False) for one in order if one.molecules != fold][:fitted] + away[:held_out]


def _layer(cell, settings, chosen):
    """Tokens (n, T, d), and the rows (2, r, d) of the head."""
    name, number, head = settings["model"], settings["layer"], settings["head"]
    made = model.model(name)
    depth, heads = made.config.num_hidden_layers, made.config.num_attention_heads
    require(
        number < depth and head < heads,
        f"config: experiments.corrections.problems: {name!r} has the layers 0 to {depth - 1} and the heads 0 to "
        f"{heads - 1}, so there is no head {head} in a layer {number}",
    )
    found = np.zeros((cell.n, cell.T, cell.d))
    every = model.states(name, made, (number,), [one.tokens for one in chosen])[number]
    for row, one, X in zip(found, chosen, every, strict=True):
        places = [*one.reactants, *(one.product[k] for k in unique(one))]
        row[: len(places)] = X[places]
    return found, model.heads(made, number)[head]


def _draws(every, right, held, fold, settings):
    """(m,) for each draw: what each query is in it, `NAMED`, `KEPT` or 0."""
    named, fitted = settings["named"], np.unique(every.reaction[~held])
    mistakes = {int(one): ~right & (every.template == one) for one in np.unique(every.template)}
    enough = {
        one: np.flatnonzero(own & ~held)
        for one, own in mistakes.items()
        if (own & ~held).sum() >= named and (own & held).any()
    }
    where = "config: experiments.corrections.problems.named"
    require(bool(enough), f"{where}: there is no template with {named} mistakes of this head and one that is held out")
    most = sorted(enough, key=lambda one: (-len(enough[one]), one))[: settings["templates"]]
    for template in sorted(most):
        for draw in range(settings["draws"]):
            rng = np.random.default_rng([DRAW_STREAM, settings["seed"], fold, template, draw])
            some = rng.choice(fitted, min(settings["kept"], len(fitted)), replace=False)
            marks = np.where(right & ~held & np.isin(every.reaction, some), KEPT, 0)
            marks[rng.choice(enough[template], named, replace=False)] = NAMED
            yield marks
