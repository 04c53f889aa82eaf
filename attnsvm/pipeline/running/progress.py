"""Progress of long work: a bar where a person watches a terminal, a line every few seconds in the log.

Jobs run side by side, each its own process: every bar takes a line of its own, by a lock on a small file. ATTNSVM_QUIET
in the environment, which `snakemake --quiet` sets, leaves the bars out.
"""

import logging
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import IO

LINE_EVERY = 5.0  # seconds
LINES = 16  # bars shown at once

log = logging.getLogger("attnsvm")


def hide_bars() -> None:
    """No bars in this process and in those it starts."""
    os.environ["ATTNSVM_QUIET"] = "1"


class Progress:
    """Call it with the number of items finished since the last call."""

    def __init__(self, total: int, what: str):
        from tqdm import tqdm

        self.total, self.what, self.done = total, what, 0
        self.start = self.last = time.monotonic()
        hidden = not sys.stderr.isatty() or bool(os.environ.get("ATTNSVM_QUIET"))
        position, self.lock = (0, None) if hidden else _line_of_its_own()
        self.bar = tqdm(
            total=total, desc=what, unit="", disable=hidden, leave=False, mininterval=0.5, position=position
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.bar.close()
        if self.lock is not None:
            self.lock.close()
        self._line()

    def expect(self, total: int) -> None:
        """Change the number of items to come."""
        self.total = self.bar.total = total
        self.bar.refresh()

    def __call__(self, finished: int) -> None:
        self.done += finished
        self.bar.update(finished)
        if time.monotonic() - self.last >= LINE_EVERY:
            self._line()

    def _line(self):
        self.last = time.monotonic()
        rate = self.done / max(self.last - self.start, 1e-9)
        left = (self.total - self.done) / rate if rate > 0 else float("inf")
        log.info("%s: %d of %d, %.1f/s, %.0f s left", self.what, self.done, self.total, rate, left)


def _line_of_its_own() -> tuple[int, IO | None]:
    """The first line below the cursor on which no other job of this user shows a bar, and the lock that keeps it."""
    try:
        import fcntl
    except ImportError:  # no such locks on this system: bars share a line
        return 0, None
    folder = Path(tempfile.gettempdir()) / f"attnsvm-bars-{os.getuid()}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        for position in range(LINES):
            file = open(folder / str(position), "w")  # noqa: SIM115  held open until the bar closes
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return position, file
            except OSError:
                file.close()
    except OSError:
        pass
    return 0, None
