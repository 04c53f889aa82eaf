"""Which tokens are optimal for the head, and which tokens a trained attention layer selects."""

import numpy as np

SELECTED_ABOVE = 1e-3  # softmax probability above which a token counts as selected, as published
SUPPORT_TOLERANCE = 1e-6  # well above the solver's gap, well below the margins that generic tokens leave


def scores(tokens: np.ndarray, v: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Token scores γ_it = Y_i vᵀx_it, (S, n, T), for tokens (S, n, T, d), v (S, d), labels (S, n)."""
    return np.einsum("sntd,sd->snt", tokens, v) * labels[..., None]


def optimal_tokens(tokens: np.ndarray, v: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """The token of highest score of every input, (S, n) int."""
    return scores(tokens, v, labels).argmax(-1)


def selected_tokens(probabilities: np.ndarray) -> np.ndarray:
    """The most probable token of every input, (..., n) int, for probabilities (..., n, T)."""
    return probabilities.argmax(-1)


def selected_sets(probabilities: np.ndarray) -> np.ndarray:
    """Every token above `SELECTED_ABOVE`, (..., n, T) bool."""
    return probabilities > SELECTED_ABOVE


def different_choices(selected: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The different choices of tokens that several runs on the same instances end with: what to solve once.

    Args:
        selected: (runs, S, n) int.

    Returns:
        Whose they are (U,), the choices (U, n), and which of them each run has, (runs, S).
    """
    runs, S, n = selected.shape
    owner = np.broadcast_to(np.arange(S)[:, None], (runs, S, 1))
    rows = np.concatenate([owner, selected], axis=2).reshape(runs * S, n + 1)
    found, place = np.unique(rows, axis=0, return_inverse=True)
    return found[:, 0], found[:, 1:], place.reshape(runs, S)


def margins(tokens: np.ndarray, queries: np.ndarray, W: np.ndarray, selected: np.ndarray) -> np.ndarray:
    """Margins (x_iα_i − x_it)ᵀ W z_i, (S, n, T), zero at t = α_i; for W (S, d, d) and selected α (S, n) int."""
    logits = np.einsum("sntd,snd->snt", tokens, queries @ W.swapaxes(1, 2))
    return np.take_along_axis(logits, selected[..., None], 2) - logits


def by_token(dual: np.ndarray, selected: np.ndarray, T: int) -> np.ndarray:
    """Multipliers (S, n·(T − 1)) of `svm.separation`, placed at their tokens (S, n, T); zero at the selected one."""
    placed = np.zeros((*selected.shape, T))
    placed[np.arange(T) != selected[..., None]] = dual.ravel()
    return placed


def support(margin: np.ndarray, dual: np.ndarray, selected: np.ndarray) -> np.ndarray:
    """Support indices (S, n, T) bool: tokens other than the selected one whose margin is one.

    A multiplier proves it, by complementary slackness; margins within the tolerance of one count too, so that a
    degenerate constraint (margin one, multiplier zero) is not missed. Both tolerances are `SUPPORT_TOLERANCE`, relative
    to the largest multiplier of the instance and to the margin.

    Args:
        margin, dual: (S, n, T), see `margins` and `by_token`.
        selected: (S, n) int.
    """
    proven = dual > SUPPORT_TOLERANCE * dual.max((1, 2), keepdims=True)
    others = np.arange(margin.shape[2]) != selected[..., None]
    return (proven | (margin <= 1 + SUPPORT_TOLERANCE)) & others


def support_of(tokens: np.ndarray, queries: np.ndarray, answers: dict, selected: np.ndarray) -> np.ndarray:
    """The support indices (S, n, T) of certified solutions, see `support`.

    Args:
        tokens: (S, n, T, d), queries: (S, n, d).
        answers: with "W" (S, d, d) and "dual" (S, n·(T − 1)), as `svm.instances.certified` stacks them.
        selected: (S, n) int, the tokens that they separate.
    """
    margin = margins(tokens, queries, answers["W"], selected)
    return support(margin, by_token(answers["dual"], selected, margin.shape[2]), selected)


def locally_optimal(score: np.ndarray, selected: np.ndarray, support: np.ndarray) -> np.ndarray:
    """Whether every selected token has a higher score than all its support indices, (S,) bool.

    Args:
        score: (S, n, T), see `scores`; selected: (S, n) int; support: (S, n, T) bool.
    """
    beaten = np.take_along_axis(score, selected[..., None], 2) > score
    return (beaten | ~support).all((1, 2))
