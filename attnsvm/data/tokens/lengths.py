"""The drawn tokens with other lengths: log-normal, of the median one, a factor of e^½ either way."""

from dataclasses import replace

import numpy as np

from attnsvm.data.problems import Problems
from attnsvm.data.tokens.streams import second

WORDS = "tokens of unequal lengths"


def redrawn(problems: Problems) -> Problems:
    """The problems with such tokens."""
    n, T, _ = problems.tokens.shape[1:]
    lengths = np.exp(0.5 * second(problems).normal(n, T, 1).astype(np.float64))
    return replace(problems, tokens=lengths * problems.tokens)
