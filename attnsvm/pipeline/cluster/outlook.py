"""For the person who waits: which jobs begin first, how long a run will take, said before it begins, and how far it is.

A job is expected to take the processor time of its stage in profiles/times.json, shared by the blocks of this run,
times the pace of this machine as measured at the start. Then everything is scaled by how this run has gone so far, so
that a smaller scale, or a machine that others use too, is known after the first jobs.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path

from attnsvm.errors import UserError
from attnsvm.pipeline.cards import STAGES
from attnsvm.pipeline.cluster.costs import BLOCK_STAGES, Cost, costs

OTHER = 1.5  # seconds of a job without a measured time: a figure, the audit, a page
START = 0.8  # seconds of every other before and after what is measured of it
LONG = 60.0  # expected seconds from which on a run says how long it takes before it begins
TRUSTED = 20.0  # expected seconds of finished jobs from which on this run says more than the file
FINISHING = 1e4  # priority of a job after the blocks: a figure, the audit, a page
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


class Outlook:
    """How long a run will take.

    Args:
        jobs: the kinds of all its jobs.
        cores: that work side by side.
        times: a file as profiles/times.json.

    Attributes:
        pace: how many times more seconds this machine takes.
        before: seconds of processor time before anything, to compile loops.
    """

    def __init__(self, jobs: Iterable[Kind], cores: int, times: Path):
        self.counts, self.cores = Counter(jobs), max(cores, 1)
        self.pace, self.before = 1.0, 0.0
        self.measured = known(times)

    def expected(self, kind: Kind) -> float:
        """Seconds of one job, before anything is known of this run."""
        rule, experiment = kind
        stage = "measures" if rule == "measures_of_block" else rule
        cost = self.measured.get(experiment)
        if cost is None or stage not in cost.stages:
            return OTHER
        return cost.work[stage] / max(self.counts[kind], 1) + START

    def whole(self) -> float:
        """Seconds of the whole run: what all cores share, and no less than the longest way, see `priority`."""
        each = {kind: self.expected(kind) for kind in self.counts}
        together = sum(count * each[kind] for kind, count in self.counts.items())
        ways: dict[str, float] = defaultdict(float)
        for (_, experiment), seconds in each.items():
            ways[experiment] += seconds if experiment else 0.0
        return max(together / self.cores, *ways.values(), 0.0) * self.pace + self.before / self.cores

    def left(self, done: Iterable[Kind], elapsed: float) -> float:
        """Seconds to the end, `elapsed` seconds after the start.

        Args:
            done: the kinds of the jobs that have ended.
        """
        ended = Counter(done)
        behind = sum(count * self.expected(kind) for kind, count in ended.items())
        ahead = sum(max(count - ended[kind], 0) * self.expected(kind) for kind, count in self.counts.items())
        # As if the first TRUSTED seconds had gone as expected.
        pace = (elapsed * self.cores + TRUSTED * self.pace) / (behind + TRUSTED)
        return ahead * pace / self.cores


def line(done: int, total: int, running: int, failed: int, left: float) -> str:
    """The line; `left` in seconds."""
    so_far = f"{done} of {total} jobs done, {running} running, {failed} failed"
    if done >= total:
        return so_far
    if left < 90:
        rest = f"about {max(round(left / 10), 1) * 10} s left"
    elif left < 5400:
        rest = f"about {round(left / 60)} min left"
    else:
        rest = f"about {left / 3600:.1f} h left"
    return f"{so_far}; {rest}"
