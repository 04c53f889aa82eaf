"""Digits as tokens, a few images per instance, with a random head or their labels; and Gaussian tokens of that shape.

digits_random    random v and random labels; the query of an image is the mean of its tokens
digits_labels    the same query; the label is the parity of the digit, +1 if odd, and v reads it from single tokens
digits_position  random v and random labels; the query is the token at a random place, as in self-attention
gaussian         unit Gaussian tokens and queries, random v and labels: the draw of local convergence
"""

import numpy as np

from attnsvm.data.cells import one_shape
from attnsvm.data.digits import TOKENS, WIDTH, images, patches, placed
from attnsvm.data.draws import draw_cell, gaussian
from attnsvm.data.problems import Problems

VARIANTS = ("digits_random", "digits_labels", "digits_position", "gaussian")
STREAM, OTHER = 20315, 20316  # keep these draws apart from others with the same seed
READERS = 500  # images from which v is read, none of them in the instance
RIDGE = 1e-3  # relative to one token: the place codes add up to one, and few pixels are lit in a corner


def cells(settings):
    return one_shape(settings | {"T": TOKENS, "d": WIDTH}, VARIANTS)


def problems(cell, settings):
    return draw_cell(gaussian, cell) if cell.variant == "gaussian" else digits(cell)


def digits(cell) -> Problems:
    """n different images per instance."""
    pictures, numbers = images()
    tokens, parity = placed(patches(pictures)), np.where(numbers % 2 == 1, 1.0, -1.0)
    rows = np.zeros((len(cell.seeds), cell.n), dtype=int)
    heads, labels = np.zeros((len(cell.seeds), WIDTH)), np.zeros(rows.shape)
    places = np.zeros(rows.shape, dtype=int)
    for s, seed in enumerate(cell.seeds):
        rng = np.random.default_rng([STREAM, seed])
        order = rng.permutation(len(tokens))
        rows[s] = order[: cell.n]
        if cell.variant == "digits_labels":
            read = order[cell.n : cell.n + READERS]
            heads[s], labels[s] = reader(tokens[read], parity[read]), parity[rows[s]]
        else:
            heads[s], labels[s] = random_head(rng, cell.n)
        places[s] = rng.integers(TOKENS, size=cell.n)
    chosen = tokens[rows]
    at_place = np.take_along_axis(chosen, places[..., None, None], axis=2)[:, :, 0]
    queries = at_place if cell.variant == "digits_position" else chosen.mean(2)
    return Problems(chosen, queries, labels, heads, np.array(cell.seeds, dtype=np.int64))


def reader(tokens: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """The unit vector v that reads the labels (N,) from each token alone, by least squares with a small ridge."""
    every = tokens.reshape(-1, tokens.shape[-1])
    told = np.repeat(labels - labels.mean(), tokens.shape[1])
    v = np.linalg.solve(every.T @ every / len(every) + RIDGE * np.eye(every.shape[1]), every.T @ told / len(every))
    return v / np.linalg.norm(v)


def random_head(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """A unit vector v of uniform direction, and n labels ±1."""
    v = rng.normal(size=WIDTH)
    return v / np.linalg.norm(v), rng.choice([-1.0, 1.0], n)


def other_heads(problems: Problems) -> tuple[np.ndarray, np.ndarray]:
    """Another random v (S, d) and other random labels (S, n): they ask for other tokens."""
    n = problems.labels.shape[1]
    drawn = [random_head(np.random.default_rng([OTHER, seed]), n) for seed in problems.seeds.tolist()]
    return np.array([v for v, _ in drawn]), np.array([labels for _, labels in drawn])
