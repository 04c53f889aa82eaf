"""A soak: random edits, kills, damage and reruns in one folder; after every rerun the bytes are those of a clean build.

ATTNSVM_SOAK=40 takes 40 steps instead of 200 (about ten seconds each), ATTNSVM_SOAK_SEED=1 takes other ones;
--log-cli-level=INFO tells each.
"""

import json
import logging
import os
import random
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest
from harness import BUILT, DAMAGE, PRODUCTS, build, clone, damage, snakemake, snapshot, start

from attnsvm.system import checksums

STEPS, SEED = int(os.environ.get("ATTNSVM_SOAK", 200)), int(os.environ.get("ATTNSVM_SOAK_SEED", 0))
TARGETS = ("figures/trajectories", "figures/feasibility")
# What the user may have changed; of every stage something.
CONFIGURATIONS = (
    {},
    {"figures": {"dpi": 72}},
    {"experiments": {"trajectories": {"descent": {"learning_rate": 0.2}}}},
    {"experiments": {"trajectories": {"problems": {"seed": 2}}, "feasibility": {"problems": {"instances": 3}}}},
)
# Edits that change a module and no number.
MODULES = ("attnsvm/data/cells.py", "attnsvm/svm/checker.py", "attnsvm/experiments/paper/trajectories/descent.py",
           "attnsvm/plots/style.py", "attnsvm/experiments/paper/feasibility/measures.py")  # fmt: skip
ACTIONS = {"configure": 3, "edit": 2, "damage": 5, "delete": 2, "kill": 4, "rerun": 4}


class Soak:
    """A folder, the configuration that its user last wrote, and what clean builds of it gave."""

    def __init__(self, built, base):
        self.built, self.base, self.folder = built, base, clone(built, base / "soak")
        self.chance, self.configuration, self.clean, self.said = random.Random(SEED), CONFIGURATIONS[0], {}, []
        self.hurt = set()

    def expected(self):
        """The bytes of a clean build of the configuration."""
        key = json.dumps(self.configuration)
        if key not in self.clean:
            folder = clone(self.built, self.base / f"clean-{len(self.clean)}")
            build(folder, *TARGETS, extra=self.configuration)
            self.clean[key] = snapshot(folder, *PRODUCTS)
            shutil.rmtree(folder)
        return self.clean[key]

    def step(self):
        (name,) = self.chance.choices(list(ACTIONS), ACTIONS.values())
        self.said.append(f"{len(self.said)} {name}: {getattr(self, name)()}")
        logging.info(self.said[-1])

    def configure(self):
        self.configuration = self.chance.choice(CONFIGURATIONS)
        return self.configuration

    def edit(self):
        name = self.chance.choice(MODULES)
        with open(self.folder / name, "a") as file:
            file.write(f"# seen {len(self.said)}\n")
        return name

    def damage(self):
        found = sorted(snapshot(self.folder, *PRODUCTS))
        if not found:
            return "nothing there"
        name, how = self.chance.choice(found), self.chance.choice(list(DAMAGE))
        path = self.folder / name
        if not path.stat().st_size:
            return f"{name} was empty"
        damage(path, how)
        self.hurt.add(name)
        if self.chance.random() < 0.5:
            path.touch()
        return f"{name} {how}"

    def delete(self):
        found = sorted(name for name in snapshot(self.folder, *PRODUCTS) if not name.endswith(".sha256"))
        if not found:
            return "nothing there"
        name = self.chance.choice(found)
        (self.folder / name).unlink()
        return name

    def kill(self):
        process = start(
            self.folder, *TARGETS, extra=self.configuration, start_new_session=True, stdout=subprocess.DEVNULL
        )
        delay = self.chance.uniform(0, 15)
        try:
            process.wait(delay)
            return f"over before {delay:.1f} s"
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        assert snakemake(self.folder, "--unlock").returncode == 0
        return f"after {delay:.1f} s"

    def rerun(self):
        began = time.monotonic()
        build(self.folder, *TARGETS, extra=self.configuration)
        self.compare()
        return f"{time.monotonic() - began:.1f} s"

    def compare(self):
        """Every final file is there; nothing that is there differs.

        What lies between may have been deleted. Its checksum is then left alone, and nobody asks it anything.
        """
        expected, found = self.expected(), snapshot(self.folder, *PRODUCTS)
        sums = {str(checksums.beside(name)) for name in found}
        found = {name: data for name, data in found.items() if name in sums or not name.endswith(".sha256")}
        wanted = {name for name in expected if name.startswith(f"{BUILT}/figures/")}
        differ = [name for name in found if name in expected and found[name] != expected[name]]
        assert (sorted(wanted - found.keys()), differ) == ([], []), self.story()
        # What this configuration does not ask for stays as our own damage left it; a kill leaves no such file.
        damaged = {str(Path(path).relative_to(self.folder)) for path in checksums.damaged([self.folder / BUILT])}
        ours = {name for name in damaged - expected.keys() if {name, str(checksums.beside(name))} & self.hurt}
        assert damaged == ours, self.story()

    def story(self):
        return "\n".join(self.said)


@pytest.mark.slow
def test_whatever_happens_the_bytes_are_those_of_a_clean_build(built, tmp_path):
    soak = Soak(built, tmp_path)
    soak.rerun()
    for _ in range(STEPS):
        soak.step()
    soak.configuration = CONFIGURATIONS[0]
    soak.rerun()
