"""What a block costs at both ends, for the simulated cluster: the smallest block there is, and gathering very many.

python benchmarks/block_times.py one                every experiment, ten minutes of one core
python benchmarks/block_times.py gathered layers    from what is built in results/

`one`: a block with one seed of the largest cell, each stage in its own process. The simulation takes from it what a
block costs before its first seed, and how many seeds the descent trains in the time of one. `gathered`: a hundred
blocks, each with all that the experiment measures at the paper's scale. Both in seconds of processor time, imports
included; they are written into profiles/times.json.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from attnsvm.pipeline import blocks, cards, jobs
from attnsvm.pipeline.configuration import resolve, stage_settings
from attnsvm.pipeline.running import stages
from attnsvm.store import load_cells, save_cells

TIMES, RESULTS, COPIES = Path("profiles/times.json"), Path("results"), 100
CALLS = {
    "problems": "stages.problems(name, settings, parts, output)",
    "descent": "stages.descent(name, settings, inputs, output)",
    "svm": "stages.svm(name, settings, inputs, output)",
    "measures": "stages.measures_of_block(name, settings, inputs, output)",
    "gathered": "stages.measures(name, settings, parts, output)",
}
PROGRAM = """
import json, sys
from attnsvm.pipeline.running import stages
name, settings, parts, inputs, output = json.load(sys.stdin)
"""


def seconds(call: str, *given) -> float:
    """Processor seconds of one stage in a process of its own."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", PROGRAM + CALLS[call]], input=json.dumps(given), text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return round(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 2)


def one(name: str, folder: Path) -> dict[str, float]:
    """Seconds of every stage of the first block of `name`, if blocks are as short as they can be."""
    card, config = cards.read(name), resolve({})
    parts = next(iter(blocks.divided(blocks.grid(card, config), 1).values()))
    found: dict[str, float] = {}
    inputs: dict[str, str] = {}
    for stage in card.stages:
        output = str(folder / f"{stage}.npz")
        given = {key: inputs[key] for key in jobs.earlier(card, stage)}
        found[stage] = seconds(stage, name, jobs.block_settings(name, stage, config), parts, given, output)
        inputs[stage] = output
    return found


def gathered(name: str, folder: Path) -> float:
    """Seconds of gathering what is built of `name`, COPIES times, every copy with seeds of its own."""
    card = cards.read(name)
    settings = stage_settings(card, resolve({}), "measures")
    copies = []
    for block in blocks.cut(card, resolve({})):
        inputs = {stage: str(RESULTS / name / block / f"{stage}.npz") for stage in jobs.earlier(card, "measures")}
        measured = str(folder / f"{block}.npz")
        stages.measures_of_block(name, settings, inputs, measured)
        tables = load_cells(measured)["tables"]
        for copy in range(COPIES):
            path = str(folder / f"{block}-{copy}.npz")
            save_cells(path, {"tables": {key: _later(table, 10**7 * copy) for key, table in tables.items()}})
            copies.append({"measures": path})
    outputs = {key: str(folder / key) for key in ("table", "instances", "outcomes", "cells", "certificates")}
    return seconds("gathered", name, settings, copies, None, outputs)


def _later(packed: np.ndarray, by: int) -> np.ndarray:
    """A packed table with larger seeds."""
    table = pq.read_table(pa.BufferReader(packed))
    for key in ("seed", "first_seed", "last_seed"):
        if key in table.column_names:
            moved = pa.array(table[key].to_numpy() + by)
            table = table.set_column(table.column_names.index(key), key, moved)
    buffer = pa.BufferOutputStream()
    pq.write_table(table, buffer, compression="zstd")
    return np.frombuffer(buffer.getvalue(), dtype=np.uint8)


def main():
    parser = argparse.ArgumentParser(description="Seconds of the smallest block, or of gathering a hundred.")
    parser.add_argument("what", choices=("one", "gathered"))
    parser.add_argument("experiments", nargs="*", default=[card.name for card in cards.experiments()])
    given = parser.parse_args()
    for name in given.experiments:
        with tempfile.TemporaryDirectory() as folder:
            found = {"one": one, "gathered": gathered}[given.what](name, Path(folder))
        times = json.loads(TIMES.read_text("utf-8"))
        times["experiments"].setdefault(name, {})[given.what] = found
        TIMES.write_text(json.dumps(times, indent=1, sort_keys=True) + "\n", "utf-8")
        print(name, found, flush=True)


if __name__ == "__main__":
    main()
