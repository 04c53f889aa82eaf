"""How long the pipeline takes on a cluster: its jobs scheduled in simulated time, from stage times that were measured.

The model, also in docs/cluster.md: a stage of a block takes a fixed start (what a block of one seed takes; of descent
the least time that any block took) and work in proportion to its seeds, in steps of 32 where the compiled descent
trains so many in the time of one; the stages of a block are one job. A job costs `overhead`
beyond its stages and waits `wait` in the queue; jobs are submitted in order, `rate` a second, and started in order
as cores fall free; that a job has ended is noticed at the next multiple of `poll`. Gathering and drawing an
experiment is a job on the cluster too, or runs on the login node.
"""

import heapq
import json
import math
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path

from attnsvm.building.blocks import MEASURED_TOGETHER, MOST
from attnsvm.errors import UserError, require

BLOCK_STAGES = ("problems", "descent", "svm")
TARGETS = (3, 10, 30, 60, 100, 300, 1000, 3000)  # seconds of work to aim at in a block
LANES = 32  # seeds that the compiled descent takes at once; fewer take as long
COPIES = 100  # times all that an experiment measures: so much was gathered to know how long that takes
GATHERING = 0.3  # of the work of measuring, where nobody measured it
DRAWING = 3.0  # seconds for a figure and its provenance


@dataclass(frozen=True)
class Job:
    """`seconds` of work after the jobs `needs` (their places in the list); `local`: on the login node."""

    seconds: float
    needs: tuple[int, ...] = ()
    local: bool = False


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
    require(path.is_file(), f"{path}: there is no such file; times stand in profiles/times.json")
    found = {}
    try:
        for name, one in json.loads(path.read_text("utf-8"))["experiments"].items():
            stages = {stage: (cost["wall_s"], cost["jobs"]) for stage, cost in one["cost"].items() if cost}
            if "problems" in stages and "measures" in stages:
                seeds = one["seeds"]["last"] - one["seeds"]["first"] + 1
                found[name] = Cost(seeds, stages, one.get("one", {}), one.get("gathered"))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UserError(f"{path}: this is no file of stage times, such as profiles/times.json") from error
    require(bool(found), f"{path}: it says no times: its results came from a cache or a bucket")
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


def pipeline(measured: dict[str, Cost], scale: float, blocks: dict[str, int], local: bool) -> list[Job]:
    """The jobs of all experiments, `scale` times larger in that many blocks; an experiment of one seed stays.

    Args:
        local: whether experiments are gathered and drawn on the login node.
    """
    start = starts(measured)
    experiments = []
    for name, cost in measured.items():
        seeds, count = _seeds(cost, scale), blocks[name]
        apart = count > MEASURED_TOGETHER
        stages = [stage for stage in (*BLOCK_STAGES, *(["measures"] if apart else [])) if stage in cost.stages]
        block = sum(_start(cost, start, stage) + _seconds(cost, start, stage, seeds / count) for stage in stages)
        gathered = _gathering(cost, start, seeds) if apart else _seconds(cost, start, "measures", seeds)
        experiments.append((block, count, _start(cost, start, "measures") + gathered + DRAWING))
    jobs: list[Job] = []
    ends: list[tuple[float, tuple[int, ...]]] = []
    for block, count, last in sorted(experiments, key=lambda one: -one[0] - one[2]):  # the longest chain first
        ends.append((last, tuple(range(len(jobs), len(jobs) + count))))
        jobs += [Job(block)] * count
    return jobs + [Job(last, needs, local) for last, needs in ends]


def best(measured: dict[str, Cost], scale: float, cluster: Cluster) -> tuple[float, dict[str, int], bool]:
    """(makespan, blocks, local) for the length of a block, and the place of gathering, with the least makespan."""
    found = []
    for target in TARGETS:
        blocks = cut(measured, scale, target)
        for local in (True, False):
            found.append(
                (simulate(pipeline(measured, scale, blocks, local), cluster), sum(blocks.values()), blocks, local)
            )
    makespan, _, blocks, local = min(found, key=lambda one: one[:2])
    return makespan, blocks, local


def simulate(jobs: list[Job], cluster: Cluster) -> float:
    """The time at which the last of the jobs is known to have ended, jobs in list order wherever there is a choice.

    Raises:
        ValueError: the jobs depend on each other in a circle.
    """
    open_needs = [len(set(job.needs)) for job in jobs]
    dependents: list[list[int]] = [[] for _ in jobs]
    for index, job in enumerate(jobs):
        for need in set(job.needs):
            dependents[need].append(index)

    events: list[tuple[float, int, str]] = []  # (time, place of the job, what)
    queue: deque[int] = deque()
    local_queue: deque[int] = deque()
    free = {"cores": cluster.cores, "local": cluster.local_cores}
    next_submission, done, now = 0.0, 0, 0.0

    def release(index):
        nonlocal next_submission
        if jobs[index].local:
            local_queue.append(index)
        else:
            time = max(now, next_submission)
            next_submission = time + 1.0 / cluster.rate
            heapq.heappush(events, (time + cluster.wait, index, "may start"))

    for index, count in enumerate(open_needs):
        if count == 0:
            release(index)
    while True:
        while local_queue and free["local"]:
            free["local"] -= 1
            index = local_queue.popleft()
            heapq.heappush(events, (now + jobs[index].seconds, index, "local end"))
        while queue and free["cores"]:
            free["cores"] -= 1
            index = queue.popleft()
            heapq.heappush(events, (now + cluster.overhead + jobs[index].seconds, index, "end"))
        if not events:
            break
        now, index, what = heapq.heappop(events)
        if what == "may start":
            queue.append(index)
        elif what == "end":
            free["cores"] += 1
            seen = math.ceil(now / cluster.poll) * cluster.poll if cluster.poll else now
            heapq.heappush(events, (seen, index, "seen"))
        else:
            free["local"] += what == "local end"
            done += 1
            for dependent in dependents[index]:
                open_needs[dependent] -= 1
                if open_needs[dependent] == 0:
                    release(dependent)
    if done < len(jobs):
        raise ValueError("the jobs depend on each other in a circle")
    return now


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
