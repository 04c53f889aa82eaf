"""What every workflow script does around its one call: a log file, and one sentence for an error a user can cause."""

import logging
import os
import sys
from contextlib import contextmanager
from pathlib import Path

from attnsvm import ending
from attnsvm.errors import UserError
from attnsvm.pipeline import mistakes

INSTALL = "activate the environment that make install fills, or add --sdm conda (docs/install.md)"
REMEDY = "take smaller n, T and d, fewer instances, or more blocks (--set-scatter)"

# Whatever a notebook or a debugger asks of them: figures are drawn into files, loops call one another by address.
SETTLED = {"MPLBACKEND": "agg", "NUMBA_DISABLE_JIT": "0"}


def package_in(folder: Path) -> None:
    """In the processes that this one starts, this package is the one in `folder`."""
    before = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]
    if str(folder) not in before[:1]:
        os.environ["PYTHONPATH"] = os.pathsep.join([str(folder), *before])


@contextmanager
def reporting(log_path: str):
    """Log to `log_path`; a `UserError` ends the script with its sentence in the log and on the terminal, status 1.

    A signal ends it as it ends a command.
    """
    os.environ |= SETTLED
    logging.raiseExceptions = False  # on a full disk the log ends early; what stopped the stage is said on the terminal
    try:
        logging.basicConfig(filename=log_path, filemode="w", level=logging.INFO, format="%(asctime)s %(message)s")
    except OSError as error:
        sys.exit(f"error: {log_path}: cannot be written ({error.strerror}); free space or make the folder writable")
    try:
        with ending.unwinding():
            yield
    except ending.Ended as ended:  # Ctrl-C reaches every job: each ends without a word
        sys.exit(ended.status)
    except UserError as error:
        logging.getLogger("attnsvm").error("error: %s", error)
        sys.exit(f"error: {error}")
    except Exception as error:
        if _out_of_memory(error):
            sentence = f"the memory of this machine does not hold this stage: {REMEDY}"
            logging.getLogger("attnsvm").error("error: %s (%s)", sentence, error)
            sys.exit(f"error: {sentence}")
        if own := mistakes.place(error):
            sentence = mistakes.sentence(error, own)
        elif lacking := _lacking(error):
            sentence = f"{sys.executable} has no package {lacking!r}: {INSTALL}"
        elif _is_misread(error):
            sentence = f"{error}; mend this claim, or the table"
        else:
            logging.getLogger("attnsvm").exception("unexpected error")
            raise
        logging.getLogger("attnsvm").exception("error: %s", sentence)
        sys.exit(f"error: {sentence}")


def _is_misread(error: Exception) -> bool:
    from attnsvm.audit.reading import Misread  # only here: no other script needs the audit

    return isinstance(error, Misread)


def _lacking(error: Exception) -> str:
    """The package of others that the environment lacks; "" where the error is another."""
    name = (error.name or "").partition(".")[0] if isinstance(error, ModuleNotFoundError) else ""
    return name if name != "attnsvm" else ""


def _out_of_memory(error: Exception) -> bool:
    """numpy says it with a class, torch with words."""
    return isinstance(error, MemoryError) or (
        isinstance(error, RuntimeError) and ("allocate memory" in str(error) or "not enough memory" in str(error))
    )
