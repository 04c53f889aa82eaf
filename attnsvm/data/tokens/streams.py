"""The streams of a second draw: of the same seeds, and of none that a first draw takes."""

import numpy as np

from attnsvm.data.problems import Problems
from attnsvm.data.streams import Streams

APART = 1 << 31  # first draws have seeds below


def second(problems: Problems) -> Streams:
    """One generator per instance."""
    return Streams(problems.seeds + APART)


def choices(streams: Streams, inputs: int, count: int, known: int) -> np.ndarray:
    """`count` of `known` for each input, (S, inputs, count), different ones while there are enough."""
    orders = streams.uniform(inputs, known).argsort(-1, kind="stable")
    return orders[..., np.arange(count) % known]
