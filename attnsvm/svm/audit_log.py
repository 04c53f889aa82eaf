"""The answers that the checker judges in this process: how many, by status; and, where a stage asks, the answers.

Inside `recording` every claim is kept as it was judged. Inside `replaying` such records stand in the place of the
claims that methods make: the same code then judges the same answers again, and solves nothing.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

    from attnsvm.svm.solution import Solution

judged: Counter[str] = Counter()  # {status: answers}; grows only: a caller compares before and after


@dataclass(frozen=True)
class Record:
    """One answer.

    Attributes:
        claimed: what the method said, "uncertified" if it was not asked; status: what the checker proved.
        method: the name of the method.
        dual: (m,) multipliers.
        matrices: W, or its two factors; none where the claim has no W.
    """

    claimed: str
    status: str
    method: str
    dual: "np.ndarray"
    matrices: "tuple[np.ndarray, ...]"


class DiffersError(ValueError):
    """A record is not what the code that replays it asks for, or not what the checker says of it."""


class _Replay:
    def __init__(self, records: Iterable[Record], watch: Callable):
        self.records, self.watch = list(records), watch
        self.taken, self.judged = 0, 0  # how many records: in the place of claims, and of them with an answer

    def next(self) -> Record:
        if self.taken == len(self.records):
            raise DiffersError(f"answer {self.taken} is asked for, and there is no record of it")
        self.taken += 1
        return self.records[self.taken - 1]


_kept: list[Record] | None = None
_replay: _Replay | None = None


@contextmanager
def recording() -> Iterator[list[Record]]:
    """The records of the answers that are judged inside the block, in their order."""
    global _kept
    before, _kept = _kept, []
    try:
        yield _kept
    finally:
        _kept = before


@contextmanager
def replaying(records: Iterable[Record], watch: Callable = lambda *_: None) -> Iterator[None]:
    """Judge these records, in their order, in the place of the claims that are made inside the block.

    Args:
        watch: told of every answer: (constraints, name of the norm, tolerance, answer).

    Raises:
        DiffersError: there are more records than claims, or fewer, or another status follows from one.
    """
    global _replay
    before, _replay = _replay, _Replay(records, watch)
    try:
        yield
        if left := len(_replay.records) - _replay.taken:
            raise DiffersError(f"{left} records are left that nothing asks for")
    finally:
        _replay = before


def replays() -> bool:
    """Whether records stand in the place of claims."""
    return _replay is not None


def next_record(m: int, shape: tuple[int, int]) -> Record:
    """The record that stands in the place of the next claim, on m constraints of W (d, e); only inside `replaying`.

    Raises:
        DiffersError: there is none, or it is of another problem.
    """
    assert _replay is not None
    record = _replay.next()
    shapes = [part.shape for part in record.matrices]
    held = [shape] if len(shapes) == 1 else [(size, part[1]) for size, part in zip(shape, shapes, strict=False)]
    if len(record.dual) != m or shapes != held:
        place = _replay.taken - 1
        raise DiffersError(f"answer {place} is not of the problem with {m} constraints on W of shape {shape}")
    return record


def enter(problem: tuple, claim: "Solution", answer: "Solution", matrices: "tuple[np.ndarray, ...]") -> None:
    """Count an answer, and keep it where records are kept.

    Args:
        problem: (constraints, name of the norm, tolerance); claim, answer: before and after the checker.
        matrices: see `Record`.

    Raises:
        DiffersError: in a replay, the record has another status.
    """
    status = answer.status.value
    judged[status] += 1
    if _replay is not None and _replay.judged < _replay.taken:
        place, _replay.judged = _replay.judged, _replay.judged + 1
        was = _replay.records[place].status
        if was != status:
            why = f": {answer.rejected}" if answer.rejected else ""
            raise DiffersError(f"answer {place} was kept as {was}, and is {status}{why}")
        _replay.watch(*problem, answer)
    if _kept is not None:
        _kept.append(Record(claim.status.value, status, claim.method, claim.dual, matrices))
