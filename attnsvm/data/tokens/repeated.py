"""Tokens from 2T Gaussian words per instance: different ones in an input, the same in several inputs."""

from dataclasses import replace

import numpy as np

from attnsvm.data.draws import unit
from attnsvm.data.problems import Problems
from attnsvm.data.tokens.streams import choices, second

WORDS = "repeated tokens"


def redrawn(problems: Problems) -> Problems:
    """The problems with such tokens."""
    streams, (n, T, d) = second(problems), problems.tokens.shape[1:]
    words = unit(streams.normal(2 * T, d)).astype(np.float64)
    chosen = choices(streams, n, T, 2 * T)
    return replace(problems, tokens=words[np.arange(len(words))[:, None, None], chosen])
