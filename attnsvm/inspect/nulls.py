"""The null models that decide what a number of a head means.

Permuted selections: the same token numbers, or the same distances, selected by other inputs. A random head: a matrix
with the singular values of the head in random directions, with the tokens that this matrix selects; of a lifted head, K
and Q are turned, by one rotation each for all frequencies. A mismatched head: the keys of one with the queries of
another of its layer.
"""

import numpy as np
from scipy.fft import dct

from attnsvm.inspect.lifted import Head

EXCHANGES = 20  # tried for every input: a walk over all permutations that fit


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


def permuted_distances(
    selected: np.ndarray, position: np.ndarray, counts: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """The distances of the selected tokens, permuted among inputs in which they name a token.

    A walk of random exchanges that fit: each is as likely as its way back, so its law is uniform in the long run.

    Args:
        selected: (n,) int; position: (n,) int, the place of the query; counts: (n,) int, the tokens of every input.

    Returns:
        (n,) int, token numbers.
    """
    distance = position - selected
    for i, j in rng.integers(len(selected), size=(EXCHANGES * len(selected), 2)):
        if 0 <= position[i] - distance[j] < counts[i] and 0 <= position[j] - distance[i] < counts[j]:
            distance[i], distance[j] = distance[j], distance[i]
    return position - distance


def mismatched(head: Head, every: list[Head], rng: np.random.Generator) -> Head | None:
    """The keys of a head with the queries of another one, which has other keys; None where no head has others."""
    others = [one for one in every if not np.array_equal(one.key, head.key)]
    return head.mismatched(others[int(rng.integers(len(others)))]) if others else None


def random_head(W, rng: np.random.Generator):
    """A matrix (d, e) with the singular values of W and singular vectors of uniform direction; or a turned `Head`."""
    if isinstance(W, Head):
        return W.turned(rng)
    sigma = np.linalg.svd(W, compute_uv=False)
    rank = int((sigma > 1e-12 * sigma[0]).sum()) if sigma[0] > 0 else 0
    left, right = (_orthonormal(size, rank, rng) for size in W.shape)
    return (left * sigma[:rank]) @ right.T


def rotated(X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Rows X (n, d) after one rotation: changes of signs and cosine transforms."""
    for signs in rng.choice([-1.0, 1.0], size=(3, X.shape[1])):
        X = dct(X * signs, norm="ortho")
    return X


def _orthonormal(size: int, count: int, rng: np.random.Generator) -> np.ndarray:
    """`count` orthonormal columns of uniform direction: QR with the signs of the diagonal (Mezzadri 2007)."""
    Q, R = np.linalg.qr(rng.normal(size=(size, count)))
    return Q * np.sign(np.diag(R))
