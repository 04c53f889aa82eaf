"""The texts that a model is given: those of a file, or those of this package."""

import os
import re
from importlib.resources import files

from attnsvm.errors import UserError, require
from attnsvm.reading import text

LARGEST = 2**30  # bytes


def sentences() -> list[str]:
    """235 short English sentences, written for this package: texts for a first look at a model."""
    return files("attnsvm.inspect").joinpath("sentences.txt").read_text("utf-8").splitlines()


def lines(path: str | os.PathLike) -> list[str]:
    """The lines of a text file that are not empty; UserError where there are none.

    A line ends where an editor, or `wc`, sees its end: other separators that Unicode has are part of a text.
    """
    require(bool(str(path)), "texts: expected the name of a file, got an empty one")
    found = [line.strip() for line in re.split("\r\n|\r|\n", text(path, LARGEST)) if line.strip()]
    if not found:
        raise UserError(f"{path}: expected one text per line, got none")
    return found
