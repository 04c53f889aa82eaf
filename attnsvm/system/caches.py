"""Folders that keep what is computed once: those that can be written to, and those that nobody else can."""

import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path


def writable(folder: Path, size: int = 0) -> bool:
    """Whether a file of `size` bytes can be made in a folder, which is made where it is not there yet."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(bytes(size))
        return True
    except OSError:
        return False


def of_the_user() -> Path | None:
    """$XDG_CACHE_HOME, or ~/.cache; None for a user without a home. It need not be there, nor be writable."""
    with suppress(RuntimeError):  # no HOME, and no entry in the list of users
        folder = Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser())
        return folder if folder.is_absolute() else None
    return None


def private() -> Path | None:
    """A folder in the temporary one that nobody else can write to, the same in every process of this user.

    None where there is no such folder: nothing can be written there, or the name is somebody else's.
    """
    user = os.getuid() if hasattr(os, "getuid") else None
    try:
        temporary = tempfile.gettempdir()
        if temporary == os.getcwd() and temporary not in (os.environ.get("TMPDIR"), "/tmp", "/var/tmp"):
            return None  # Python's last resort: the folder where the user works
        folder = Path(temporary) / f"attnsvm-caches-{'user' if user is None else user}"
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
    except OSError:
        return None
    ours = user is None or (found.st_uid == user and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH))
    return folder if stat.S_ISDIR(found.st_mode) and ours else None
