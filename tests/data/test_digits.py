"""Patches of the digits, pixel by pixel, and the places that tell equal ones apart."""

import numpy as np

from attnsvm.data import digits


def test_every_pixel_is_in_the_patch_of_its_place():
    image = np.arange(64.0).reshape(1, 8, 8)
    (found,) = digits.patches(image)
    for row in range(8):
        for column in range(8):
            patch, inside = (row // 2) * 4 + column // 2, (row % 2) * 2 + column % 2
            assert found[patch, inside] == image[0, row, column]


def test_images_are_those_of_the_data_set():
    images, labels = digits.images()
    assert images.shape == (1797, 8, 8)
    assert (images.min(), images.max()) == (0.0, 1.0)
    assert sorted(set(labels.tolist())) == list(range(10))


def test_placed_tokens_of_an_image_are_different_and_keep_their_pixels():
    patches = digits.patches(digits.images()[0][:50])
    tokens = digits.placed(patches)
    assert tokens.shape == (50, 16, 20)
    assert (tokens[..., :4] == patches).all()
    assert all(len(np.unique(X, axis=0)) == 16 for X in tokens)
    assert any(len(np.unique(X, axis=0)) < 16 for X in tokens[..., :4])  # what the places are for
