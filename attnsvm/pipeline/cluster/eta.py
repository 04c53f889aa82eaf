"""For the person who waits: which jobs begin first, and how long a run will take, said before it begins.

A job is expected to take the processor time of its stage in profiles/times.json, shared by the blocks of this run,
times the pace of this machine as measured at the start.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path

from attnsvm.pipeline.cards import STAGES
from attnsvm.pipeline.cluster.costs import BLOCK_STAGES, Cost, costs
from attnsvm.pipeline.setup import environment_check
from attnsvm.system.errors import UserError

OTHER = 1.5  # seconds of a job without a measured time: a figure, a page
START = 0.8  # seconds of every other before and after what is measured of it
LONG = 60.0  # expected seconds from which on a run says how long it takes before it begins
FINISHING = 1e4  # priority of a job after the blocks
Kind = tuple[str, str]  # rule and experiment; "" without one


def known(times: Path) -> dict[str, Cost]:
    """What every experiment took, from a file as profiles/times.json; nothing where there is none."""
    try:
        return costs(times)
    except (UserError, OSError):
        return {}


def priority(measured: dict[str, Cost], rule: str, experiment: str, blocks: int) -> float:
    """Which jobs begin first: those that finish something, then those with the longest way to an experiment's tables.

    Begun last, the longest way would be waited for with one core.

    Returns:
        Of a job of a block, the seconds of its stage and the later ones, shared by the blocks; else `FINISHING`.
    """
    if rule not in BLOCK_STAGES:
        return FINISHING
    work = measured[experiment].work if experiment in measured else dict.fromkeys(STAGES, OTHER)
    return sum(work.get(stage, 0.0) for stage in STAGES[STAGES.index(rule) :]) / blocks


def seconds(jobs: Iterable[Kind], cores: int, measured: dict[str, Cost]) -> float:
    """Seconds of a whole run: what all cores share, and no less than the longest way, see `priority`.

    Args:
        jobs: the kinds of all its jobs.
        cores: that work side by side.
        measured: what every experiment took, see `known`.
    """
    counts = Counter(jobs)
    together, ways = 0.0, defaultdict[str, float](float)
    for (rule, experiment), count in counts.items():
        cost, stage = measured.get(experiment), "measures" if rule == "measures_of_block" else rule
        each = cost.work[stage] / count + START if cost and stage in cost.stages else OTHER
        together += count * each
        ways[experiment] += each if experiment else 0.0
    return max(together / max(cores, 1), *ways.values(), 0.0)


def expected_time(jobs: Iterable[Kind], cores: int, times: Path) -> str:
    """The sentence that a long run begins with; "" of a short one. The pace of this machine is measured for it."""
    expected = seconds(jobs, cores, known(times))
    if expected <= LONG:
        return ""
    pace, before, how = environment_check.pace(cores)
    return f"The jobs are expected to take {environment_check.between(expected * pace + before / cores)}: {how}."
