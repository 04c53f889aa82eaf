"""What every experiment took: for the blocks of a cluster's profile, and for the person who waits."""

from dataclasses import dataclass, field
from pathlib import Path

from attnsvm.pipeline import cards
from attnsvm.system.errors import UserError, require
from attnsvm.system.untrusted import json_file

BLOCK_STAGES = ("problems", "descent", "svm")
LONGEST, MANY = 1e9, 10**7  # seconds; jobs, or seeds: more has nobody measured


@dataclass(frozen=True)
class Cost:
    """What an experiment took.

    Attributes:
        seeds: of the largest cell.
        stages: {stage: (seconds, jobs)}.
        work: {stage: seconds of processor time}, at the pace of the machine of setup/environment_check.py.
    """

    seeds: int
    stages: dict[str, tuple[float, int]]
    work: dict[str, float] = field(default_factory=dict)


def costs(path: Path) -> dict[str, Cost]:
    """What every experiment took, from profiles/times.json, or from the provenance of an audit, figures/audit.json.

    Raises:
        UserError: it is not there, or says no times.
    """
    found, known = {}, {card.name for card in cards.experiments(optional=True)}
    given = json_file(path)
    try:
        pace = given.get("pace", 1.0)  # where it is not said: that of a build on this machine
        require(0 < pace < LONGEST, f"{path}: {pace!r} is no pace of a machine")
        for name, one in given["experiments"].items():
            stages = {stage: (cost["wall_s"], cost["jobs"]) for stage, cost in one["cost"].items() if cost}
            if name in known and "problems" in stages and "measures" in stages:
                seeds = one["seeds"]["last"] - one["seeds"]["first"] + 1
                work = {stage: cost.get("cpu_s", cost["wall_s"]) / pace for stage, cost in one["cost"].items() if cost}
                found[name] = Cost(seeds, stages, work)
                require(_sound(found[name]), f"{path}: the times of {name} are no seconds of jobs")
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UserError(f"{path}: this is not a file of stage times, such as profiles/times.json") from error
    require(bool(found), f"{path}: it has no times: its results came from a cache or a bucket")
    return found


def _sound(cost: Cost) -> bool:
    """Whether the stages are ours, with numbers of seconds and of jobs that can be."""
    seconds = [*(wall for wall, _ in cost.stages.values()), *cost.work.values()]
    jobs = [cost.seeds, *(count for _, count in cost.stages.values())]
    return all(0 <= wall < LONGEST for wall in seconds) and all(type(n) is int and 0 < n <= MANY for n in jobs)
