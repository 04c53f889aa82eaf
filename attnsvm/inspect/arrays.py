"""Given arrays, from an .npz file: tokens, queries, and the W, or the K and Q, of every head."""

import os
from collections.abc import Sequence

import numpy as np

from attnsvm.inspect.cycles import equal
from attnsvm.inspect.layers import Inputs, Layer, chosen, distinct
from attnsvm.svm.arguments import finite_array
from attnsvm.svm.certificate import load, tokens_of
from attnsvm.system.errors import require


def read(path: str | os.PathLike, heads: Sequence[int] | None = None) -> list[Layer]:
    """One layer, number 0; an input with the tokens, in any order, and the query of an earlier one is left out.

    Arrays of the file:
        tokens: (n, T, d); queries: (n, e).
        W: (d, e) or (H, d, e); or K: (d, r) or (H, d, r) and Q: (e, r) or (H, e, r), with W = K Qᵀ.
        lengths: (n,) int, optional: input i has its first lengths[i] tokens, the rest is padding.
        delimiters: (n, T) bool, optional. words: (n, T) str, optional.

    Raises:
        UserError, ValueError: the file is not as described; the message is one sentence.
    """
    given = load(path)
    known = {"tokens", "queries", "lengths", "delimiters", "words", *("W" if "W" in given else "KQ")}
    unknown = sorted(given.keys() - known)
    require(not unknown, f"{path}: the array {', '.join(unknown)} is not one of {', '.join(sorted(known))}")
    tokens, lengths = tokens_of(path, given)
    n, T, d = tokens.shape
    require("queries" in given, f"{path}: the array queries is missing, (n, e)")
    queries = finite_array(f"{path}: queries", given["queries"], (n, None), f"(n, e) with n = {n} as in tokens")
    W = _weights(path, given, d, queries.shape[1])
    require(int(lengths.min()) >= 2, f"{path}: input {int(lengths.argmin())} has one token, expected at least two")
    marks, words = given.get("delimiters", np.zeros((n, T), dtype=bool)), given.get("words")
    require(
        marks.dtype == bool and marks.shape == (n, T),
        f"{path}: delimiters: expected a boolean array of shape {(n, T)}, got {marks.dtype} of shape {marks.shape}",
    )
    fits = words is None or (words.shape == (n, T) and words.dtype.kind == "U")
    require(fits, f"{path}: words: expected an array of texts of shape {(n, T)}")
    kinds = np.split(equal(_near(np.concatenate([tokens[i, : lengths[i]] for i in range(n)]))), np.cumsum(lengths)[:-1])
    first: dict[tuple, int] = {}
    text = [first.setdefault(tuple(sorted(one)), i) for i, one in enumerate(kinds)]  # of the same tokens
    rows = distinct(zip(text, equal(_near(queries)), strict=True))
    inputs = Inputs(
        [tokens[i, : lengths[i]] for i in rows],
        queries[rows],
        [[str(word) for word in words[i, : lengths[i]]] for i in rows] if words is not None else [],
        [marks[i, : lengths[i]] for i in rows],
        np.array(text)[rows],
        np.full(len(rows), -1),
        repeats=(0, n - len(rows)),
    )
    return [Layer(0, inputs, {h: W[h] for h in chosen(heads, len(W), "head")}, files=[str(path)])]


def _weights(path, given, d, e) -> np.ndarray:
    """(H, d, e), of W or of K and Q."""
    if "W" in given:
        return finite_array(f"{path}: W", _heads(given["W"]), (None, d, e), f"(d, e) or (H, d, e) with {(d, e)}")
    require("K" in given and "Q" in given, f"{path}: expected the array W, or K and Q")
    K = finite_array(f"{path}: K", _heads(given["K"]), (None, d, None), f"(d, r) or (H, d, r) with d = {d}")
    shape = (len(K), e, K.shape[2])
    Q = finite_array(f"{path}: Q", _heads(given["Q"]), shape, f"(e, r) or (H, e, r) with (H, e, r) = {shape}")
    return K @ Q.swapaxes(1, 2)


def _near(rows: np.ndarray) -> np.ndarray:
    """Rows that are equal where they differ by rounding, as copies do that were computed in another batch."""
    return (rows / (np.abs(rows).max() or 1.0)).astype(np.float32)


def _heads(array) -> np.ndarray:
    return array[None] if np.ndim(array) == 2 else array
