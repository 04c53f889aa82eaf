"""All heads, one after another or side by side, and the files with the results."""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from html import escape
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from attnsvm.inspect import WRITTEN, page, summary
from attnsvm.inspect.columns import columns
from attnsvm.inspect.layers import Layer, threads, told
from attnsvm.inspect.measures import Bench, Measured, Plan, measured, offered, shown
from attnsvm.inspect.workers import workers
from attnsvm.system import store
from attnsvm.system.writing import replacing_all

if TYPE_CHECKING:
    from attnsvm.inspect.models import Reading

ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


@dataclass(frozen=True)
class Inspection:
    """What was found.

    Attributes:
        table: one row per head.
        html: a page to look at, one file that needs no other file.
        said: what it says first, a list of sentences.
    """

    table: pd.DataFrame
    html: str
    said: list[str]

    def _repr_html_(self) -> str:
        """The page, in a notebook."""
        return f'<iframe srcdoc="{escape(self.html)}" style="width: 100%; height: 40rem; border: 0"></iframe>'

    def save(self, folder: str | os.PathLike) -> list[Path]:
        """Write heads.parquet, heads.csv and heads.html into a folder, which is made; returns their paths.

        Raises:
            UserError: they cannot be written, and none of them is.
        """
        paths = [Path(folder) / name for name in WRITTEN]
        with replacing_all(paths) as (parquet, csv, html):
            store.write_table(parquet, self.table)
            store.write_csv(csv, store.as_text(self.table))
            html.write_text(self.html, encoding="utf-8")
        return paths


def run(
    name: str,
    made: Callable[[Sequence[str]], dict[str, str]],
    layers: "Reading | Sequence[Layer]",
    plan: Plan,
    jobs: int,
    show: Callable[..., Iterable] | None,
    then: str = "",
) -> Inspection:
    """Measure every head of these layers; `show`: see `layers.told`, `then`: see `inspection`.

    Args:
        made: where the inspection comes from, see `page.origin`, given the files that were read.
        layers: one after another; no more than `at_once(jobs)` are held at a time.
    """
    each = iter(layers)
    first = [next(each)]
    plan, lifted, total = offered(plan, first[0]), bool(first[0].every), len(layers) * len(first[0].heads)
    texts, width = len(np.unique(first[0].inputs.text)), first[0].inputs.queries.shape[1]
    fit_and_held = shown(Bench(first[0], plan))
    origin = made(first[0].files)
    every = chain([first.pop()], each)  # nothing holds the first one any longer
    found = measured(every, plan) if jobs == 1 else _side_by_side(every, plan, jobs, len(layers))
    with threads(width):
        heads = list(told(found, total, texts, show))
    table = pd.DataFrame([row for row, _ in heads], columns=list(columns(plan.norms or (), lifted)))
    said = summary.sentences(table, fit_and_held["repeats"], fit_and_held["without_loss"], then)
    return Inspection(table, page.render(name, origin, fit_and_held, said, table, [marks for _, marks in heads]), said)


def at_once(jobs: int) -> int:
    """How many layers are held at a time: one is read while each process has one, and one waits."""
    return 2 if jobs == 1 else jobs + 2


def _side_by_side(layers: Iterable[Layer], plan: Plan, jobs: int, count: int) -> Iterator[Measured]:
    """`measured` in processes, in the same order; while they measure, this one reads the next layers."""
    with workers(jobs, dict.fromkeys(ONE_THREAD, "1")) as submit:
        waiting: deque[list[Future[list[Measured]]]] = deque()
        for layer in layers:
            waiting.append([submit(_measured_all, share, plan) for share in _shares(layer, jobs, count)])
            if len(waiting) > jobs:
                yield from chain.from_iterable(one.result() for one in waiting.popleft())
        while waiting:
            yield from chain.from_iterable(one.result() for one in waiting.popleft())


def _measured_all(layer: Layer, plan: Plan) -> list[Measured]:
    return list(measured([layer], plan))


def _shares(layer: Layer, jobs: int, count: int) -> list[Layer]:
    """What one process does at a time: some heads; of lifted heads all, since their kernel is costly to make.

    Args:
        count: of the layers; where there are fewer than processes, lifted heads are shared out too.
    """
    if layer.every and count >= jobs:
        return [layer]
    parts = np.array_split(list(layer.heads), min(jobs, len(layer.heads)))
    return [replace(layer, heads={int(h): layer.heads[int(h)] for h in part}) for part in parts]
