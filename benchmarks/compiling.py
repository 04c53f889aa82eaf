"""What numba compiles for the descents of all experiments, and its seconds of processor time.

    python benchmarks/compiling.py                   every experiment, at the smoke scale
    python benchmarks/compiling.py geometries adam   some of them

Nothing is compiled at first: code is kept in a temporary folder. Each descent runs in a process of its own, one after
the other, as the jobs of a build do; a loop that two of them need is compiled by the first.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

LARGE = 1.0  # seconds of a large compilation
PROGRAM = """
import json, sys, time
from numba.core import event
from attnsvm.pipeline import blocks, cards
from attnsvm.pipeline.configuration import block_settings, resolve
from attnsvm.pipeline.running import stages


class Seconds(event.Listener):
    def __init__(self):
        self.depth, self.all, self.names = 0, [], []

    def on_start(self, event):
        self.depth += 1
        if self.depth == 1:
            self.start = time.process_time()

    def on_end(self, event):
        self.depth -= 1
        if self.depth == 0:
            self.all.append(time.process_time() - self.start)


name, folder = sys.argv[1:]
card, config = cards.read(name), resolve({"scale": "smoke"})
(parts,) = blocks.cut(card, config, 1).values()
problems, output = f"{folder}/problems.npz", f"{folder}/descent.npz"
stages.problems(name, block_settings(card, config, "problems"), parts, problems)
seconds, start = Seconds(), time.process_time()
with event.install_listener("numba:compiler_lock", seconds):
    stages.descent(name, block_settings(card, config, "descent"), {"problems": problems}, output)
print(json.dumps([seconds.all, time.process_time() - start]))
"""


def compiled(name: str, kept: Path) -> tuple[list[float], float]:
    """Seconds of each compilation of an experiment's descent, those inside another one left out, and of the descent."""
    with tempfile.TemporaryDirectory() as folder:
        own = os.environ | {"NUMBA_CACHE_DIR": str(kept)}
        command = [sys.executable, "-c", PROGRAM, name, folder]
        found = subprocess.run(command, env=own, text=True, stdout=subprocess.PIPE, check=True).stdout
    return json.loads(found.splitlines()[-1])


def main():
    from attnsvm.pipeline import cards

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    known = [card.name for card in cards.experiments() if "descent" in card.stages]
    parser.add_argument("experiments", nargs="*", default=known)
    large, total = 0, 0.0
    with tempfile.TemporaryDirectory() as kept:
        for name in parser.parse_args().experiments:
            seconds, whole = compiled(name, Path(kept))
            large, total = large + sum(one >= LARGE for one in seconds), total + sum(seconds)
            slow = ", ".join(f"{one:.1f}" for one in seconds if one >= LARGE)
            print(f"{name}: {sum(seconds):.1f} s of {whole:.1f} s; of a second or more: {slow or 'none'}", flush=True)
    print(f"together {total:.1f} s, {large} compilations of a second or more")


if __name__ == "__main__":
    main()
