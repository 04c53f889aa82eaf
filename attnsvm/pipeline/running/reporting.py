"""What a job reports: its progress, a log file, and one sentence for an error that a user can cause.

Progress is a bar where a person watches a terminal, and a line every few seconds in the log. ATTNSVM_QUIET in the
environment, which `snakemake --quiet` sets, leaves the bars out.
"""

import logging
import os
import sys
import time
from contextlib import contextmanager
from pathlib import Path

from attnsvm.pipeline import run_errors
from attnsvm.system import signals
from attnsvm.system.errors import Misread, UserError

REMEDY = "take smaller n, T and d, fewer instances, or more blocks (--set-scatter)"

LINE_EVERY = 5.0  # seconds

log = logging.getLogger("attnsvm")

# Whatever a notebook or a debugger asks of them: figures are drawn into files, loops call one another by address.
SETTLED = {"MPLBACKEND": "agg", "NUMBA_DISABLE_JIT": "0"}


def package_in(folder: Path) -> None:
    """In the processes that this one starts, this package is the one in `folder`.

    The run ends with one sentence where Snakemake would look for wildcards in the path of the folder.
    """
    if {"{", "}"} & {*str(folder)}:
        run_errors.end(f"{folder}: Snakemake takes braces in a path for wildcards: rename the folder")
    before = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]
    if str(folder) not in before[:1]:
        os.environ["PYTHONPATH"] = os.pathsep.join([str(folder), *before])


@contextmanager
def reporting(log_path: str):
    """Log to `log_path`; a `UserError` ends the script with its sentence in the log and on the terminal, status 1.

    A signal ends it as it ends a command. The last line of the log says what it took: provenance.py reads it.
    """
    began = time.perf_counter()
    os.environ |= SETTLED
    logging.raiseExceptions = False  # on a full disk the log ends early; what stopped the stage is said on the terminal
    try:
        Path(log_path).unlink(missing_ok=True)  # which may be another folder's too, by a hard link
        logging.basicConfig(filename=log_path, filemode="w", level=logging.INFO, format="%(asctime)s %(message)s")
    except OSError as error:
        sys.exit(f"error: {log_path}: cannot be written ({error.strerror}); free space or make the folder writable")
    try:
        with signals.unwinding():
            yield
        wall, processor = time.perf_counter() - began, sum(os.times()[:4])
        log.info("took %.2f s, %.2f s of a processor", wall, processor)
    except signals.Ended as ended:  # Ctrl-C reaches every job: each ends without a word
        sys.exit(ended.status)
    except UserError as error:
        log.error("error: %s", error)
        sys.exit(f"error: {error}")
    except Exception as error:
        if _out_of_memory(error):
            sentence = f"the memory of this machine does not hold this stage: {REMEDY}"
            log.error("error: %s (%s)", sentence, error)
            sys.exit(f"error: {sentence}")
        if own := run_errors.place_of_mistake(error):
            sentence = run_errors.mistake(error, own)
        elif isinstance(error, ModuleNotFoundError) and not str(error.name).startswith("attnsvm"):
            sentence = run_errors.mistake(error, sys.executable)
        elif isinstance(error, Misread):
            sentence = f"{error}; mend this claim, or the table"
        else:
            log.exception("unexpected error")
            raise
        log.exception("error: %s", sentence)
        sys.exit(f"error: {sentence}")


def _out_of_memory(error: Exception) -> bool:
    """numpy says it with a class, torch with words."""
    return isinstance(error, MemoryError) or (
        isinstance(error, RuntimeError) and ("allocate memory" in str(error) or "not enough memory" in str(error))
    )


def hide_bars() -> None:
    """No bars in this process and in those it starts."""
    os.environ["ATTNSVM_QUIET"] = "1"


class Progress:
    """Call it with the number of items finished since the last call."""

    def __init__(self, total: int, what: str):
        from tqdm import tqdm

        self.total, self.what, self.done = total, what, 0
        self.start = self.last = time.monotonic()
        hidden = sys.stderr is None or not sys.stderr.isatty() or bool(os.environ.get("ATTNSVM_QUIET"))
        self.bar = tqdm(total=total, desc=what, unit="", disable=hidden, leave=False, mininterval=0.5)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.bar.close()
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
