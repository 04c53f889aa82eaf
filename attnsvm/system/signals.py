"""How a command ends that something outside ends: it unwinds, as at Ctrl-C, so that nothing of it is left behind."""

import errno
import io
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TextIO

from attnsvm.system.errors import UserError

CLOSED = 128 + 13  # the exit status of what a closed pipe has ended, SIGPIPE
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")  # by name: a system may lack one


def status(run: Callable[[], int]) -> int:
    """The exit status of a command: what `run` returns, or 128 + n where signal n, or a closed pipe (13), has ended it.

    What ended it is said on stderr.
    """
    _prepare_streams()
    try:
        with unwinding(), _said():
            return run()
    except BrokenPipeError:  # what reads our lines, as `head`, has enough
        _silence(sys.stdout, sys.stderr)
        return CLOSED
    except UserError as error:
        found, last = 1, f"error: {error}"
    except Ended as ended:
        found, last = ended.status, str(ended)
    with suppress(OSError):  # of a terminal that is gone
        print(last, file=sys.stderr)
    return found


def _prepare_streams() -> None:
    """What is printed raises nothing: there is a place for it, and every letter has a form there.

    Where a standard stream is closed, the next file that is opened would take its number, and what is printed.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        with suppress(OSError):
            try:
                os.fstat(number)
            except OSError:
                os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free
        if number and getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 (to the end of this process)
        if number and isinstance(stream := getattr(sys, name), io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


class Ended(BaseException):
    """A signal has come. `status` is the exit status that says which, as shells have it."""

    def __init__(self, number: int):
        super().__init__(number)
        self.status = 128 + number
        self.name = signal.Signals(number).name

    def __str__(self) -> str:
        return "interrupted" if self.name == "SIGINT" else f"ended by {self.name}"


@contextmanager
def unwinding() -> Iterator[None]:
    """Inside, the first signal that is to end this process raises `Ended`; others do not disturb the tidying up."""
    if threading.current_thread() is not threading.main_thread():  # where no handler can be set
        yield
        return
    numbers = [getattr(signal, name) for name in SIGNALS if hasattr(signal, name)]
    before = {number: signal.getsignal(number) for number in numbers}
    # nohup has one ignored; where a program has handlers of its own, it uses them.
    ours = [one for one in numbers if before[one] in (signal.SIG_DFL, signal.default_int_handler)]

    def end(number: int, frame: object) -> None:
        for one in ours:
            signal.signal(one, signal.SIG_IGN)
        raise Ended(number)

    try:
        for one in ours:
            signal.signal(one, end)
        yield
    finally:
        for one in ours:
            signal.signal(one, before[one])


@contextmanager
def _said() -> Iterator[None]:
    """What is printed inside has left this process when the block ends: later nobody could tell of a failure.

    Raises:
        BrokenPipeError: what reads our lines has enough.
        UserError: they cannot be written, as onto a full disk.
    """
    try:
        yield
    except SystemExit:  # after --help
        _flush()
        raise
    except OSError as error:
        _require_room(error)
        raise
    _flush()


def _flush() -> None:
    try:
        if sys.stdout:
            sys.stdout.flush()
    except OSError as error:
        _require_room(error)
        raise


def _require_room(error: OSError) -> None:
    if error.filename is None and error.errno in FULL:
        _silence(sys.stdout)
        raise UserError(f"standard output: cannot be written ({error.strerror})") from error


def _silence(*streams: TextIO | None) -> None:
    """Nothing is said any more: where what was printed cannot go, Python would complain at its own end."""
    with suppress(OSError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        for stream in streams:
            with suppress(AttributeError, OSError, ValueError):  # a stream may be closed, or no file
                os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
