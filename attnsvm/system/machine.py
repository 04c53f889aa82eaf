"""How much of this machine this process can use: the least of what machine, affinity, container and shell leave.

Containers and batch systems limit memory and processors by the control groups of Linux that a process is in.
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from itertools import chain
from pathlib import Path
from typing import NamedTuple

PROC = Path("/proc")  # what Linux says of processes


def memory() -> float:
    """Bytes that this process can still get; infinite where the system does not say."""
    left = (group.left() for group in _groups(PROC))
    return min(chain(_machine(), left, _shell()), default=float("inf"))


def processors() -> int:
    """Processors that can be used at once, at least one; a share of one that a container gives is rounded down."""
    try:
        here = len(os.sched_getaffinity(0))
    except (AttributeError, OSError):  # not on every system
        here = os.cpu_count() or 1
    shares = [_share(*group) for group in _folders("cpu", PROC)]
    return max(1, int(min([here, *shares])))


class Group(NamedTuple):
    """A control group, and the names of the files that say how much memory it has.

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
    found = (Group(folder, *VERSIONS[kind]) for kind, folder in _folders("memory", proc))
    return tuple(group for group in found if (group.folder / group.limit).exists())


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


def _folders(controller: str, proc: Path) -> Iterator[tuple[str, Path]]:
    """(type of the file system, folder) of each group of a controller, and of those above it, whose limits hold too.

    Args:
        controller: "memory" or "cpu".
        proc: see `PROC`.
    """
    try:
        own = [line.split(":", 2) for line in (proc / "self/cgroup").read_text().splitlines()]
        mounts = [line.split(" ") for line in (proc / "self/mountinfo").read_text().splitlines()]
    except OSError:
        return
    for mount in mounts:
        root, place, kind, options = mount[3], Path(mount[4]), mount[mount.index("-") + 1], mount[-1].split(",")
        for _, controllers, path in own:
            second = kind == "cgroup2" and not controllers
            first = kind == "cgroup" and controller in options and controller in controllers.split(",")
            if first or second:
                inside = os.path.relpath(path, root)  # a container may see its own group as the root
                folder = place if inside.startswith("..") else place / inside
                above = [folder, *folder.parents]
                yield from ((kind, one) for one in above[: above.index(place) + 1])
