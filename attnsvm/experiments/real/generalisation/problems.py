"""Instances with a known rule, inputs held out, and some labels flipped.

The rule: W* = v uᵀ for unit vectors v and u. The label of an input is the sign of uᵀz, so that its optimal token, the
argmax of label·vᵀx_t, is what W* selects. The loss of the paper then asks for the planted selection.

clean    every label is the rule's
flipped  a share of the training labels is the other one: these inputs ask for the token at the other end along v
random   every training label is a coin
full     another rule, for the SVM alone: what a W* with independent Gaussian entries, of rank d, selects

Tokens are Gaussian, or those of handwritten digits. An instance is the same for every number of inputs and for all
kinds of labels: the first n of the same inputs, with the same rule.
"""

from dataclasses import replace

import numpy as np

from attnsvm.analysis.selection import optimal_tokens, selected_tokens
from attnsvm.data.cells import Cell, seeds
from attnsvm.data.digits import SIDE, WIDTH, images, patches, placed
from attnsvm.data.digits import TOKENS as PATCHES
from attnsvm.data.problems import Problems

TOKENS = {"gaussian": ("clean", "flipped", "random", "full"), "digits": ("clean", "flipped")}
STREAM = 20318  # keeps these draws apart from others with the same seed
RULE, NEW, NEW_QUERIES, INPUTS, QUERIES, FLIPS, PIXELS = range(7)  # one stream each: the first n inputs stay the same


def cells(settings):
    kinds = [(name, labels) for name, all_labels in TOKENS.items() for labels in all_labels]
    return [
        Cell(n, *_shape(name, settings), seeds(settings), f"{name}_{labels}")
        for name, labels in kinds
        for n in settings[f"{name}_n"]
    ]


def problems(cell, settings):
    clean = inputs(cell, cell.seeds, settings["held_out"], new=False)
    return replace(clean, labels=clean.labels * np.where(flipped(cell, cell.seeds, settings["flipped"]), -1.0, 1.0))


def flipped(cell: Cell, seeds, share: float) -> np.ndarray:
    """Which training inputs (S, n) have the other label."""
    share = {"clean": 0.0, "full": 0.0, "random": 0.5}.get(cell.variant.split("_")[1], share)
    return np.array([_stream(seed, FLIPS).random(cell.n) < share for seed in seeds]).reshape(len(seeds), cell.n)


def inputs(cell: Cell, seeds, held_out: int, new: bool) -> Problems:
    """The training inputs of the instances with these seeds, or those held out, all with the labels of the rule."""
    name, labels = cell.variant.split("_")
    count = held_out if new else cell.n
    draw = _Digits(cell.d) if name == "digits" else _gaussian
    X, Z = np.empty((len(seeds), count, cell.T, cell.d)), np.empty((len(seeds), count, cell.d))
    v, u = np.empty((2, len(seeds), cell.d))
    head = np.empty((len(seeds), cell.d, cell.d)) if labels == "full" else v
    for s, seed in enumerate(seeds):
        rng = _stream(seed, RULE)
        v[s], u[s] = _unit(rng.normal(size=(2, cell.d)))
        if labels == "full":
            head[s] = rng.normal(size=(cell.d, cell.d))
        X[s], Z[s] = draw(seed, count, held_out, new, cell)
    Y = np.where(np.einsum("sne,se->sn", Z, u) >= 0, 1.0, -1.0)
    return Problems(X, Z, Y, head, np.array(seeds, dtype=np.int64))


def wanted(problems: Problems) -> np.ndarray:
    """The token (S, n) that every input is to select: by the label and v, or by a W* that stands for the head."""
    if problems.head.ndim == 2:
        return optimal_tokens(problems.tokens, problems.head, problems.labels)
    return selected_tokens(logits(problems, problems.head[:, None])[:, 0])


def logits(problems: Problems, W: np.ndarray) -> np.ndarray:
    """x_tᵀ W z of every input's tokens, (S, L, n, T), with each of the matrices W (S, L, d, d)."""
    along = W @ problems.queries[:, None].swapaxes(-1, -2)
    return np.einsum("sntd,sldn->slnt", problems.tokens, along, optimize=True)


def _gaussian(seed, count, held_out, new, cell):
    """Unit Gaussian tokens and queries."""
    X = _stream(seed, NEW if new else INPUTS).normal(size=(count, cell.T, cell.d))
    Z = _stream(seed, NEW_QUERIES if new else QUERIES).normal(size=(count, cell.d))
    return _unit(X), _unit(Z)


class _Digits:
    """Different images; the query is the whole image seen along d directions, centred and of length one."""

    def __init__(self, d: int):
        pictures, _ = images()  # read once for all instances
        whole = pictures.reshape(len(pictures), SIDE * SIDE)
        along, _ = np.linalg.qr(np.random.default_rng([STREAM, PIXELS]).normal(size=(SIDE * SIDE, d)))
        self.tokens, self.queries = placed(patches(pictures)), _unit((whole - whole.mean(0)) @ along)

    def __call__(self, seed, count, held_out, new, cell):
        order = _stream(seed, INPUTS).permutation(len(self.tokens))
        rows = order[:held_out] if new else order[held_out : held_out + count]
        return self.tokens[rows], self.queries[rows]


def _shape(name, settings):
    """T and d; for digits, those of their tokens."""
    if name == "digits":
        return PATCHES, WIDTH
    return settings["T"], settings["d"]


def _stream(seed, what):
    return np.random.default_rng([STREAM, int(seed), what])


def _unit(x):
    return x / np.linalg.norm(x, axis=-1, keepdims=True)
