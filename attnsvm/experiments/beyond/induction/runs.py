"""What is trained: the task as it is, and what may decide whether the circuit forms."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Run:
    """How two layers are trained.

    Attributes:
        inputs: how many inputs they see; 0: all of the instance.
        start: how many times as large the weights are at the start.
        rate: how many times as long the steps of the layer below are, of those of the top.
        separate: whether each layer's gradient is divided by its norm, and not both by one norm.
        permuted: whether the answers are symbols of the input at random.
        long: whether it is trained for all steps, so that it can be compared with its SVMs.
    """

    inputs: int = 0
    start: float = 1.0
    rate: float = 1.0
    separate: bool = False
    permuted: bool = False
    long: bool = False


TASK, SLOW = "one norm", "norm each, 1:10"
RUNS = {
    TASK: Run(long=True),
    SLOW: Run(rate=0.1, separate=True, long=True),
    "norm each, 1:3": Run(rate=0.3, separate=True),
    "norm each, 1:1": Run(separate=True),
    "start times 0.25": Run(start=0.25),
    "start times 4": Run(start=4.0),
    "start times 16": Run(start=16.0),
    "6 inputs": Run(inputs=6),
    "12 inputs": Run(inputs=12),
    "24 inputs": Run(inputs=24),
    "48 inputs": Run(inputs=48),
    "permuted answers": Run(permuted=True),
}
