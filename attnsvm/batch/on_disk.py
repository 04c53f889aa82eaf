"""Where compiled code is kept for the next process: the one place that chooses, and that never fails.

Left alone, numba ends with an error where neither the package nor the user's home can be written to, as in a container
with a read-only package and a user without a home. Here the code goes, in this order, to NUMBA_CACHE_DIR, beside the
source, to the user's cache, to a private temporary folder, or nowhere: then every process compiles for itself.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from threading import RLock
from typing import Any

import numba

from attnsvm.system import caches

ROOM = 2**20  # bytes that must fit: more than the code of any function, so that a full disk is seen here
BESIDE = "__pycache__"
config: Any = numba.config  # which makes its names when it is loaded
_usable = cache(caches.writable)  # one look at a folder is enough for all functions
_choosing = RLock()  # numba reads the folder from a variable of its own


def kept(decorate: Callable, function: Callable, **options: Any) -> Any:
    """`decorate(cache=True, **options)(function)`, for `numba.njit` and its like; the code is kept where it can be."""
    with _choosing:
        before = config.CACHE_DIR
        try:
            for folder in _folders(Path(function.__code__.co_filename), before):
                config.CACHE_DIR = folder
                with suppress(RuntimeError, OSError):  # somebody else's folder in this one
                    return decorate(cache=True, **options)(function)
        finally:
            config.CACHE_DIR = before
    return decorate(**options)(function)


def _folders(source: Path, wanted: str) -> Iterator[str]:
    """The folders that can be written to, as numba takes them, the best first; "" is beside the source."""
    if wanted and _usable(Path(wanted), ROOM):
        yield wanted
    if _usable(source.parent / BESIDE, ROOM):
        yield ""
    for above in (caches.of_the_user, caches.private):
        folder = above()
        if folder is not None and _usable(folder / "numba", ROOM):
            yield str(folder / "numba")
