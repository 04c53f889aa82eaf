"""Small copies of the figures."""

import io
from pathlib import Path

from PIL import Image

COLOURS = 256


def small(path: Path) -> bytes:
    """A png of half the width and height, in 256 colours."""
    file = io.BytesIO()
    Image.open(path).convert("RGB").reduce(2).quantize(COLOURS).save(file, format="png", optimize=True)
    return file.getvalue()
