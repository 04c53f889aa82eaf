"""Tokens of length one around one direction per instance: the cosine of two is about 0.6."""

from dataclasses import replace

import numpy as np

from attnsvm.data.draws import unit
from attnsvm.data.problems import Problems
from attnsvm.data.tokens.streams import second

WORDS = "correlated tokens"


def redrawn(problems: Problems) -> Problems:
    """The problems with such tokens."""
    streams, (n, T, d) = second(problems), problems.tokens.shape[1:]
    common = unit(streams.normal(1, 1, d))
    return replace(problems, tokens=unit(0.8 * common + 0.6 * unit(streams.normal(n, T, d))).astype(np.float64))
