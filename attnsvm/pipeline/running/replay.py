"""`python -m attnsvm.pipeline.running.replay FOLDER [...]`: judge every answer of a build again; nothing is solved.

Each stage that judged answers runs again on the files it read, with the answers that its own file keeps in the place
of those that methods find (`svm.ledger`). The checker must say the same of each, and what the stage makes must be what
the file holds. A descent that solves is trained again.
"""

import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np

from attnsvm.errors import UserError, require, shown
from attnsvm.pipeline import answers, cards
from attnsvm.pipeline.running import records, stages
from attnsvm.store import Arrays, load_cells
from attnsvm.svm import ledger
from attnsvm.svm.statuses import STATUSES

STAGES = ("descent", "svm")
COUNTED = re.compile(r"; judged again from ([0-9]+) stage files, ([0-9]+) files failed$")  # the end of the last line
CLOSE = {"rtol": 1e-6, "atol": 1e-9}  # of numbers that follow from an answer: another processor rounds otherwise
PROVED = {  # of what is proved of an answer: ten times what another processor changes, at least
    "low": {"rtol": 1e-12, "atol": 0.0},
    "high": {"rtol": 1e-12, "atol": 0.0},
    "gap": {"rtol": 0.0, "atol": 1e-12},
    "rank_error": {"rtol": 0.05, "atol": 0.0},
}


class Seen(NamedTuple):
    """What was judged again.

    Attributes:
        counts: {status: answers}; rational: how many of them were decided in rationals.
        largest: the largest gap of a solved one; 0 where there is none.
    """

    counts: Counter
    rational: int
    largest: float


def main(folders: list[str]) -> int:
    """Judge what lies under the folders again; the status is 1 where anything differs, and each such file is named."""
    whole, judged, failed = Seen(Counter(), 0, 0.0), 0, 0
    for path in (found for folder in folders for found in files(folder)):
        try:
            seen = again(path)
        except Exception as error:  # whatever a broken file raises, the others are judged all the same
            known = isinstance(error, UserError | ValueError | IndexError | KeyError)
            what = str(error) if known else f"is not as it was written ({type(error).__name__}: {error})"
            said = what if str(path) in what else f"{path}: {what}"
            print(shown(f"{said}: its answers are not confirmed"), flush=True)
            failed += 1
            continue
        whole = Seen(whole.counts + seen.counts, whole.rational + seen.rational, max(whole.largest, seen.largest))
        if seen.counts:
            judged += 1
            print(shown(f"{path}: {_said(seen)}"), flush=True)
    if judged or failed:
        print(f"{_said(whole)}; judged again from {judged} stage files, {failed} files failed", flush=True)
    return 1 if failed else 0


def files(folder: str) -> list[Path]:
    """The block files of stages that may hold answers."""
    return sorted(path for stage in STAGES for path in Path(folder).rglob(f"{stage}.npz"))


def again(path: Path, watch: Callable = lambda *_: None) -> Seen:
    """Judge the answers of a block file again.

    Args:
        watch: see `ledger.replaying`.

    Raises:
        UserError, ValueError: a file is missing or damaged, a record is not that of an answer of this stage, the
            checker says another thing of one, or the stage makes other arrays of them.
    """
    held = load_cells(path)
    asked, kept = records.load(str(path))
    if path.stem != "svm" and not kept and not any(next(answers.batches(tree), None) for tree in held.values()):
        return Seen(Counter(), 0, 0.0)  # a descent that solves nothing keeps nothing
    require(bool(asked), f"{path}: its answers were not kept; delete it and run snakemake again")
    require(asked["stage"] == path.stem, f"{path}: was written by the stage {asked['stage']}")
    card = cards.read(asked["name"])
    module, settings = card.module(path.stem), asked["settings"]
    inputs = {stage: str(path.with_name(f"{stage}.npz")) for stage in card.stages[: card.stages.index(path.stem)]}
    drawn, trained = load_cells(inputs["problems"]), stages.of_stage(inputs, "descent")
    alone = held.keys() - drawn.keys()  # a cell of which the stage makes nothing is not in its file
    require(not alone, f"{path}: {', '.join(sorted(alone))}: there are no such problems")
    found: list[dict] = []
    for label, cell in drawn.items():
        mine = kept.get(label, {})
        with _named(f"{path}: {label}"):
            given = records.unpacked(mine, held[label]) if mine else []
            before = Counter(ledger.judged)
            with ledger.replaying(given, watch):
                if path.stem == "svm":
                    made = stages.svm_of(module, cell, trained[label], settings)
                else:
                    made = stages.descent_of(module, cell, settings, f"{card.name} {label}")
            _same(made, held.get(label, {}), "")
            said = Counter(word for _, batch in answers.batches(made) for word in np.ravel(batch["status"]).tolist())
            require(said == ledger.judged - before, "the file lacks answers that the checker judged")
        found += [batch for _, batch in answers.batches(made)]
    return _seen(found)


@contextmanager
def _named(place: str) -> Iterator[None]:
    """What is wrong inside is said with its place."""
    try:
        yield
    except (UserError, ValueError, IndexError, KeyError) as error:
        raise ValueError(f"{place}: {error}") from error


def _same(made: dict, held: Arrays | dict, above: str) -> None:
    """ValueError where what a stage makes is not what its file holds."""
    made = {name: value for name, value in made.items() if not isinstance(value, dict) or value}
    if made.keys() != held.keys():
        raise ValueError(f"{above or 'it'} holds {', '.join(sorted(made.keys() ^ held.keys()))} in one of both alone")
    for name, value in made.items():
        if isinstance(value, dict):
            _same(value, held[name], f"{above}{name}/")
        elif not _equal(np.asarray(value), held[name], PROVED.get(name, CLOSE) if "status" in made else CLOSE):
            raise ValueError(f"the array {above}{name} is not what follows from its answers")


def _equal(made: np.ndarray, held: np.ndarray, close: dict[str, float]) -> bool:
    if made.shape != held.shape or made.dtype != held.dtype:
        return False
    if made.dtype.kind in "fc":
        return np.allclose(made, held, equal_nan=True, **close)
    return bool((made == held).all())


def _seen(batches: list[dict]) -> Seen:
    counts: Counter[str] = Counter()
    rational, largest = 0, 0.0
    for batch in batches:
        counts.update(np.ravel(batch["status"]).tolist())
        rational += int((batch["arithmetic"] == "rational").sum())
        largest = max(largest, float(batch["gap"][batch["status"] == "solved"].max(initial=0.0)))
    return Seen(counts, rational, largest)


def _said(seen: Seen) -> str:
    by_status = ", ".join(f"{seen.counts[word]:,} {word}" for word in STATUSES if seen.counts[word])
    return (
        f"{seen.counts.total():,} answers: {by_status or 'none'}; {seen.rational:,} decided in rationals; "
        f"largest gap {seen.largest:.0e}"
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
