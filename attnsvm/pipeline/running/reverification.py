"""`python -m attnsvm.pipeline.running.reverification FOLDER [...]`: every answer of a build is judged again.

Each stage that judged answers runs again on the files it read, with the answers that its own file keeps in the place
of those that methods find (`svm.audit_log`). The checker must say the same of each, and what the stage makes must be
what the file holds. A descent that solves is trained again. Of a whole experiment the blocks must have one setting and
different seeds, and as many answers as its certificates.csv counts.
"""

import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np

from attnsvm.pipeline import answers, cards
from attnsvm.pipeline.running import records, stages
from attnsvm.svm import audit_log
from attnsvm.svm.verdict import STATUSES
from attnsvm.system import checksums
from attnsvm.system.errors import UserError, require, shown
from attnsvm.system.store import Arrays, load_cells, load_csv

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
        settings: of the stage; empty where it keeps none.
        seeds: {cell: those of its problems}.
        proofs: {cell: what `answers.count` says of it}.
    """

    counts: Counter
    rational: int
    largest: float
    settings: dict
    seeds: dict[str, list[int]]
    proofs: dict


def main(folders: list[str]) -> int:
    """Judge what lies under the folders again; the status is 1 where anything differs, and each such file is named."""
    whole, judged, failed = Seen(Counter(), 0, 0.0, {}, {}, {}), 0, 0
    paths = [path for folder in folders for path in files(folder)]
    blocks: dict[Path, dict[Path, Seen]] = {path.parent.parent: {} for path in paths}
    for path in paths:
        try:
            seen = again(path)
        except Exception as error:  # whatever a broken file raises, the others are judged all the same
            known = isinstance(error, UserError | ValueError | IndexError | KeyError)
            what = str(error) if known else f"is not as it was written ({type(error).__name__}: {error})"
            sentence = what if str(path) in what else f"{path}: {what}"
            print(shown(f"{sentence}: its answers are not confirmed"), flush=True)
            failed += 1
            continue
        blocks[path.parent.parent][path] = seen
        whole = whole._replace(
            counts=whole.counts + seen.counts,
            rational=whole.rational + seen.rational,
            largest=max(whole.largest, seen.largest),
        )
        if seen.counts:
            judged += 1
            print(shown(f"{path}: {_sentence(seen)}"), flush=True)
    for experiment, seen_of in blocks.items():
        for sentence in _unproved(experiment, [*seen_of.values()]):
            print(shown(sentence), flush=True)
        whole_experiment = any(Path(folder) in (experiment, *experiment.parents) for folder in folders)
        if whole_experiment and not failed and (wrong := _together(experiment, seen_of)):
            print(shown(f"{experiment}: {wrong}: its answers are not confirmed"), flush=True)
            failed += 1
    if judged or failed:
        print(f"{_sentence(whole)}; judged again from {judged} stage files, {failed} files failed", flush=True)
    return 1 if failed else 0


def files(folder: str) -> list[Path]:
    """The block files of stages that may hold answers, those behind links too."""
    return sorted(path for path in checksums.walk(folder) if path.suffix == ".npz" and path.stem in STAGES)


def again(path: Path, watch: Callable = lambda *_: None) -> Seen:
    """Judge the answers of a block file again.

    Args:
        watch: see `audit_log.replaying`.

    Raises:
        UserError, ValueError: a file is missing or damaged, a record is not that of an answer of this stage, the
            checker says another thing of one, or the stage makes other arrays of them.
    """
    held = load_cells(path)
    task, kept = records.load(str(path))
    if path.stem != "svm" and not kept and not any(next(answers.batches(tree), None) for tree in held.values()):
        return Seen(Counter(), 0, 0.0, {}, {}, {})  # a descent that solves nothing keeps nothing
    require(bool(task), f"{path}: its answers were not kept; delete it and run snakemake again")
    require(task["stage"] == path.stem, f"{path}: was written by the stage {task['stage']}")
    place, name = Path(os.path.abspath(path)).parent.parent, Path(task["name"])
    require(place.parts[-len(name.parts) :] == name.parts, f"{path}: was written for the experiment {name}")
    card = cards.read(task["name"])
    module, settings = card.module(path.stem), task["settings"]
    for key, value in card.fixed.items():
        require(settings.get(key) == value, f"{path}: was made with {key} = {settings.get(key)}, not {value}")
    inputs = {stage: str(path.with_name(f"{stage}.npz")) for stage in card.stages[: card.stages.index(path.stem)]}
    drawn, trained = load_cells(inputs["problems"]), stages.of_stage(inputs, "descent")
    alone = held.keys() - drawn.keys()  # a cell of which the stage makes nothing is not in its file
    require(not alone, f"{path}: {', '.join(sorted(alone))}: there are no such problems")
    judged: list[dict] = []
    proofs = {}
    for label, cell in drawn.items():
        mine = kept.get(label, {})
        with _named(f"{path}: {label}"):
            recorded = records.unpacked(mine, held[label]) if mine else []
            before = Counter(audit_log.judged)
            with audit_log.replaying(recorded, watch):
                if path.stem == "svm":
                    made = stages.svm_of(module, cell, trained[label], settings)
                else:
                    made = stages.descent_of(module, cell, settings, f"{card.name} {label}")
            _same(made, held.get(label, {}), "")
            counted = Counter(word for _, batch in answers.batches(made) for word in np.ravel(batch["status"]).tolist())
            require(counted == audit_log.judged - before, "the file lacks answers that the checker judged")
        judged += [batch for _, batch in answers.batches(made)]
        proofs[label] = answers.count(made, card.name)
    seeds = {label: cell["problems"]["seeds"].tolist() for label, cell in drawn.items()}
    return _seen(judged)._replace(settings=settings, seeds=seeds, proofs=proofs)


def _together(experiment: Path, files: dict[Path, Seen]) -> str:
    """Why the blocks of an experiment are not those of one build; "" where they are."""
    for stage in STAGES:
        blocks = {path: seen for path, seen in files.items() if path.stem == stage and seen.settings}
        if any(seen.settings != first.settings for first in [*blocks.values()][:1] for seen in blocks.values()):
            return f"its blocks were made with different settings of {stage}"
        drawn = Counter((label, seed) for seen in blocks.values() for label in seen.seeds for seed in seen.seeds[label])
        if twice := [f"{label}, seed {seed}" for (label, seed), count in drawn.items() if count > 1]:
            return f"problems are there twice: {twice[0]}"
    counted = experiment / "certificates.csv"
    if not counted.exists():  # a build that has not come so far
        return ""
    made = answers.total([frame for seen in files.values() for frame in seen.proofs.values()], experiment.name)
    columns, held = ["solve", *STATUSES], load_csv(counted).astype({"solve": str})  # a name may be a number
    same = set(columns) <= set(held) and made[columns].to_dict("records") == held[columns].to_dict("records")
    return "" if same else "its certificates.csv counts other answers than its blocks hold"


def _unproved(experiment: Path, blocks: list[Seen]) -> Iterator[str]:
    """A sentence for every cell with answers that are not proved: their share, and the solve that has most."""
    for label in dict.fromkeys(label for seen in blocks for label in seen.proofs):
        counted = answers.total([seen.proofs[label] for seen in blocks if label in seen.proofs], experiment.name)
        left, all_of = counted["uncertified"], counted[list(STATUSES)].sum(axis=1)
        if left.any():
            most = (left / all_of).idxmax()
            share = f"{left.sum():,} of {all_of.sum():,} answers are not proved ({left.sum() / all_of.sum():.2%})"
            solve = f"most of {counted['solve'][most]}: {left[most]:,} of {all_of[most]:,}"
            yield f"{experiment}: {label}: {share}, {solve}"


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
    return Seen(counts, rational, largest, {}, {}, {})


def _sentence(seen: Seen) -> str:
    by_status = ", ".join(f"{seen.counts[word]:,} {word}" for word in STATUSES if seen.counts[word])
    return (
        f"{seen.counts.total():,} answers: {by_status or 'none'}; {seen.rational:,} decided in rationals; "
        f"largest gap {seen.largest:.0e}"
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
