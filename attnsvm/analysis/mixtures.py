"""The mixture in which forces balance: `shares(push, loss, total)`."""

import numpy as np


def shares(push: np.ndarray, loss: np.ndarray, total: np.ndarray) -> np.ndarray:
    """What the tokens of rows of softmax keep beside the token that each row prefers, (..., T).

    A row that mixes loses Σ p·loss of something, and rests where it has lost `total`. There the force that pulls it
    from a token, in proportion to p·(loss − total), is equal to what pushes it there. The preferred token has the rest.

    Args:
        push: (..., T), of each token; zero where the row keeps nothing of it.
        loss: (..., T), of each token, less that of the preferred one.
        total: (...).

    Returns:
        the shares; not all of a row are in (0, 1) where no mixture balances.
    """
    taken = push != 0
    with np.errstate(divide="ignore", invalid="ignore"):
        size = np.where(taken, push / (loss - total[..., None]), 0.0)
        return size * (total / np.where(taken, size * loss, 0.0).sum(-1))[..., None]
