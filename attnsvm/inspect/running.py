"""All heads, one after another or side by side, and the files with the results."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain, groupby
from pathlib import Path

import pandas as pd

from attnsvm.errors import require
from attnsvm.files import store
from attnsvm.inspect import WRITTEN, page
from attnsvm.inspect.columns import columns
from attnsvm.inspect.layers import Layer
from attnsvm.inspect.measures import Bench, Plan, measure

ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


@dataclass(frozen=True)
class Inspection:
    """What was found.

    Attributes:
        table: one row per head.
        html: a page to look at, one file that needs no other file.
    """

    table: pd.DataFrame
    html: str

    def save(self, folder: str | os.PathLike) -> list[Path]:
        """Write heads.parquet, heads.csv and heads.html into a folder, which is made; returns their paths."""
        paths = [Path(folder) / name for name in WRITTEN]
        store.save_table(paths[0], self.table)
        store.save_csv(paths[1], self.table)
        store.save_text(paths[2], self.html)
        return paths


def run(
    name: str, made: dict[str, str], layers: list[Layer], plan: Plan, jobs: int, show: Callable[..., Iterable]
) -> Inspection:
    """Measure every head of these layers; `show` wraps an iterable, given `total` and `desc`.

    Args:
        made: where the inspection comes from, see `origin.origin`.
    """
    lifted = any(layer.every for layer in layers)
    if lifted:
        require(
            "fro" in plan.norms,
            f"{name}: its logits depend on distance, so only the Frobenius norm is offered: ask for fro",
        )
        plan = replace(plan, norms=("fro",))
    todo = [(number, head) for number, layer in enumerate(layers) for head in layer.heads]
    if jobs == 1:
        _start(layers, plan)
        found = list(show((_measure(one) for one in todo), total=len(todo), desc="heads"))
    else:
        needed = [_without_words(layer) for layer in layers]
        context = multiprocessing.get_context("spawn")  # a fork would copy the threads of torch in the middle of a step
        with _one_thread_each(), ProcessPoolExecutor(jobs, context, _start_process, (needed, plan)) as pool:
            with _no_interrupt():
                rows = pool.map(_measure_all, _shares(todo, jobs, lifted))
            found = list(show(chain.from_iterable(rows), total=len(todo), desc="heads"))
    table = pd.DataFrame([row for row, _ in found], columns=list(columns(plan.norms, lifted)))
    marks = [one for _, one in found]
    return Inspection(table, page.render(name, made, layers[0].inputs, Bench(layers[0], plan), table, marks))


_given: tuple[list[Layer], Plan] | None = None


def _start_process(layers, plan):
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C reaches every process: these end without a word
    _start(layers, plan)


def _start(layers, plan):
    global _given
    _given = layers, plan
    _bench.cache_clear()


@lru_cache(maxsize=1)  # heads come layer by layer
def _bench(number: int) -> Bench:
    layers, plan = _given
    return Bench(layers[number], plan)


def _measure(one):
    number, head = one
    return measure(_bench(number), head)


def _measure_all(several):
    return [_measure(one) for one in several]


def _shares(todo, jobs, lifted):
    """What one process does at a time: a head; of lifted heads their whole layer, whose kernel is costly to make."""
    layers = [list(heads) for _, heads in groupby(todo, key=lambda one: one[0])]
    return layers if lifted and len(layers) >= jobs else [[one] for one in todo]


def _without_words(layer: Layer) -> Layer:
    """No measure reads the words, so they are not sent to the processes."""
    return replace(layer, inputs=replace(layer.inputs, words=[]))


@contextmanager
def _no_interrupt():
    """Processes started inside ignore Ctrl-C until they say otherwise: importing takes them a second."""
    if threading.current_thread() is not threading.main_thread():  # where no handler can be set
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _one_thread_each():
    """Processes started inside compute with one thread each."""
    before = {name: os.environ.get(name) for name in ONE_THREAD}
    os.environ.update(dict.fromkeys(ONE_THREAD, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
