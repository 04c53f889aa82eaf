"""One-hot tokens: coordinate vectors, different ones in an input while there are enough, the same in several inputs."""

from dataclasses import replace

import numpy as np

from attnsvm.data.problems import Problems
from attnsvm.data.tokens.streams import choices, second

WORDS = "one-hot tokens"


def redrawn(problems: Problems) -> Problems:
    """The problems with such tokens."""
    n, T, d = problems.tokens.shape[1:]
    return replace(problems, tokens=np.eye(d)[choices(second(problems), n, T, d)])
