"""Descent of a model written on the tape, for a whole batch of instances, by any rule.

Weights are moved by the compiled rules, LANES instances at a time; each group has tapes of its own. An instance's
result does not depend on its place in the batch.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from attnsvm.training.tape.node import Node

Arrays = dict[str, np.ndarray]
Model = Callable[[dict[str, Node], dict[str, Node]], Node | tuple[Node, dict[str, Node]]]


@dataclass(frozen=True)
class TapeLog:
    """S runs, logged at K steps; step k means: after k updates.

    Attributes:
        steps: (K,).
        weights: each (S, K, ...).
        loss: (S, K).
        seen: what the model returned beside its loss, after the last step, each (S, ...).
    """

    steps: np.ndarray
    weights: Arrays
    loss: np.ndarray
    seen: Arrays
