"""The answers of a stage in its block file, from which `attnsvm verify` judges all of them again (reverification.py).

They lie in a cell that no stage reads: the task of the stage, and for every other cell the records of `audit log` in
their order. Multipliers are sparse. A matrix that is also among the arrays of the cell, as a W, is not kept twice.
"""

import json
from collections.abc import Iterator

import numpy as np

from attnsvm.svm.audit_log import Record
from attnsvm.svm.verdict import STATUSES
from attnsvm.system.errors import UserError
from attnsvm.system.store import HIDDEN, Cells, load_cells

NAME = f"{HIDDEN}answers"
TASK = f"{HIDDEN}asked"  # in the place of a cell: the experiment, the stage and its settings


def task(name: str, stage: str, settings: dict) -> dict[str, np.ndarray]:
    """The task of a stage, in one array."""
    return {"json": np.array(json.dumps({"name": name, "stage": stage, "settings": settings}))}


def packed(records: list[Record], tree: dict) -> dict[str, np.ndarray]:
    """The records of a cell as arrays.

    Args:
        tree: the arrays of the cell, see `unpacked`.

    Returns:
        "claimed", "status", "method": (S,) uint8, numbers of STATUSES, of these too, and of "methods".
        "size", "support": (S,) how many multipliers, and how many of them are not zero.
        "index", "dual": those of all answers, one after another.
        "parts": (S,) uint8, how many matrices an answer has; "place": where each is in the pool: first the matrices
        of the cell, then those in "matrices", whose shapes are in "shapes" (K, 2).
    """
    pool: dict[tuple[tuple[int, ...], bytes], int] = {}
    own = 0
    for matrix in _own(tree):
        pool.setdefault(_key(matrix), own)
        own += 1
    places: list = []
    shapes: list = []
    further: list = []
    for record in records:
        for matrix in record.matrices:
            key = _key(matrix)
            if key not in pool:
                pool[key] = own + len(shapes)
                shapes.append(matrix.shape)
                further.append(np.ravel(matrix))
            places.append(pool[key])
    methods = sorted({record.method for record in records})
    supports = [np.flatnonzero(_bits(record.dual)) for record in records]
    sizes = np.array([len(record.dual) for record in records], dtype=np.uint32)
    return {
        "claimed": np.array([STATUSES.index(record.claimed) for record in records], dtype=np.uint8),
        "status": np.array([STATUSES.index(record.status) for record in records], dtype=np.uint8),
        "method": np.array([methods.index(record.method) for record in records], dtype=np.uint8),
        "methods": np.array(methods),
        "size": _small(sizes),
        "support": _small(np.array([len(support) for support in supports])),
        "index": _small(_joined(supports, int)),
        "dual": _joined([record.dual[support] for record, support in zip(records, supports, strict=True)], float),
        "parts": np.array([len(record.matrices) for record in records], dtype=np.uint8),
        "place": _small(np.array(places)),
        "shapes": np.array(shapes, dtype=np.uint32).reshape(-1, 2),
        "matrices": _joined(further, float),
    }


def unpacked(arrays: dict[str, np.ndarray], tree: dict) -> list[Record]:
    """The records of a cell.

    Raises:
        ValueError, IndexError, TypeError: the arrays are not those of `packed`.
    """
    for name in ("dual", "matrices"):
        if arrays[name].dtype != float:
            raise ValueError(f"{name}: expected float64 numbers, got {arrays[name].dtype}")
    pool, begin = list(_own(tree)), 0
    for d, e in arrays["shapes"].tolist():
        pool.append(arrays["matrices"][begin : begin + d * e].reshape(d, e))
        begin += d * e
    records, methods = [], arrays["methods"].tolist()
    first, taken = 0, 0
    columns = (arrays[name].tolist() for name in ("claimed", "status", "method", "size", "support", "parts"))
    for claimed, status, method, size, support, parts in zip(*columns, strict=True):
        dual, own = np.zeros(size), slice(first, first + support)
        dual[arrays["index"][own]] = arrays["dual"][own]
        matrices = tuple(pool[place] for place in arrays["place"][taken : taken + parts].tolist())
        records.append(Record(STATUSES[claimed], STATUSES[status], methods[method], dual, matrices))
        first, taken = first + support, taken + parts
    return records


def load(path: str) -> tuple[dict, dict[str, dict[str, np.ndarray]]]:
    """What a block file keeps: its task, and the arrays of `packed` by cell; both empty where it keeps nothing.

    Raises:
        UserError: the file is damaged.
    """
    hidden: Cells = load_cells(path, hidden=True)
    if NAME not in hidden:
        return {}, {}
    kept = hidden[NAME]
    try:
        return json.loads(str(kept.pop(TASK)["json"])), kept
    except (ValueError, KeyError) as error:
        raise UserError(f"{path}: the task of the stage is not kept; delete it and run snakemake again") from error


def _own(tree: dict) -> Iterator[np.ndarray]:
    """The matrices of the arrays called W, by the order of their places in the cell."""
    for name in sorted(tree):
        value = tree[name]
        if isinstance(value, dict):
            yield from _own(value)
        elif name == "W" and value.ndim >= 2 and value.dtype == float:
            yield from value.reshape(-1, *value.shape[-2:])


def _key(matrix: np.ndarray) -> tuple[tuple[int, ...], bytes]:
    return matrix.shape, matrix.tobytes()


def _bits(values: np.ndarray) -> np.ndarray:
    """Whether each number is another one than a zero without a sign."""
    return np.ascontiguousarray(values, dtype=float).view(np.int64)


def _small(numbers: np.ndarray) -> np.ndarray:
    return numbers.astype(np.min_scalar_type(int(numbers.max(initial=0))))


def _joined(parts: list[np.ndarray], dtype) -> np.ndarray:
    return np.concatenate([np.zeros(0, dtype), *parts])
