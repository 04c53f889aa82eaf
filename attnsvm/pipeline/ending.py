"""The last line of a run: what it has written, or that it was interrupted, or that the folder is locked.

Snakemake tells of an interruption as of an error in every job that ran: `Ending`, through which Python's logging passes
what it says, makes one sentence of it.
"""

import logging
import re
import threading
from collections.abc import Iterable
from os.path import splitext

LOGGER = "snakemake.logging"  # under this name Snakemake says everything
STOPS = ("Terminating processes on user request", "Will exit after finishing")
ENDED = re.compile(r"exit status (130|143)\.$", re.MULTILINE)  # of a job that SIGINT or SIGTERM has ended
FAILED, LOCKED = "At least one job did not complete", "Directory cannot be locked"
INTERRUPTED = "interrupted; the same command goes on"
UNLOCK = "error: another run goes on in this folder, or was killed; if none goes on, type: snakemake --unlock"
OPENED = (".html", ".png", ".pdf", ".csv")  # kinds of files that people open
NAMED = 3  # figures and pages in a sentence


class Ending(logging.Filter):
    """Of what Snakemake says, errors are left out once the run is interrupted."""

    def __init__(self) -> None:
        super().__init__()
        self.interrupted = threading.Event()

    def filter(self, record: logging.LogRecord) -> bool:
        said = str(record.msg)
        if said.startswith(STOPS):
            self.interrupted.set()
        elif ENDED.search(said):
            self.interrupted.wait(1.0)  # the signal has come here, too, and the thread that says so is slower
        stopped = self.interrupted.is_set()
        if LOCKED in said or (FAILED in said and stopped):
            record.msg = UNLOCK if LOCKED in said else INTERRUPTED
            return True
        return record.levelno < logging.ERROR or not stopped


def written(files: Iterable[str]) -> str:
    """The sentence on files that a run has written, those first that people open; "" where there is none."""
    kinds: dict[str, list[str]] = {}
    for stem, kind in sorted(map(splitext, files)):
        kinds.setdefault(stem, []).append(kind)
    seen = [stem for stem in kinds if {*OPENED[:3], ""} & {*kinds[stem]}] or [*kinds]
    names = []
    for stem in sorted(seen, key=lambda stem: ".png" in kinds[stem])[:NAMED]:  # pages first
        first, *others = [kind for kind in OPENED if kind in kinds[stem]] or kinds[stem]
        names += [stem + first, *others]
    more = sum(map(len, kinds.values())) - len(names)
    return f"written: {', '.join(names)}{f' ({more} more)' if more else ''}" if names else ""
