"""How long the pipeline takes on a cluster: its jobs scheduled in simulated time, from the stage times measured here.

    python benchmarks/makespan.py                                the table of docs/cluster.md
    python benchmarks/makespan.py --scale 1 --cores 16 --rate 2  the paper's scale, on 16 cores of a slow controller

Times come from results/benchmarks/ where the pipeline has run, otherwise from MEASURED. The model, also in
docs/cluster.md: a stage of a block takes a fixed start (imports: the least time any block of that stage took) and work
in proportion to its instances; problems, descent and svm of a block are one job, which pays `overhead` on top; jobs are
submitted in order, `rate` a second, and started in order as cores fall free; that a job has ended is noticed at the
next multiple of `poll`; measures and figure run on the login node.
"""

import argparse
import csv
import heapq
import math
from collections import deque
from dataclasses import dataclass
from pathlib import Path

BLOCK_STAGES = ("problems", "descent", "svm")
TARGETS = (3, 10, 30, 100, 300, 1000, 3000)  # seconds of work to aim at in a block

# {experiment: {stage: seconds of each block}}, full scale, on the 2-core machine of docs/performance.md.
MEASURED = {
    "trajectories": {"problems": [1.5], "descent": [2.3], "svm": [0.7], "measures": [0.4], "figure": [1.8]},
    "hyperplanes": {"problems": [1.5], "descent": [2.3], "svm": [0.8], "measures": [0.5], "figure": [1.8]},
    "local_convergence": {
        "problems": [1.6, 1.6],
        "descent": [2.7, 2.8],
        "svm": [1.4, 1.2],
        "measures": [0.6],
        "figure": [1.8],
    },
    "normalisation": {
        "problems": [1.5, 1.5],
        "descent": [28.4, 27.5],
        "svm": [1.3, 1.2],
        "measures": [0.6],
        "figure": [2.3],
    },
    "svm_rank": {
        "problems": [1.7, 1.6],
        "descent": [1.5, 1.6],
        "svm": [62.1, 59.8],
        "measures": [0.8],
        "figure": [1.6],
    },
    "multi_token": {
        "problems": [2.2, 2.2, 2.1, 2.2],
        "descent": [7.1, 7.0, 8.4, 6.7],
        "svm": [1.1, 1.2, 1.2, 1.2],
        "measures": [0.7],
        "figure": [2.7],
    },
}


@dataclass(frozen=True)
class Job:
    """`seconds` of work after the jobs `needs` (their places in the list); `local`: on the login node."""

    seconds: float
    needs: tuple[int, ...] = ()
    local: bool = False


def simulate(jobs, cores, *, overhead=0.0, rate=math.inf, poll=0.0, local_cores=1):
    """The time at which the last of the jobs is known to have ended, jobs in list order wherever there is a choice."""
    open_needs = [len(set(job.needs)) for job in jobs]
    dependents = [[] for _ in jobs]
    for index, job in enumerate(jobs):
        for need in set(job.needs):
            dependents[need].append(index)

    events = []  # (time, place in the order of events, what, job)
    queue, local_queue = deque(), deque()
    free = {"cores": cores, "local": local_cores}
    next_submission, done, now = 0.0, 0, 0.0

    def later(time, what, index):
        heapq.heappush(events, (time, index, what))

    def release(index):
        nonlocal next_submission
        if jobs[index].local:
            local_queue.append(index)
        else:
            time = max(now, next_submission)
            next_submission = time + 1.0 / rate
            later(time, "submitted", index)

    for index, count in enumerate(open_needs):
        if count == 0:
            release(index)
    while True:
        while local_queue and free["local"]:
            free["local"] -= 1
            index = local_queue.popleft()
            later(now + jobs[index].seconds, "local end", index)
        while queue and free["cores"]:
            free["cores"] -= 1
            index = queue.popleft()
            later(now + overhead + jobs[index].seconds, "end", index)
        if not events:
            break
        now, index, what = heapq.heappop(events)
        if what == "submitted":
            queue.append(index)
        elif what == "end":
            free["cores"] += 1
            later(math.ceil(now / poll) * poll if poll else now, "seen", index)
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


def read(folder):
    """What MEASURED holds, from the `benchmark:` files; of an experiment cut in several ways, from the latest."""
    measured, cuts = {}, {}
    for path in sorted(Path(folder).glob("*/*-of-*/*.tsv")):
        cut = path.parent.name.partition("-of-")[2]
        cuts.setdefault(path.parts[-3], {}).setdefault(cut, []).append(path)
    for name, found in cuts.items():
        latest = max(found.values(), key=lambda paths: max(path.stat().st_mtime for path in paths))
        for path in latest:
            measured.setdefault(name, {}).setdefault(path.stem, []).append(seconds(path))
    for path in sorted(Path(folder).glob("*/measures.tsv")):
        measured.setdefault(path.parts[-2], {})["measures"] = [seconds(path)]
    for path in sorted(Path(folder).glob("figures/*.tsv")):
        measured.setdefault(path.stem, {})["figure"] = [seconds(path)]
    wanted = {*BLOCK_STAGES, "measures", "figure"}
    return {name: stages for name, stages in measured.items() if wanted <= set(stages)}


def seconds(path):
    with open(path, newline="") as file:
        return float(next(csv.DictReader(file, delimiter="\t"))["s"])


def pipeline(measured, scale, target):
    """(jobs, seconds they take in all) of the experiments `scale` times larger, in blocks of about `target` s of work.

    Experiments in a single block (a single instance) stay as they are. Blocks differ as much as the measured ones.
    """
    start = {stage: min(min(stages[stage]) for stages in measured.values()) for stage in (*BLOCK_STAGES, "measures")}
    blocks, rest = [], []
    for stages in measured.values():
        times = [sum(block) for block in zip(*(stages[stage] for stage in BLOCK_STAGES), strict=True)]
        fixed = sum(start[stage] for stage in BLOCK_STAGES)
        larger = scale if len(times) > 1 else 1
        work = [larger * max(time - fixed, 0.0) for time in times]
        count = max(round(sum(work) / target), 1) if len(times) > 1 else 1
        mean = sum(work) / len(work)
        uneven = [one / mean if mean else 1.0 for one in work]
        mine = [fixed + sum(work) / count * uneven[k % len(uneven)] for k in range(count)]
        gather = start["measures"] + larger * max(stages["measures"][0] - start["measures"], 0.0)
        blocks.append(mine)
        rest.append((gather, stages["figure"][0]))
    order = sorted(range(len(blocks)), key=lambda k: -sum(blocks[k]))  # the longest experiment first
    jobs, ends = [], {}
    for k in order:
        ends[k] = tuple(range(len(jobs), len(jobs) + len(blocks[k])))
        jobs += [Job(time) for time in blocks[k]]
    for k in order:
        gather, figure = rest[k]
        jobs.append(Job(gather, ends[k], local=True))
        jobs.append(Job(figure, (len(jobs) - 1,), local=True))
    return jobs, sum(job.seconds for job in jobs)


def best(measured, scale, cores, **how):
    """(makespan, target, jobs) for the target with the least makespan."""
    found = []
    for target in TARGETS:
        jobs, _ = pipeline(measured, scale, target)
        found.append((simulate(jobs, cores, **how), target, jobs))
    return min(found, key=lambda one: one[:2])


def readable(time):
    if time < 120:
        return f"{time:.0f} s"
    return f"{time / 60:.0f} min" if time < 7200 else f"{time / 3600:.1f} h"


def main():
    parser = argparse.ArgumentParser(
        description="Simulated makespan of the pipeline on a cluster, as a Markdown table."
    )
    parser.add_argument("--benchmarks", default="results/benchmarks", help="folder of the measured times")
    parser.add_argument("--scale", type=float, default=100, help="how many times more instances than measured")
    parser.add_argument("--cores", type=int, nargs="+", default=[100, 1000, 10000])
    parser.add_argument("--overhead", type=float, default=6.0, help="seconds a job costs beyond its stages")
    parser.add_argument("--rate", type=float, nargs="+", default=[5.0, 100.0], help="jobs submitted per second")
    parser.add_argument("--poll", type=float, default=15.0, help="seconds between two looks at the queue")
    options = parser.parse_args()

    measured = read(options.benchmarks)
    source = options.benchmarks if measured else "the table in benchmarks/makespan.py"
    measured = measured or MEASURED
    _, work = pipeline(measured, options.scale, math.inf)
    print(f"Measured times: {source}; {options.scale:g} times larger: {work / 3600:.1f} core-hours in the stages.\n")
    print("| cores | submitted per second | work in a block | cluster jobs | makespan | cores busy in the stages |")
    print("|---|---|---|---|---|---|")
    for cores in options.cores:
        for rate in options.rate:
            how = {"overhead": options.overhead, "rate": rate, "poll": options.poll, "local_cores": 2}
            makespan, target, jobs = best(measured, options.scale, cores, **how)
            used = sum(job.seconds for job in jobs if not job.local) / (cores * makespan)
            count = sum(not job.local for job in jobs)
            print(f"| {cores} | {rate:g} | {target} s | {count} | {readable(makespan)} | {used:.0%} |")


if __name__ == "__main__":
    main()
