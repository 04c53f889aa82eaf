"""Where compiled code is kept for the next process: the one place that chooses, and that never fails.

Left alone, numba ends with an error where neither the package nor the user's home can be written to, as in a container
with a read-only package and a user without a home. Here the code goes, in this order, to NUMBA_CACHE_DIR, beside the
source, to the user's cache, to a private temporary folder, or nowhere: then every process compiles for itself. What is
kept has a hash of its sources in its name: numba itself looks at the date and the size of one of them.
"""

import hashlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from threading import RLock
from types import FunctionType
from typing import Any

import numba

from attnsvm.system import caches, loader

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


def sources(*files: Path) -> str:
    """The hash of source files, which are from now on those that this process loads; see `loader.fix`."""
    return hashlib.sha256(b"".join(map(loader.fix, files))).hexdigest()


def named(function: Callable, of: str, *names: str, **known: Any) -> FunctionType:
    """A copy of `function` whose compiled code has a separate file on disk, for these sources.

    Args:
        of: see `sources`.
        names: that the file's name begins with.
        known: what the function reads as a global of this name.
    """
    given: Any = function
    # A copy of the names would lack those that the module has not defined yet.
    names_known = given.__globals__ | known if known else given.__globals__
    own = FunctionType(given.__code__, names_known, given.__name__)
    own.__qualname__ = "_".join([*names, of[:12]])
    return own


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
