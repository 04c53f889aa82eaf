"""How many threads this process may compute with: a job is told once, loops over independent things ask here."""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor

_allowed = 1


def allow(threads: int) -> None:
    """From now on, loops of this process may use `threads` threads; without a call they use one."""
    global _allowed
    if threads < 1:
        raise ValueError(f"threads: expected a number from 1 on, got {threads}")
    _allowed = threads


def allowed() -> int:
    """How many threads loops may use."""
    return _allowed


def each(function: Callable, items: Iterable) -> list:
    """[function(item), ...] in the order of `items`, side by side where threads are allowed.

    A thread brings something only where `function` releases the interpreter's lock, as compiled loops and BLAS do.
    """
    if _allowed == 1:
        return [function(item) for item in items]
    with ThreadPoolExecutor(_allowed) as pool:
        return list(pool.map(function, items))
