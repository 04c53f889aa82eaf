"""A layer of attention and one of values: logits V Xᵀ softmax(X W z) over all words, and its loss without rounding.

arXiv 2409.17335 calls V = W_ov and W = W_kq.
"""

import numpy as np
from scipy.special import log_softmax, logsumexp

SMALL = -18.0  # of a logarithm: below it x, log(1 + x) and exp(x) − 1 are the same


def next_words(problems) -> np.ndarray:
    """(S, n) int: the word that follows the best word of each sentence, which is the first."""
    return (numbers(problems)[..., 0] + 1) % problems.head.shape[1]


def numbers(problems) -> np.ndarray:
    """(S, n, T) int: the words of the sentences."""
    return (problems.tokens[..., None, :] == problems.head[:, None, None]).all(-1).argmax(-1)


def attention(problems, W: np.ndarray) -> np.ndarray:
    """log softmax(X W z), (S, L, n, T), of W (S, L, d, d)."""
    return log_softmax(np.einsum("sntd,slde,sne->slnt", problems.tokens, W, problems.queries, optimize=True), axis=-1)


def log_of_pairs(embeddings: np.ndarray, V: np.ndarray) -> np.ndarray:
    """log of the mean cross entropy of all pairs of a word and the next, (S, L), for V (S, L, words, d)."""
    logits = np.einsum("slvd,sxd->slxv", V, embeddings, optimize=True)
    d = logits.shape[-1]
    word, after = np.arange(d), (np.arange(d) + 1) % d
    right = logits[..., word, after].copy()
    logits[..., word, after] = -np.inf
    behind = logsumexp(logits, axis=-1) - right
    with np.errstate(divide="ignore"):
        each = np.where(behind < SMALL, behind, np.log(np.logaddexp(0.0, behind)))
    return logsumexp(each, axis=-1) - np.log(d)


def log_excess(problems, V: np.ndarray, W: np.ndarray) -> np.ndarray:
    """log of what the mean cross entropy has over that of attention to the best words alone, (S, L).

    Args:
        V: (S, words, d), kept. W: (S, L, d, d).

    Of logits ℓ of the best word, with next word y and p = softmax(ℓ), and δ what attention adds to ℓ, the excess is
    log(1 + Σ_v p_v (exp(δ_v − δ_y) − 1)): v = y gives nothing, and so nothing cancels.
    """
    logits = np.einsum("svd,sntd->sntv", V, problems.tokens, optimize=True)
    at = next_words(problems)[..., None]
    p = np.exp(log_softmax(logits[:, :, 0], axis=-1))
    np.put_along_axis(p, at, 0.0, -1)
    moved = logits - logits[:, :, :1]
    moved = moved - np.take_along_axis(moved, at[:, :, None], -1)  # ℓ_tv − ℓ_v − (ℓ_ty − ℓ_y), zero for the best word
    logs = attention(problems, W)
    scale = np.maximum(logs[..., 1:].max(-1, keepdims=True), -600.0)
    delta = np.einsum("slnt,sntv->slnv", np.exp(logs - scale), moved, optimize=True)
    rises = np.einsum("snv,slnv->sln", p, np.where(scale < SMALL, delta, np.expm1(delta * np.exp(scale))))
    with np.errstate(divide="ignore", invalid="ignore"):
        small = np.log(rises) + scale[..., 0]
        each = np.where(scale[..., 0] < SMALL, small, np.log(np.log1p(rises)))
    return logsumexp(each, axis=-1) - np.log(each.shape[-1])
