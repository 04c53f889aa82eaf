"""What the smallest block costs, for the number of blocks of `attnsvm profile`: ten minutes of one core for all.

python benchmarks/block_times.py           every experiment
python benchmarks/block_times.py layers    one

A block with one seed of the largest cell, each stage in its own process, in seconds of processor time, imports
included; they are written into profiles/times.json. From them follows what a block costs before its first seed, and
how many seeds the descent trains in the time of one.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from attnsvm.pipeline import blocks, cards
from attnsvm.pipeline.configuration import block_settings, resolve
from attnsvm.pipeline.plan import earlier

TIMES = Path("profiles/times.json")
CALLS = {
    "problems": "stages.problems(name, settings, parts, output)",
    "descent": "stages.descent(name, settings, inputs, output)",
    "svm": "stages.svm(name, settings, inputs, output)",
    "measures": "stages.measures_of_block(name, settings, inputs, output)",
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
        given = {key: inputs[key] for key in earlier(card, stage)}
        found[stage] = seconds(stage, name, block_settings(card, config, stage), parts, given, output)
        inputs[stage] = output
    return found


def main():
    parser = argparse.ArgumentParser(description="Seconds of the smallest block.")
    parser.add_argument("experiments", nargs="*", default=[card.name for card in cards.experiments()])
    for name in parser.parse_args().experiments:
        with tempfile.TemporaryDirectory() as folder:
            found = one(name, Path(folder))
        times = json.loads(TIMES.read_text("utf-8"))
        times["experiments"].setdefault(name, {})["one"] = found
        TIMES.write_text(json.dumps(times, indent=1, sort_keys=True) + "\n", "utf-8")
        print(name, found, flush=True)


if __name__ == "__main__":
    main()
