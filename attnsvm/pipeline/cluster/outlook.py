"""One line for the person who waits: jobs done, running and failed, and how long the rest will take.

A job is expected to take what its stage took in profiles/times.json, shared by the blocks of this run; then everything
is scaled by how this run has gone so far, so that a slow machine or a smaller scale is known after the first jobs.
"""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from attnsvm.errors import UserError
from attnsvm.pipeline.cluster.costs import Cost, costs

OTHER = 3.0  # seconds of a job without a measured time: a figure, the audit, a page
TRUSTED = 20.0  # expected seconds of finished jobs from which on this run says more than the file
Kind = tuple[str, str]  # rule and experiment; "" without one


class Outlook:
    """How long a run will take.

    Args:
        jobs: the kinds of all its jobs.
        cores: that work side by side.
        times: a file as profiles/times.json.
    """

    def __init__(self, jobs: Iterable[Kind], cores: int, times: Path):
        self.counts, self.cores = Counter(jobs), max(cores, 1)
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
        return cost.stages[stage][0] / max(self.counts[kind], 1)

    def left(self, done: Iterable[Kind], elapsed: float) -> float:
        """Seconds to the end, `elapsed` seconds after the start.

        Args:
            done: the kinds of the jobs that have ended.
        """
        ended = Counter(done)
        behind = sum(count * self.expected(kind) for kind, count in ended.items())
        ahead = sum(max(count - ended[kind], 0) * self.expected(kind) for kind, count in self.counts.items())
        # The first TRUSTED seconds count as if they had gone as expected.
        pace = (elapsed * self.cores + TRUSTED) / (behind + TRUSTED)
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
