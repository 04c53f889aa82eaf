"""Tokens of length one whose coordinates are Cauchy: one or two of them are most of a token."""

from dataclasses import replace

import numpy as np

from attnsvm.data.draws import unit
from attnsvm.data.problems import Problems
from attnsvm.data.tokens.streams import second

WORDS = "heavy-tailed tokens"


def redrawn(problems: Problems) -> Problems:
    """The problems with such tokens."""
    streams, shape = second(problems), problems.tokens.shape[1:]
    cauchy = streams.normal(*shape) / streams.normal(*shape)
    return replace(problems, tokens=unit(cauchy).astype(np.float64))
