"""Several runs on the same instances, by one of the functions that train a batch."""

from collections.abc import Callable
from typing import Any

from attnsvm.data.problems import Problems
from attnsvm.training.heads.linear import LinearHead
from attnsvm.training.log import logarithmic_steps

KEPT = ("steps", "weights", "probabilities")


def train_each(
    train: Callable[..., Any],
    problems: Problems,
    runs: dict,
    progress,
    points: int | None = None,
    kept: tuple[str, ...] | None = KEPT,
    **shared,
) -> dict:
    """Train every run, and say beforehand how much there is to do.

    Args:
        train: `train` or `train_stack`.
        problems: the instances of every run.
        runs: by name, the arguments of `train` that are those of this run alone.
        progress: as a stage is given it.
        points: about so many steps are logged, equally spaced on a logarithmic axis; None: those that `every` says.
        kept: what is kept of a log, the names of its attributes; None: its `end`.
        shared: the arguments that all runs have; the head is linear unless they name another.

    Returns:
        {name: {attribute: array}}; where a name is a pair, {its first part: {its second part: {attribute: array}}}.
    """
    progress.expect(len(runs) * len(problems))
    found: dict = {}
    for name, own in runs.items():
        how = {"problems": problems, "head": LinearHead} | shared | own
        if points:
            how["every"] = logarithmic_steps(how["steps"], points)
        log, among, last = train(**how, progress=progress), found, name
        if isinstance(name, tuple):
            group, last = name
            among = found.setdefault(group, {})
        among[last] = log.end() if kept is None else log.arrays(*kept)
    return found
