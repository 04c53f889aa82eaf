"""The drawn tokens, and the query of the first input for all inputs."""

from dataclasses import replace

import numpy as np

from attnsvm.data.problems import Problems

WORDS = "one query for all inputs"


def redrawn(problems: Problems) -> Problems:
    """The problems with such queries."""
    return replace(problems, queries=np.repeat(problems.queries[:, :1], problems.queries.shape[1], axis=1))
