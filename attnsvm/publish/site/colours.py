"""Colours for a dark page: the hue stays, light becomes dark and dark becomes light.

In Björn Ottosson's Oklab (https://bottosson.github.io/posts/oklab/), where equal steps of lightness look equal.
"""

import numpy as np

# The page behind a figure has lightness 0.19 in dark mode; black text becomes 0.94.
DARKEST, LIGHTEST = 0.19, 0.94
BEND = 2.0  # lines of middle lightness, as most are, keep their lightness
TO_LMS = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
TO_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)


def oklab(rgb: np.ndarray) -> np.ndarray:
    """Lightness, green to red and blue to yellow of colours (..., 3) with channels from 0 to 1."""
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return np.cbrt(linear @ TO_LMS.T) @ TO_LAB.T


def from_oklab(lab: np.ndarray) -> np.ndarray:
    """Colours (..., 3) with channels from 0 to 1; what a screen cannot show is cut off."""
    linear = np.clip((lab @ np.linalg.inv(TO_LAB).T) ** 3 @ np.linalg.inv(TO_LMS).T, 0, 1)
    return np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)


def darkened(pixels: np.ndarray) -> np.ndarray:
    """Colours (..., 3) with channels from 0 to 255 on a dark page: white becomes the page's own, black almost white."""
    lab = oklab(pixels / 255)
    lab[..., 0] = LIGHTEST - (LIGHTEST - DARKEST) * lab[..., 0] ** BEND
    return np.round(255 * from_oklab(lab)).astype(np.uint8)


def dark(colour: str) -> str:
    """The same for one colour "#rrggbb"."""
    return "#" + bytes(darkened(np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)]))).hex()
