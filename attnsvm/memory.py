"""How much memory this process can still get: the least of what the machine, its container and its shell leave."""

import os
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from attnsvm import groups

PROC = groups.PROC


class Group(NamedTuple):
    """A control group of Linux, as containers and batch systems make them, and the names of its files.

    Attributes:
        folder: where its files are.
        limit, usage: files of one number of bytes; a limit that is no number is none.
        cached: lines of memory.stat: files in memory, which the kernel gives back before it ends a process.
    """

    folder: Path
    limit: str
    usage: str
    cached: tuple[str, ...]

    def left(self) -> float:
        """Bytes until its limit; infinite where it has none."""
        try:
            limit = int((self.folder / self.limit).read_text())
            if limit >= 2**62:  # version 1 says "none" by a number
                return float("inf")
            used = int((self.folder / self.usage).read_text())
            lines = dict(line.split() for line in (self.folder / "memory.stat").read_text().splitlines())
            return float(max(0, limit - used + sum(int(lines.get(name, 0)) for name in self.cached)))
        except (OSError, ValueError):
            return float("inf")


VERSIONS = {  # by the type of the file system that shows them
    "cgroup": ("memory.limit_in_bytes", "memory.usage_in_bytes", ("total_inactive_file", "total_active_file")),
    "cgroup2": ("memory.max", "memory.current", ("inactive_file", "active_file")),
}


def available() -> float:
    """How many bytes a process can still get; infinite where the system does not say."""
    left = (group.left() for group in _groups(PROC))
    return min(chain(_machine(), left, _shell()), default=float("inf"))


def _machine() -> Iterator[float]:
    try:
        with open(PROC / "meminfo") as lines:
            yield next(1024.0 * int(line.split()[1]) for line in lines if line.startswith("MemAvailable"))
    except (OSError, StopIteration):
        with suppress(AttributeError, OSError, ValueError):
            yield float(os.sysconf("SC_PHYS_PAGES")) * os.sysconf("SC_PAGE_SIZE")


def _shell() -> Iterator[float]:
    """What `ulimit` leaves."""
    try:
        import resource
    except ImportError:
        return
    kinds = ((resource.RLIMIT_AS, "VmSize"), (resource.RLIMIT_DATA, "VmData"))
    limits = {used: limit for kind, used in kinds if (limit := resource.getrlimit(kind)[0]) != resource.RLIM_INFINITY}
    with suppress(OSError, ValueError):
        lines = (PROC / "self/status").read_text().splitlines() if limits else ()
        status = dict(line.split(":", 1) for line in lines)
        for used in limits.keys() & status.keys():
            yield max(0.0, limits[used] - 1024.0 * int(status[used].split()[0]))


@cache
def _groups(proc: Path) -> tuple[Group, ...]:
    """The groups that this process is in, each with those above it, whose limits hold too."""
    found = (Group(folder, *VERSIONS[kind]) for kind, folder in groups.folders("memory", proc))
    return tuple(group for group in found if (group.folder / group.limit).exists())
