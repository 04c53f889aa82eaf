"""How many processors this process can use: the least of what the machine, its affinity and its container leave."""

import os
from pathlib import Path

from attnsvm import groups

PROC = groups.PROC


def count() -> int:
    """Processors that can be used at once, at least one; a share of one that a container gives is rounded down."""
    try:
        here = len(os.sched_getaffinity(0))
    except (AttributeError, OSError):  # not on every system
        here = os.cpu_count() or 1
    shares = [_share(*group) for group in groups.folders("cpu", PROC)]
    return max(1, int(min([here, *shares])))


def _share(kind: str, folder: Path) -> float:
    """How many processors' time a group may use; infinite where it has no limit."""
    try:
        if kind == "cgroup2":
            quota, period = (folder / "cpu.max").read_text().split()
        else:
            quota, period = ((folder / f"cpu.cfs_{name}_us").read_text() for name in ("quota", "period"))
        return int(quota) / int(period) if int(quota) > 0 else float("inf")
    except (OSError, ValueError, ZeroDivisionError):  # "max" is no number
        return float("inf")
