"""Handwritten digits as tokens: patches of the 8 x 8 images that scikit-learn ships (UCI, 1,797 images, CC BY 4.0)."""

import numpy as np

SIDE, PATCH = 8, 2
TOKENS = (SIDE // PATCH) ** 2  # patches of an image
PIXELS = PATCH**2  # of a patch
WIDTH = PIXELS + TOKENS  # of a token: the pixels of its patch and the code of its place
DARKEST = 16.0


def images() -> tuple[np.ndarray, np.ndarray]:
    """All images, (1797, 8, 8) in [0, 1], and their digits, (1797,) int, in the order of the data set."""
    from sklearn.datasets import load_digits  # scikit-learn takes half a second to import

    data = load_digits()
    return data.images / DARKEST, data.target.astype(int)


def patches(images: np.ndarray) -> np.ndarray:
    """The 16 patches of every image, row by row, each its four pixels: (N, 8, 8) to (N, 16, 4)."""
    blocks = images.reshape(len(images), SIDE // PATCH, PATCH, SIDE // PATCH, PATCH)
    return blocks.swapaxes(2, 3).reshape(len(images), TOKENS, PATCH * PATCH)


def placed(patches: np.ndarray) -> np.ndarray:
    """Tokens that know where they are: a patch's pixels, then the one-hot code of its place; (N, 16, 4) to (N, 16, 20).

    Empty patches would be equal otherwise, and no W separates equal tokens.
    """
    places = np.broadcast_to(np.eye(TOKENS), (len(patches), TOKENS, TOKENS))
    return np.concatenate([patches, places], axis=2)
