"""Several runs on the same instances, by one of the functions that train a batch."""

from collections.abc import Callable

from attnsvm.data.problems import Problems
from attnsvm.training.heads.linear import LinearHead
from attnsvm.training.log import Runs, logarithmic_steps

KEPT = ("steps", "weights", "probabilities")


def train_each(
    train: Callable[..., Runs],
    problems: Problems,
    runs: dict,
    progress,
    points: int | None = None,
    kept: tuple[str, ...] = KEPT,
    **shared,
) -> dict:
    """Train every run, and say beforehand how much there is to do.

    Args:
        train: `train` or `train_stack`.
        problems: the instances of every run.
        runs: by name, the arguments of `train` that are those of this run alone.
        progress: as a stage is given it.
        points: about so many steps are logged, equally spaced on a logarithmic axis; None: those that `every` says.
        kept: what is kept of a log, the names of its attributes.
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
        *group, last = name if isinstance(name, tuple) else (name,)
        among = found.setdefault(*group, {}) if group else found
        among[last] = train(**how, progress=progress).arrays(*kept)
    return found
