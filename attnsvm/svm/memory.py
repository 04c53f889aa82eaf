"""How much memory a solve will need, asked before it starts: a sentence at once instead of a kill later."""

from attnsvm.memory import available as available
from attnsvm.svm.methods import choice, lagrangian

NUMBER = 8  # bytes
PER_CONSTRAINT = 25 * NUMBER  # arrays with one number per constraint that live at the same time
GB = 1e9


def needed(name: str, size: int, shape: tuple[int, int]) -> float:
    """About how many bytes the method called `name` takes at its peak, for `size` constraints on W (p, q)."""
    entries = shape[0] * shape[1]
    if name == choice.ACTIVE_SET:
        return NUMBER * 4 * size * entries
    if name == choice.LAGRANGIAN:
        return PER_CONSTRAINT * size + NUMBER * 2 * min(size, entries, lagrangian.OPTIONS.largest_system) ** 2
    working = min(size, entries) if name.endswith(choice.WORKING_SET) else size
    if name.startswith(choice.INTERIOR):
        return PER_CONSTRAINT * size + NUMBER * 2 * working**2
    return PER_CONSTRAINT * size + NUMBER * 8 * working * entries


def require(name: str, size: int, shape: tuple[int, int]) -> None:
    """Raise MemoryError with one sentence if the method needs more than there is."""
    need, free = needed(name, size, shape), available()
    if need > free:
        raise MemoryError(
            f"{size} constraints on a {shape[0]} x {shape[1]} matrix, method {name}, need about {need / GB:.1f} GB, "
            f"{free / GB:.1f} GB are free: take fewer inputs, or project tokens and queries to fewer dimensions"
        )
