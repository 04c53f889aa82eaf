"""What every experiment took, and from that into how many blocks to cut it for a cluster.

A stage of a block takes a fixed start (what a block of one seed takes; of descent the least time that any block took)
and work in proportion to its seeds, in steps of 32 where the compiled descent trains so many in the time of one; the
stages of a block are one job. docs/cluster.md says how much work a job is worth.
"""

import math
from dataclasses import dataclass, field
from pathlib import Path

from attnsvm.errors import UserError, require
from attnsvm.pipeline import cards
from attnsvm.pipeline.blocks import MEASURED_TOGETHER, MOST
from attnsvm.reading import json_file

BLOCK_STAGES = ("problems", "descent", "svm")
LONGEST, MANY = 1e9, 10**7  # seconds; jobs, or seeds: more has nobody measured
LANES = 32  # seeds that the compiled descent takes at once; fewer take as long


@dataclass(frozen=True)
class Cost:
    """What an experiment took.

    Attributes:
        seeds: of the largest cell.
        stages: {stage: (seconds, jobs)}.
        work: {stage: seconds of processor time}, at the pace of the machine of first_use/preflight.py.
        one: {stage: seconds} of a block of one seed, see benchmarks/block_times.py.
    """

    seeds: int
    stages: dict[str, tuple[float, int]]
    one: dict[str, float] = field(default_factory=dict)
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
                found[name] = Cost(seeds, stages, one.get("one", {}), work)
                require(_sound(found[name]), f"{path}: the times of {name} are no seconds of jobs")
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UserError(f"{path}: this is not a file of stage times, such as profiles/times.json") from error
    require(bool(found), f"{path}: it has no times: its results came from a cache or a bucket")
    return found


def _sound(cost: Cost) -> bool:
    """Whether the stages are ours, with numbers of seconds and of jobs that can be."""
    seconds = [*(wall for wall, _ in cost.stages.values()), *cost.one.values(), *cost.work.values()]
    jobs = [cost.seeds, *(count for _, count in cost.stages.values())]
    return all(0 <= wall < LONGEST for wall in seconds) and all(type(n) is int and 0 < n <= MANY for n in jobs)


def starts(measured: dict[str, Cost]) -> dict[str, float]:
    """The least seconds that a job of every stage took."""
    stages = {stage for cost in measured.values() for stage in cost.stages}
    return {
        stage: min(cost.stages[stage][0] / cost.stages[stage][1] for cost in measured.values() if stage in cost.stages)
        for stage in stages
    }


def cut(measured: dict[str, Cost], scale: float, target: float) -> dict[str, int]:
    """How many blocks every experiment has with about `target` seconds of work in each, `scale` times larger."""
    start, found = starts(measured), {}
    for name, cost in measured.items():
        seeds = _seeds(cost, scale)
        work = sum(_seconds(cost, start, stage, seeds) for stage in BLOCK_STAGES if stage in cost.stages)
        most = min(math.ceil(seeds / _together(cost, start)), MOST)
        # Above a few blocks the measuring is shared too.
        least = MEASURED_TOGETHER + 1 if _seconds(cost, start, "measures", seeds) > target else 1
        found[name] = min(max(round(work / target), least), most)
    return found


def _seeds(cost: Cost, scale: float) -> int:
    return max(round(cost.seeds * scale), 1) if cost.seeds > 1 else 1


def _start(cost: Cost, start: dict[str, float], stage: str) -> float:
    """Seconds before the first seed: of descent, one seed may take as long as 32, and says nothing of it."""
    own = start[stage] if stage == "descent" else cost.one.get(stage, start[stage])
    return min(own, cost.stages[stage][0] / cost.stages[stage][1])


def _together(cost: Cost, start: dict[str, float]) -> int:
    """How many seeds the descent trains in the time of one: 1 or LANES, whichever fits a block of one seed better."""
    if "descent" not in cost.one or "descent" not in cost.stages:
        return 1
    own = _start(cost, start, "descent")
    seconds, jobs = cost.stages["descent"]
    work = seconds / jobs - own
    return min((1, LANES), key=lambda g: abs(own + work / math.ceil(cost.seeds / jobs / g) - cost.one["descent"]))


def _seconds(cost: Cost, start: dict[str, float], stage: str, seeds: float) -> float:
    """Seconds of a stage for so many seeds in one block, beyond its start."""
    seconds, jobs = cost.stages[stage]
    together = _together(cost, start) if stage == "descent" else 1
    groups = math.ceil(cost.seeds / jobs / together)
    return (seconds / jobs - _start(cost, start, stage)) * math.ceil(seeds / together) / groups
