"""The control groups of Linux that this process is in: how containers and batch systems limit memory and processors."""

import os
from collections.abc import Iterator
from pathlib import Path

PROC = Path("/proc")


def folders(controller: str, proc: Path) -> Iterator[tuple[str, Path]]:
    """(type of the file system, folder) of each group of a controller, and of those above it, whose limits hold too.

    Args:
        controller: "memory" or "cpu".
        proc: what Linux says of processes, `PROC`.
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
