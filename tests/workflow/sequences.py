"""Sequences of ordinary steps on a small build, drawn at random, and what a clean build would have made instead."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tarfile
import time
from contextlib import suppress
from pathlib import Path

import harness
from harness import BUILT, NOTHING

from attnsvm.system.checksums import beside

NAME = "local_convergence"  # two blocks of problems, descent and svm; the measures that gather them; the figure
FIGURE, RESULTS = f"figures/{NAME}", f"{BUILT}/results/{NAME}"
PRODUCTS = (f"{BUILT}/{FIGURE}.*", f"{RESULTS}/[!.]*.*", f"{RESULTS}/*/[!.]*.npz")
HERE = f"attnsvm/experiments/paper/{NAME}"
# One constant that decides, with another of the same length: the file; what stands there; what stands there instead.
CODES = {
    "svm": (f"{HERE}/svm.py", '("fro", "nuc")', '("nuc", "fro")'),
    "store": ("attnsvm/system/store.py", r'lineterminator="\n"', r'lineterminator="\r"'),
    "card": (f"{HERE}/card.yaml", "smoke: 200", "smoke: 210"),
    "descent": (f"{HERE}/descent.py", '("steps", "weights", ', '("weights", "steps", '),
    "measures": (f"{HERE}/measures.py", '["steps"] <= ', '["steps"] <  '),
    "figure": (f"{HERE}/figure.py", "top=1.04", "top=1.05"),
    "start": ("attnsvm/training/start.py", "STREAM = 20308", "STREAM = 20309"),
    "kernel": ("attnsvm/training/kernels.py", "top = 0.0", "top = 0.9"),
    "solver": ("attnsvm/svm/methods/interior_point.py", "float] = (0.9, 0.09)", "float] = (0.8, 0.09)"),
    "medians": ("attnsvm/analysis/medians.py", "_quantile(16)", "_quantile(17)"),
    "style": ("attnsvm/plots/style.py", '"grid.color": "0.9"', '"grid.color": "0.8"'),
    "stages": ("attnsvm/pipeline/running/stages.py", '("n", "T", "d", "variant")', '("T", "n", "d", "variant")'),
}
SETTINGS = {
    "": {},
    "drawn": {"experiments": {NAME: {"measures": {"drawn_steps": 50}}}},
    "rate": {"experiments": {NAME: {"descent": {"learning_rate": 0.2}}}},
    "dpi": {"figures": {"dpi": 72}},
    "three blocks": ("--set-scatter", f"{NAME}=3"),
}
CODE = ": code"  # what the json says of the code, which a comment may change
COPIES = {"cp -a": shutil.copy2, "cp -r": shutil.copy, "cp -al": os.link, "ln -s": os.symlink}


class States(dict):
    """{(code, settings): the folder of their clean build, and what it made}, each when it is first asked for."""

    def __init__(self, folder):
        super().__init__()
        self.folder, self.source = folder, harness.copy_repository(folder / "source", {NAME})
        harness.give_loops(self["", ""][0], self.source)

    def __missing__(self, state):
        code, settings = state
        target = shutil.copytree(self.source, self.folder / f"clean-{code}-{settings}".replace(" ", "-"))
        edit(target, "", code)
        run(target, settings, harness.build)
        self[state] = target, products(target)
        assert not code or self[state][1] != self["", settings][1], f"{code} decides nothing"
        return self[state]


def environment():
    """Ours, in which Python writes bytecode, as it does for users."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def run(folder, settings, how=harness.snakemake, **options):
    """`how` runs Snakemake for the figure with settings."""
    given = SETTINGS[settings]
    more, extra = (given, None) if isinstance(given, tuple) else ((), given or None)
    return how(folder, FIGURE, *more, extra=extra, environment=environment(), **options)


def edit(folder, before, after, kept=False):
    """Take an edit of CODES back and make another one; `kept`: with the dates that the files had."""
    changes = [(CODES[before][0], CODES[before][2], CODES[before][1])] if before else []
    for path, old, new in changes + ([CODES[after]] if after else []):
        dates, text = os.stat(folder / path), (folder / path).read_text()
        assert text.count(old) == 1
        (folder / path).write_text(text.replace(old, new))
        if kept:
            os.utime(folder / path, ns=(dates.st_atime_ns, dates.st_mtime_ns))


def products(folder):
    """{path: bytes} of what a build of the figure makes, without dates, times and the command that was typed."""
    files = harness.snapshot(folder, *PRODUCTS)
    for path in [path for path in files if path.endswith(".json")]:
        with suppress(ValueError, KeyError):  # of a backup that was damaged before
            said = json.loads(files[path])
            files[path + CODE] = json.dumps(said.pop("code")).encode()
            said["experiments"] = {name: found | {"cost": 0} for name, found in said["experiments"].items()}
            files[path] = json.dumps(said | {"written": "", "command": ""}).encode()
    return files


def removed(path):
    """Remove a file, a link or a folder, if it is there; what a link names stays."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def copied(how, source, target):
    """Copy a file, or the files of a folder, as COPIES says."""

    def copy(one, other):
        removed(Path(other))  # another name of it stays as it is
        COPIES[how](one, other)

    if source.is_dir():
        shutil.copytree(source, target, copy_function=copy, dirs_exist_ok=True)
    elif source.exists() and target.parent.is_dir():
        copy(source, target)


class Sequence:
    """A copy of the build of no edit and of no settings, and what is done to it.

    Args:
        states: of which the copy, the files of others, and what is right are taken.
        folder: where it may work.
        seed: of all that is drawn. What is drawn depends on nothing else, so that a sequence can be had again.
        few: how many edits, and how many settings, to draw from, each of which costs a clean build.
    """

    def __init__(self, states, folder, seed, few=None):
        self.states, self.at, self.chance = states, folder, random.Random(seed)
        self.codes, self.known = ["", *CODES][: few and few + 1], [*SETTINGS][: few and few + 1]
        self.steps, self.code, self.settings, self.backups = [], "", "", []
        self.names = sorted(name for name in states["", ""][1] if not name.endswith(CODE))
        self.folder = shutil.copytree(states["", ""][0], folder / "run", symlinks=True)

    def go(self):
        """Do three to eight steps, and see what the next run makes of them."""
        often = {self.edit: 4, self.run: 3, self.copy_in: 6, self.configure: 2, self.meanwhile: 2}
        seldom = (self.comment, self.kill, self.copy_out, self.share, self.swap, self.delete, self.damage, self.bundle)
        steps = often | dict.fromkeys(seldom, 1)
        try:
            for step in self.chance.choices([*steps], [*steps.values()], k=self.chance.randint(3, 8)):
                self.steps.append(step.__name__)
                step()
            self.check()
        except Exception as error:
            error.add_note("\n".join(["The steps:", *self.steps]))
            raise

    def check(self):
        """A plain run makes what a clean build of this code and of these settings makes, and changes nothing else."""
        self.steps.append(f"the last run, with code {self.code!r} and settings {self.settings!r}")
        self.run()
        here, right = products(self.folder), self.states[self.code, self.settings][1]
        spared = {path for path in right if path.endswith(".npz") and path not in here}  # nothing asks for it
        spared |= {path for path in right if path.endswith(CODE) and "comment" in " ".join(self.steps)}
        wrong = [path for path in right if path not in spared and here.get(path) != right[path]]
        assert not wrong, f"not those of a clean build: {wrong}"
        again = self.run()
        assert NOTHING in again.stdout, again.stdout[-3000:]
        changed = [state for state, (folder, files) in self.states.items() if products(folder) != files]
        for state in changed:  # so that the next sequence has a clean one
            shutil.rmtree(self.states.pop(state)[0])
        changed += [str(folder) for folder, files in self.backups if products(folder) != files]
        assert changed == [], "other files than before"

    def say(self, *words):
        self.steps[-1] = ", ".join([self.steps[-1], *words])

    def draw(self, *choices):
        return self.chance.choice(choices)

    def another(self, known, but):
        return self.draw(*(one for one in known if one != but))

    # ---- the steps -----------------------------------------------------------------------------------------------

    def run(self):
        done = run(self.folder, self.settings)
        assert done.returncode == 0, done.stdout[-3000:]
        return done

    def edit(self):
        code, kept = self.another(self.codes, self.code), self.draw(True, False)
        self.say(code or "none", *["with the dates of before"] * kept)
        edit(self.folder, self.code, code, kept)
        self.code = code

    def comment(self):
        path = self.folder / CODES[self.another(CODES, "card")][0]
        self.say(path.name)
        path.write_text(f"{path.read_text()}# seen\n")

    def configure(self):
        self.settings = self.another(self.known, self.settings)
        self.say(self.settings or "none")

    def started(self):
        """A run that was started, from nothing or from what is there, and has written some files."""
        anew = self.draw(True, False)
        self.say(*["all removed"] * anew)
        if anew:
            removed(self.folder / BUILT)
        process = run(self.folder, self.settings, harness.start, start_new_session=True, stdout=subprocess.DEVNULL)
        self.wait(process, 25)
        return process

    def wait(self, process, most):
        """Wait until a run has written up to so many files, or ends, and for up to half a second more."""
        files, delay, began = self.chance.randrange(most), self.chance.uniform(0, 0.5), time.time()
        self.say(f"{files} files and {delay:.2f} s")
        while process.poll() is None:
            with suppress(FileNotFoundError):  # one that the run removes meanwhile
                if sum(path.lstat().st_ctime > began for path in (self.folder / BUILT).rglob("*.*")) >= files:
                    break
            time.sleep(0.02)
        time.sleep(delay)

    def kill(self):
        with self.started() as process:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
        removed(self.folder / ".snakemake/locks")

    def meanwhile(self):
        """An edit that a run does not outlive. It may end with an error."""
        code, kept = self.another(self.codes, self.code), self.draw(True, False)
        self.say(code or "none", *["with the dates of before"] * kept)
        with self.started() as process:
            edit(self.folder, self.code, code, kept)
            self.wait(process, 12)
            edit(self.folder, code, self.code, kept)

    def other(self):
        """The folder of another state: what was copied away before, or another clone."""
        backup, place = self.draw(True, False), self.chance.random()
        state = self.draw(*((code, "") for code in self.codes), *(("", settings) for settings in self.known[1:]))
        if backup and self.backups:
            self.say(f"of backup {int(place * len(self.backups))}")
            return self.backups[int(place * len(self.backups))][0]
        self.say(f"of a clone with {state}")
        return self.states[state][0]

    def copy_out(self):
        how, folder = self.draw(*[*COPIES][:3]), self.at / f"backup-{len(self.backups)}"
        self.say(how)
        for part in (BUILT, ".snakemake"):
            copied(how, self.folder / part, folder / part)
        self.backups.append((folder, products(folder)))

    def copy_in(self):
        """Folders, or a file, of another state."""
        folders = (BUILT,), (BUILT, ".snakemake"), (f"{BUILT}/results",), (f"{BUILT}/figures",), (RESULTS,)
        parts, how, merged = self.draw(*folders, *[self.pick()] * 3), self.draw(*COPIES), self.draw(True, False)
        self.say(how, *parts, *["merged"] * merged)
        source = self.other()
        for part in parts:
            if not merged:
                removed(self.folder / part)
            copied(how, source / part, self.folder / part)

    def share(self):
        """The results become a link to those of another clone, which may change with them."""
        shared, here = self.at / f"shared-{len(self.steps)}", self.folder / RESULTS
        copied("cp -a", self.other() / RESULTS, shared)
        removed(here)
        for folder in (shared, here.parent):
            folder.mkdir(parents=True, exist_ok=True)
        here.symlink_to(shared)

    def pick(self):
        """A file of a build, with its hidden checksum or without."""
        name = self.draw(*self.names)
        return self.draw((name,), (name, str(beside(name))))

    def swap(self):
        blocks = sorted({os.path.dirname(name) for name in self.names if name.endswith(".npz")})
        stage = self.draw("", "/problems.npz", "/descent.npz", "/svm.npz")
        self.say(f"the blocks'{stage}")
        one, other, between = *(self.folder / f"{block}{stage}" for block in blocks), self.at / "between"
        if one.exists() and other.exists():
            for source, target in ((one, between), (other, one), (between, other)):
                source.rename(target)

    def delete(self):
        records = (".snakemake", ".snakemake/metadata", ".snakemake/incomplete")
        name = self.draw(*records, f"{BUILT}/results", f"{BUILT}/figures", RESULTS, *self.pick() * 2)
        self.say(name)
        removed(self.folder / name)

    def damage(self):
        how, name = self.draw(*harness.DAMAGE), self.pick()[-1]
        self.say(how, name)
        if (self.folder / name).exists():
            copied("cp -a", self.folder / name, self.at / "whole")  # another name of it stays as it is
            copied("cp -a", self.at / "whole", self.folder / name)
            harness.damage(self.folder / name, how)

    def bundle(self):
        """What is built goes into an archive, and comes from there."""
        packed = self.at / f"bundle-{len(self.steps)}.tar.gz"
        command = [sys.executable, "-m", "attnsvm.command", "bundle", FIGURE, "--scale", "smoke", "--out", str(packed)]
        surroundings = harness.surroundings(self.folder, environment())
        subprocess.run(command, cwd=self.folder, env=surroundings, capture_output=True, check=False)
        self.say("done" if packed.exists() else "refused")
        if packed.exists():
            removed(self.folder / BUILT)
            with tarfile.open(packed) as archive:
                archive.extractall(self.folder, filter="tar")
