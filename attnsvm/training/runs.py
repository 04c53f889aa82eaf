"""The runs of an experiment: how its settings train, and several runs on the same instances."""

from collections.abc import Callable
from typing import Any

from attnsvm.data.problems import Problems
from attnsvm.training.heads.linear import LinearHead
from attnsvm.training.log import logarithmic_steps
from attnsvm.training.optimisers.gradient_descent import exact, published

KEPT = ("steps", "weights", "probabilities")
NORMALISATIONS = {"published": published, "exact": exact}


def how_to_train(settings: dict) -> dict:
    """The keyword arguments of `train` that every experiment reads from its settings.

    Args:
        settings: with the keys normalisation ("published" or "exact"), learning_rate, steps and device.

    Raises:
        KeyError: a key is missing, or the normalisation has another name.
    """
    rule = NORMALISATIONS[settings["normalisation"]](settings["learning_rate"])
    return {"rule": rule, "steps": settings["steps"], "device": settings["device"]}


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
