"""How long the pipeline takes on a cluster, from measured stage times: the work, its submission, or the longest chain.

The model, also in docs/cluster.md: a stage of a block takes a fixed start (what a block of one seed takes; of descent
the least time that any block took) and work in proportion to its seeds, in steps of 32 where the compiled descent
trains so many in the time of one; the stages of a block are one job. A job costs `overhead`
beyond its stages and waits `wait` in the queue; jobs are submitted `rate` a second; that a job has ended is noticed
half of `poll` later. Gathering and drawing an experiment is a job on the cluster too, or runs on the login node.
"""

import json
import math
from dataclasses import dataclass, field
from pathlib import Path

from attnsvm.errors import UserError, require
from attnsvm.pipeline.blocks import MEASURED_TOGETHER, MOST

BLOCK_STAGES = ("problems", "descent", "svm")
TARGETS = (3, 10, 30, 60, 100, 300, 1000, 3000)  # seconds of work to aim at in a block
LANES = 32  # seeds that the compiled descent takes at once; fewer take as long
COPIES = 100  # times all that an experiment measures: so much was gathered to know how long that takes
GATHERING = 0.3  # of the work of measuring, where nobody measured it
DRAWING = 3.0  # seconds for a figure and its provenance


@dataclass(frozen=True)
class Chain:
    """The jobs of an experiment: `count` blocks of `block` seconds, then `last` seconds of gathering and drawing."""

    block: float
    count: int
    last: float


@dataclass(frozen=True)
class Cluster:
    """What a cluster does to a job; times in seconds.

    Attributes:
        cores: that run jobs at once.
        wait: of a job in the queue, however many cores are free.
        overhead: of a job beyond its stages.
        rate: jobs submitted per second.
        poll: between two looks at the queue.
        local_cores: of the login node.
    """

    cores: int
    wait: float = 0.0
    overhead: float = 6.0
    rate: float = 5.0
    poll: float = 10.0
    local_cores: int = 2


@dataclass(frozen=True)
class Cost:
    """What an experiment took.

    Attributes:
        seeds: of the largest cell.
        stages: {stage: (seconds, jobs)}.
        one: {stage: seconds} of a block of one seed, see benchmarks/block_times.py.
        gathered: seconds of gathering COPIES times what was measured; None if nobody measured it.
    """

    seeds: int
    stages: dict[str, tuple[float, int]]
    one: dict[str, float] = field(default_factory=dict)
    gathered: float | None = None


def costs(path: Path) -> dict[str, Cost]:
    """What every experiment took, from profiles/times.json, or from the provenance of an audit, figures/audit.json.

    Raises:
        UserError: it is not there, or says no times.
    """
    require(path.is_file(), f"{path}: there is no such file; times are in profiles/times.json")
    found = {}
    try:
        for name, one in json.loads(path.read_text("utf-8"))["experiments"].items():
            stages = {stage: (cost["wall_s"], cost["jobs"]) for stage, cost in one["cost"].items() if cost}
            if "problems" in stages and "measures" in stages:
                seeds = one["seeds"]["last"] - one["seeds"]["first"] + 1
                found[name] = Cost(seeds, stages, one.get("one", {}), one.get("gathered"))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UserError(f"{path}: this is not a file of stage times, such as profiles/times.json") from error
    require(bool(found), f"{path}: it has no times: its results came from a cache or a bucket")
    return found


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
        found[name] = max(min(max(round(work / target), least), most), 1)
    return found


def chains(measured: dict[str, Cost], scale: float, blocks: dict[str, int]) -> list[Chain]:
    """The jobs of all experiments, `scale` times larger in that many blocks; an experiment of one seed stays."""
    start, found = starts(measured), []
    for name, cost in measured.items():
        seeds, count = _seeds(cost, scale), blocks[name]
        apart = count > MEASURED_TOGETHER
        stages = [stage for stage in (*BLOCK_STAGES, *(["measures"] if apart else [])) if stage in cost.stages]
        block = sum(_start(cost, start, stage) + _seconds(cost, start, stage, seeds / count) for stage in stages)
        gathered = _gathering(cost, start, seeds) if apart else _seconds(cost, start, "measures", seeds)
        found.append(Chain(block, count, _start(cost, start, "measures") + gathered + DRAWING))
    return found


def makespan(jobs: list[Chain], cluster: Cluster, local: bool) -> float:
    """Seconds from the first job to the last: the largest of what the cores, the submission and the longest chain need.

    A simulation that starts the jobs in order as cores fall free decides next to nothing more, see docs/cluster.md.

    Args:
        local: whether experiments are gathered and drawn on the login node.
    """
    blocks = sum(one.count for one in jobs)
    submitted = blocks if local else blocks + len(jobs)
    work = sum(one.count * one.block for one in jobs) + (0 if local else sum(one.last for one in jobs))
    shared = max((work + submitted * cluster.overhead) / cluster.cores, submitted / cluster.rate)
    usual = cluster.overhead + sum(one.count * one.block for one in jobs) / blocks  # the last block starts that late
    beyond = cluster.wait + cluster.overhead + cluster.poll / 2
    longest = max(one.block + one.last for one in jobs) + beyond * (1 if local else 2)
    gathering = sum(one.last for one in jobs) / cluster.local_cores if local else 0.0
    return max(cluster.wait + shared + usual, longest, gathering)


def best(measured: dict[str, Cost], scale: float, cluster: Cluster) -> tuple[float, dict[str, int], bool]:
    """(makespan, blocks, local) for the length of a block, and the place of gathering, with the least makespan."""
    found = []
    for target in TARGETS:
        blocks = cut(measured, scale, target)
        jobs = chains(measured, scale, blocks)
        found += [(makespan(jobs, cluster, local), sum(blocks.values()), blocks, local) for local in (True, False)]
    least, _, blocks, local = min(found, key=lambda one: one[:2])
    return least, blocks, local


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


def _gathering(cost: Cost, start: dict[str, float], seeds: int) -> float:
    """Seconds of gathering what was measured of so many seeds, beyond the start."""
    if cost.gathered is None:
        return GATHERING * _seconds(cost, start, "measures", seeds)
    return max(cost.gathered - _start(cost, start, "measures"), 0.0) * seeds / (COPIES * cost.seeds)


def _seconds(cost: Cost, start: dict[str, float], stage: str, seeds: float) -> float:
    """Seconds of a stage for so many seeds in one block, beyond its start."""
    seconds, jobs = cost.stages[stage]
    together = _together(cost, start) if stage == "descent" else 1
    groups = math.ceil(cost.seeds / jobs / together)
    return (seconds / jobs - _start(cost, start, stage)) * math.ceil(seeds / together) / groups
