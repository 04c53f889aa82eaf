"""What the rows go to, by a logged step and the one before, and how far that is from what they seemed to go to then."""

import numpy as np

from attnsvm.experiments.beyond.layers_beyond.ends import corrected, saturated
from attnsvm.experiments.beyond.layers_beyond.kinds import KINDS as EVERY

KINDS = {
    name: EVERY[name] for name in ("two heads", "one-hot tokens", "repeated tokens")
}  # whose counting rows saturate
PLACES = (-2, -1)  # the logged steps at which distances are measured: half of the steps, and the last one


def until(run, place: int) -> dict:
    """The run up to a logged step."""
    end = len(run["steps"]) + place + 1
    return run | {"steps": run["steps"][:end], "weights": run["weights"][:, :end]}


def ends_at(problems, run, kind, place: int):
    """What the rows go to by the run up to a logged step."""
    return corrected(problems, until(run, place), kind)


def saturated_at(problems, run, kind, place: int) -> np.ndarray:
    """Whether every row that counts has saturated at a logged step, (S,)."""
    return saturated(problems, until(run, place), kind, ends_at(problems, run, kind, place))


def change(problems, run, kind, place: int) -> np.ndarray:
    """The largest change of a probability that a row goes to, from the logged step before to this one, (S,)."""
    before, now = (np.exp(ends_at(problems, run, kind, k).rows.below) for k in (place - 1, place))
    return np.abs(now - before).max((1, 2, 3, 4, 5))
