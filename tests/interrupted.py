"""An act that is ended, by a kill or an error, at any change of the disk: as Python tells of each before it is done."""

import os
import signal
import sys

from attnsvm.errors import UserError

CHANGES = {"os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.utime", "os.link", "os.symlink", "os.truncate"}
ENDS = {0: "done", 1: "refused", 2: "endured"}


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
        writes = event == "open" and isinstance(arguments[2], int) and arguments[2] & (os.O_WRONLY | os.O_RDWR)
        if writes or event in CHANGES:
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
