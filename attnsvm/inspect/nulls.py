"""The two null models that decide what a number of a head means.

Permuted selections: the same token numbers, selected by other inputs. A random head: a matrix with the singular values
of the head in random directions, with the tokens that this matrix selects.
"""

import numpy as np


def permuted(selected: np.ndarray, counts: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The selected token numbers, permuted among inputs with enough tokens; uniform over all these permutations.

    The shortest input draws first, from the numbers that fit. A longer input can take these numbers too, so each input
    finds one.

    Args:
        selected: (n,) int, selected[i] < counts[i].
        counts: (n,) int, the tokens of every input.
    """
    left, result = list(selected), np.empty_like(selected)
    for i in np.argsort(counts, kind="stable"):
        fits = [k for k, token in enumerate(left) if token < counts[i]]
        result[i] = left.pop(int(rng.choice(fits)))
    return result


def random_head(W: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A matrix (d, e) with the singular values of W and singular vectors of uniform direction."""
    sigma = np.linalg.svd(W, compute_uv=False)
    rank = int((sigma > 1e-12 * sigma[0]).sum()) if sigma[0] > 0 else 0
    left, right = (_orthonormal(size, rank, rng) for size in W.shape)
    return (left * sigma[:rank]) @ right.T


def _orthonormal(size: int, count: int, rng: np.random.Generator) -> np.ndarray:
    """`count` orthonormal columns of uniform direction: QR with the signs of the diagonal (Mezzadri 2007)."""
    Q, R = np.linalg.qr(rng.normal(size=(size, count)))
    return Q * np.sign(np.diag(R))
