"""A command in a process of its own that a signal ends in its middle, at a moment that no load of the machine moves."""

import os
import signal
import sys
import tempfile
import time
from itertools import product
from typing import NamedTuple

import psutil

from attnsvm import command

SIGNALS = [signal.SIGTERM, signal.SIGHUP, signal.SIGINT]


class End(NamedTuple):
    """The status, negative for a signal; how many functions were called; what is left; what was said."""

    status: int
    calls: int
    processes: list
    files: list
    said: str


def run(folder, arguments, number=None, at=0, closed=False, work=None):
    """Run a command, forked from this process, in `work` or a new folder; signal `number` comes at its call `at`.

    closed: nobody reads what it prints.
    """
    work, temporary = work or folder / "work", folder / "temporary"
    work.mkdir(parents=True, exist_ok=True)
    temporary.mkdir(parents=True)
    process = os.fork()
    if not process:
        _become(folder, work, arguments, number, at, closed)
    status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    files = [*temporary.rglob("*"), *work.glob(".*.tmp"), *work.glob("*/.*.tmp")]
    calls = (folder / "calls").read_text() if (folder / "calls").exists() else "0"
    said = (folder / "said").read_text("utf-8")
    return End(status, int(calls), left(str(temporary)), [str(path) for path in files], said)


def _become(folder, work, arguments, number, at, closed):
    status, calls, here = 99, 0, os.getpid()
    try:
        os.chdir(work)
        os.environ["TMPDIR"] = tempfile.tempdir = str(folder / "temporary")
        for one in SIGNALS:
            signal.signal(one, signal.default_int_handler if one == signal.SIGINT else signal.SIG_DFL)
        said = os.open(folder / "said", os.O_WRONLY | os.O_CREAT)
        os.dup2(said, 2)
        if closed:
            reader, said = os.pipe()
            os.close(reader)
        os.dup2(said, 1)
        sys.stdout, sys.stderr = (os.fdopen(one, "w", encoding="utf-8") for one in (1, 2))

        def count(*_):
            nonlocal calls
            calls += 1
            if calls == at and number is not None:
                os.kill(here, number)

        sys.setprofile(count)
        status = command.main(arguments)
        sys.setprofile(None)
        (folder / "calls").write_text(str(calls))
        sys.stdout.flush()
    finally:
        os._exit(status)


def left(temporary):
    """The processes with this folder for temporary files, after the seconds that a system takes to end one."""
    until = time.monotonic() + 5
    while (found := [*_with(temporary)]) and time.monotonic() < until:
        time.sleep(0.05)
    for process in found:
        process.kill()
    return found


def _with(temporary):
    for process in psutil.process_iter():
        try:
            if process.environ().get("TMPDIR") == temporary and process.status() != psutil.STATUS_ZOMBIE:
                yield process
        except psutil.Error:
            continue


def tried(folder, arguments, shares=(0.02, 0.5, 0.95)):
    """End a command by each signal, after each of these shares of its calls; every end has to be clean."""
    whole = run(folder / "whole", arguments)
    clean(whole, 0)
    for number, share in product(SIGNALS, shares):
        name, calls = f"{number.name}-{share}-", whole.calls
        while not (end := run(folder / f"{name}{calls}", arguments, number, int(calls * share) + 1)).status and calls:
            calls = min(end.calls, calls * 4 // 5)  # it ended before: workers were waited for in fewer calls
        clean(end, 128 + number)


def clean(end, status):
    """Nothing is left, and the status says what has ended it."""
    assert end.processes == []
    assert end.files == []
    assert end.status in (status, 128 - status), end  # Python's own word for a signal that comes before the command
    assert "Traceback" not in end.said
