"""What the rows of the trained stacks go to, from what was kept of their training."""

import numpy as np

from attnsvm.analysis.composition import Rows, forward
from attnsvm.analysis.ends import Ends, with_mixtures, with_winners
from attnsvm.analysis.stacked import norms
from attnsvm.data.architecture import Stack
from attnsvm.training.late import shaken

APART = 2  # the second of two steps is so many times the first, or more
EARLY = 0.02  # share of the steps after which the end is predicted
QUARTER = 0.25  # share after which two layers are read as after the last


def rows_at(problems, run, stack: Stack, place: int) -> Rows:
    """The rows at a logged step."""
    return forward(stack, problems.tokens, problems.queries, run["weights"][:, place], run.get("values"))


def stated(problems, run, stack: Stack, place: int = -1) -> Ends:
    """By the winners at a logged step."""
    return with_winners(stack, rows_at(problems, run, stack, place), run.get("values"))


def corrected(problems, run, stack: Stack, place: int = -1) -> Ends:
    """With the mixtures that rows go to, by a logged step, the late steps up to it, and one that is `APART`."""
    steps = run["steps"]
    place = range(len(steps))[place]
    first = max(int(np.searchsorted(steps, steps[place] / APART, side="right")) - 1, 0)
    length = norms(run["weights"])
    early, late = (rows_at(problems, run, stack, k) for k in (first, place))
    beside = (rows_at(problems, one, stack, -1) for one in shaken(run, steps[place]))
    return with_mixtures(stack, early, late, (length[:, first], length[:, place]), run.get("values"), beside)


def early_place(steps: np.ndarray, share: float = EARLY) -> int:
    """The last logged step up to a share of all steps."""
    return max(int(np.searchsorted(steps, steps[-1] * share, side="right")) - 1, 0)
