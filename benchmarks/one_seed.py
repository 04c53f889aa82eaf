"""What the smallest block of every experiment takes: one seed of its largest cell, each stage in its own process.

python benchmarks/one_seed.py                 all experiments, a few minutes of one core
python benchmarks/one_seed.py layers factors  those

Seconds of processor time, imports included, are written into profiles/times.json under "one". The simulated cluster
takes from them what a block costs before its first seed, and how many seeds the descent trains in the time of one.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from attnsvm.pipeline import blocks, cards, jobs
from attnsvm.pipeline.configuration import resolve

TIMES = Path("profiles/times.json")
CALLS = {
    "problems": "stages.problems(name, settings, parts, output)",
    "descent": "stages.descent(name, settings, inputs, output)",
    "svm": "stages.svm(name, settings, inputs, output)",
    "measures": "stages.measures_of_block(name, settings, inputs, output)",
}
PROGRAM = """
import json, sys
from attnsvm.pipeline import stages
name, settings, parts, inputs, output = json.load(sys.stdin)
"""


def seconds(stage: str, *given) -> float:
    """Processor seconds of one stage in a process of its own."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", PROGRAM + CALLS[stage]], input=json.dumps(given), text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def one_seed(name: str, folder: Path) -> dict[str, float]:
    """Seconds of every stage of the first block of `name`, if blocks are as short as they can be."""
    card, config = cards.read(name), resolve({})
    parts = next(iter(blocks.divided(blocks.grid(card, config), 1).values()))
    found: dict[str, float] = {}
    inputs: dict[str, str] = {}
    for stage in card.stages:
        output = str(folder / name / f"{stage}.npz")
        given = {key: inputs[key] for key in jobs.earlier(card, stage)}
        found[stage] = round(seconds(stage, name, jobs.block_settings(name, stage, config), parts, given, output), 2)
        inputs[stage] = output
    return found


def main():
    parser = argparse.ArgumentParser(description="Seconds of a block of one seed, for profiles/times.json.")
    parser.add_argument("experiments", nargs="*", default=[card.name for card in cards.experiments()])
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for name in given.experiments:
            found = one_seed(name, Path(folder))
            times = json.loads(TIMES.read_text("utf-8"))
            times["experiments"].setdefault(name, {})["one"] = found
            TIMES.write_text(json.dumps(times, indent=1, sort_keys=True) + "\n", "utf-8")
            print(name, *(f"{stage} {value:.2f} s" for stage, value in found.items()), flush=True)


if __name__ == "__main__":
    main()
