"""An act that is ended, by a kill or an error, at any change of the disk: as Python tells of each before it is done."""

import os
import shutil
import signal
import sys

from attnsvm.system.errors import UserError

CHANGES = {"os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.utime", "os.link", "os.symlink", "os.truncate"}
ENDS = {0: "done", 1: "refused", 2: "endured"}


def changes(event, arguments):
    """Whether Python is about to change the disk."""
    writes = event == "open" and isinstance(arguments[2], int) and arguments[2] & (os.O_WRONLY | os.O_RDWR)
    return writes or event in CHANGES


def left_by_kills(act, folder, states):
    """What a kill at each change of the disk would leave of `folder`: its copies states/1, states/2, ... in order.

    That is what stands there before the change. One run makes all; `ended_at` kills in truth.
    """
    states.mkdir()
    sys.stdout.flush()
    if child := os.fork():
        assert os.waitpid(child, 0)[1] == 0
        return sorted(states.iterdir(), key=lambda path: int(path.name))
    number, copying, status = 0, False, 70

    def watch(event, arguments):
        nonlocal number, copying
        if not copying and changes(event, arguments):
            number, copying = number + 1, True
            shutil.copytree(folder, states / str(number), symlinks=True)
            copying = False

    try:
        sys.addaudithook(watch)
        act()
        copying, status = True, 0
    finally:
        os._exit(status)


def ended_at(number, how, act):
    """Run `act` in a process of its own in which the change of the disk with this number does not come.

    Args:
        how: SIGKILL, or an errno: then this change alone fails, as on a disk that has room when something is gone.

    Returns:
        "done": it has fewer changes; "killed"; "refused": a `UserError`; "endured": it did without this change.
    """
    sys.stdout.flush()
    child = os.fork()
    if child:
        _, status = os.waitpid(child, 0)
        return "killed" if os.WIFSIGNALED(status) else ENDS[os.waitstatus_to_exitcode(status)]
    left, status = [number], 70

    def watch(event, arguments):
        if changes(event, arguments):
            left[0] -= 1
            if left[0] == 0:
                if how == signal.SIGKILL:
                    os.kill(os.getpid(), how)
                raise OSError(how, os.strerror(how))

    try:
        sys.addaudithook(watch)
        act()
        status = 0 if left[0] > 0 else 2
    except UserError:
        status = 1
    finally:
        os._exit(status)
