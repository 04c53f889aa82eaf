"""Progress of long work: a bar where a person watches a terminal, a line every few seconds in the log."""

import logging
import sys
import time

LINE_EVERY = 5.0  # seconds

log = logging.getLogger("attnsvm")


class Progress:
    """Call it with the number of items finished since the last call."""

    def __init__(self, total: int, what: str):
        from tqdm import tqdm

        self.total, self.what, self.done = total, what, 0
        self.start = self.last = time.monotonic()
        self.bar = tqdm(total=total, desc=what, unit="", disable=not sys.stderr.isatty(), leave=False, mininterval=0.5)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.bar.close()
        self._line()

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
