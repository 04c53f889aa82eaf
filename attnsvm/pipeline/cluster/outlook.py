"""For the person who waits: how long a run will take, said before it begins, and then how far it is.

A job is expected to take the processor time of its stage in profiles/times.json, shared by the blocks of this run,
times the pace of this machine as measured at the start. Then everything is scaled by how this run has gone so far, so
that a smaller scale, or a machine that others use too, is known after the first jobs.
"""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from attnsvm.errors import UserError
from attnsvm.pipeline.cluster.costs import Cost, costs

OTHER = 1.5  # seconds of a job without a measured time: a figure, the audit, a page
START = 0.5  # seconds at least of every other: its imports
LONG = 60.0  # expected seconds from which on a run says how long it takes before it begins
TRUSTED = 20.0  # expected seconds of finished jobs from which on this run says more than the file
Kind = tuple[str, str]  # rule and experiment; "" without one


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
        try:
            self.measured: dict[str, Cost] = costs(times)
        except (UserError, OSError):
            self.measured = {}

    def expected(self, kind: Kind) -> float:
        """Seconds of one job, before anything is known of this run."""
        rule, experiment = kind
        stage = "measures" if rule == "measures_of_block" else rule
        cost = self.measured.get(experiment)
        if cost is None or stage not in cost.stages:
            return OTHER
        return max(cost.work[stage] / max(self.counts[kind], 1), START)

    def whole(self) -> float:
        """Seconds of the whole run. While its longest job ends, the other cores have less and less to do."""
        each = {kind: self.expected(kind) for kind in self.counts}
        together = sum(count * each[kind] for kind, count in self.counts.items())
        alone = max(each.values(), default=0.0) * (1 - 1 / self.cores)
        return (together / self.cores + alone) * self.pace + self.before / self.cores

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
