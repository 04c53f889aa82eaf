"""Tokens of length one whose coordinates are all of one size, +1/√d or −1/√d."""

from dataclasses import replace

import numpy as np

from attnsvm.data.problems import Problems
from attnsvm.data.tokens.streams import second

WORDS = "±1 tokens"


def redrawn(problems: Problems) -> Problems:
    """The problems with such tokens."""
    streams, shape = second(problems), problems.tokens.shape[1:]
    tokens = np.where(streams.uniform(*shape) < 0.5, -1.0, 1.0) / np.sqrt(shape[-1])
    return replace(problems, tokens=tokens)
