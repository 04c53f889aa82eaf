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
from pathlib import Path
from typing import NamedTuple

from harness import (
    BUILT,
    DAMAGE,
    NOTHING,
    build,
    copy_repository,
    damage,
    give_loops,
    snakemake,
    snapshot,
    start,
    surroundings,
)

NAME = "local_convergence"  # two blocks of problems, descent and svm; the measures that gather them; the figure
FIGURE, RESULTS = f"figures/{NAME}", f"{BUILT}/results/{NAME}"
PRODUCTS = (f"{BUILT}/{FIGURE}.*", f"{RESULTS}/[!.]*.*", f"{RESULTS}/*/[!.]*.npz")
HERE = f"attnsvm/experiments/paper/{NAME}"
# One constant that decides, with another of the same length: the file; what stands there; what stands there instead.
CODES = {
    "card": (f"{HERE}/card.yaml", "smoke: 200", "smoke: 210"),
    "descent": (f"{HERE}/descent.py", '("steps", "weights", ', '("weights", "steps", '),
    "svm": (f"{HERE}/svm.py", '("fro", "nuc")', '("nuc", "fro")'),
    "measures": (f"{HERE}/measures.py", '["steps"] <= ', '["steps"] <  '),
    "figure": (f"{HERE}/figure.py", "top=1.04", "top=1.05"),
    "start": ("attnsvm/training/start.py", "STREAM = 20308", "STREAM = 20309"),
    "kernel": ("attnsvm/training/kernels.py", "top = 0.0", "top = 0.9"),
    "solver": ("attnsvm/svm/methods/interior_point.py", "float] = (0.9, 0.09)", "float] = (0.8, 0.09)"),
    "medians": ("attnsvm/analysis/medians.py", "_quantile(16)", "_quantile(17)"),
    "style": ("attnsvm/plots/style.py", '"grid.color": "0.9"', '"grid.color": "0.8"'),
    "stages": ("attnsvm/pipeline/running/stages.py", '("n", "T", "d", "variant")', '("T", "n", "d", "variant")'),
    "store": ("attnsvm/system/store.py", r'lineterminator="\n"', r'lineterminator="\r"'),
}
FEW = ("svm", "store")
SETTINGS = {
    "": {},
    "rate": {"extra": {"experiments": {NAME: {"descent": {"learning_rate": 0.2}}}}},
    "drawn": {"extra": {"experiments": {NAME: {"measures": {"drawn_steps": 50}}}}},
    "dpi": {"extra": {"figures": {"dpi": 72}}},
    "scatter": {"options": ("--set-scatter", f"{NAME}=3")},
}
CODE = ": code"  # what the json says of the code, which a comment may change
COPIES = {"cp -a": shutil.copy2, "cp -r": shutil.copy, "cp -al": os.link, "ln -s": os.symlink}
RECORDS = (".snakemake", ".snakemake/metadata", ".snakemake/incomplete")


class State(NamedTuple):
    """A clean build: its folder, and what it made, as `products` has it."""

    folder: Path
    files: dict


class States(dict):
    """{(code, settings): their clean build}, each made when it is first asked for, in `folder`."""

    def __init__(self, folder):
        super().__init__()
        self.folder = folder
        self.source = copy_repository(folder / "source", {NAME})
        give_loops(self["", ""].folder, self.source)

    def __missing__(self, state):
        code, settings = state
        target = shutil.copytree(self.source, self.folder / f"clean-{code}-{settings}")
        edit(target, "", code)
        run(target, settings, build)
        self[state] = State(target, products(target))
        assert not code or self[state].files != self["", settings].files, f"{code} decides nothing"
        return self[state]


def environment():
    """Ours, in which Python writes bytecode, as it does for users."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def run(folder, settings, how=snakemake, **options):
    """`how` of tests/harness.py runs Snakemake for the figure with settings."""
    also = SETTINGS[settings]
    return how(folder, FIGURE, *also.get("options", ()), extra=also.get("extra"), environment=environment(), **options)


def edit(folder, before, after, kept=False):
    """Take an edit of CODES back and make another one; `kept`: with the dates that the files had."""
    for code, (old, new) in ((before, (2, 1)), (after, (1, 2))):
        if code:
            path, text = folder / CODES[code][0], (folder / CODES[code][0]).read_text()
            dates = os.stat(path)
            assert text.count(CODES[code][old]) == 1
            path.write_text(text.replace(CODES[code][old], CODES[code][new]))
            if kept:
                os.utime(path, ns=(dates.st_atime_ns, dates.st_mtime_ns))


def products(folder):
    """{path: bytes} of what a build of the figure makes, without dates, times and the command that was typed."""
    files = snapshot(folder, *PRODUCTS)
    for path in [path for path in files if path.endswith(".json")]:
        said = json.loads(files[path])
        files[path + CODE] = json.dumps(said.pop("code")).encode()
        for experiment in said["experiments"].values():
            experiment.pop("cost", None)
        files[path] = json.dumps({key: said[key] for key in said if key not in ("written", "command")}).encode()
    return files


def removed(path):
    """Remove a file, a link or a folder, if it is there."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def beside(path):
    """The hidden checksum of a file."""
    return path.with_name(f".{path.name}.sha256")


class Sequence:
    """A copy of the build of no edit and of no settings, and what is done to it.

    Args:
        states: of which the copy, the files of others, and what is right are taken.
        folder: where it may work.
        seed: of all that is drawn. What is drawn depends on nothing else, so that a sequence can be had again.
        few: whether to draw few edits and settings, since each combination costs a clean build.
    """

    def __init__(self, states, folder, seed, few=False):
        self.states, self.at, self.chance = states, folder, random.Random(seed)
        self.codes, self.known = (["", *FEW], ["", "drawn"]) if few else (["", *CODES], [*SETTINGS])
        self.steps, self.code, self.settings, self.backups = [], "", "", []
        self.names = sorted(states["", ""].files)
        self.folder = shutil.copytree(states["", ""].folder, folder / "run", symlinks=True)

    def go(self):
        """Do three to eight steps, and see what the next run makes of them."""
        weights = {self.edit: 4, self.run: 3, self.configure: 2, self.copy_in: 4, self.meanwhile: 2, self.link: 2}
        weights |= dict.fromkeys((self.comment, self.kill, self.copy_out, self.share, self.swap), 1)
        weights |= dict.fromkeys((self.delete, self.damage, self.bundle), 1)
        try:
            for step in self.chance.choices([*weights], [*weights.values()], k=self.chance.randint(3, 8)):
                self.steps.append(step.__name__)
                step()
            self.check()
        except Exception as error:
            error.add_note("\n".join(["The steps:", *self.steps]))
            raise

    def check(self):
        """A plain run makes what a clean build of this code and of these settings makes, and changes nothing else."""
        self.steps.append(f"the last run, with code {self.code!r} and settings {self.settings!r}")
        self.good_run()
        here, right = products(self.folder), self.states[self.code, self.settings].files
        spared = {path for path in right if path.endswith(".npz") and path not in here}  # nothing asks for it
        spared |= {path for path in right if path.endswith(CODE) and "comment" in " ".join(self.steps)}
        wrong = [path for path in right if path not in spared and here.get(path) != right[path]]
        assert not wrong, f"not those of a clean build: {wrong}"
        again = self.good_run()
        assert NOTHING in again.stdout, again.stdout[-3000:]
        changed = [state for state in self.states if products(self.states[state].folder) != self.states[state].files]
        for state in changed:
            shutil.rmtree(self.states.pop(state).folder)
        changed += [folder.name for folder, files in self.backups if products(folder) != files]
        assert not changed, f"other files than before have clones and backups: {changed}"

    def say(self, words):
        self.steps[-1] += f": {words}"

    def draw(self, *choices):
        return self.chance.choice(choices)

    def good_run(self):
        done = run(self.folder, self.settings)
        assert done.returncode == 0, done.stdout[-3000:]
        return done

    # ---- the steps -----------------------------------------------------------------------------------------------

    def run(self):
        self.good_run()

    def edit(self):
        code, kept = self.draw(*(code for code in self.codes if code != self.code)), self.draw(True, False)
        self.say(f"{code or 'none'}{', with the dates of before' if kept else ''}")
        edit(self.folder, self.code, code, kept)
        self.code = code

    def comment(self):
        path = self.folder / CODES[self.draw(*sorted({*CODES} - {"card"}))][0]
        self.say(path.name)
        path.write_text(f"{path.read_text()}# seen\n")

    def configure(self):
        self.settings = self.draw(*(name for name in self.known if name != self.settings))
        self.say(self.settings or "those of before")

    def started(self):
        """A run that was started, from nothing or from what is there, and has written so many files."""
        anew, files, delay = self.draw(True, True, False), self.chance.randrange(25), self.chance.uniform(0, 0.5)
        self.say(f"{'all removed, ' if anew else ''}after {files} files and {delay:.2f} s")
        if anew:
            removed(self.folder / BUILT)
        process = run(self.folder, self.settings, start, start_new_session=True, stdout=subprocess.DEVNULL)
        self.wait(process, files, delay)
        return process

    def wait(self, process, files, delay):
        """Until a run has written so many files, or ends; and then so many seconds."""
        began = time.time()
        while process.poll() is None and files > sum(
            path.lstat().st_ctime > began for path in (self.folder / BUILT).rglob("*.*") if os.path.lexists(path)
        ):
            time.sleep(0.02)
        time.sleep(delay)

    def kill(self):
        with self.started() as process:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
        removed(self.folder / ".snakemake/locks")

    def meanwhile(self):
        """An edit that a run does not outlive. It may end with an error."""
        code, kept = self.draw(*(code for code in self.codes if code != self.code)), self.draw(True, False)
        with self.started() as process:
            edit(self.folder, self.code, code, kept)
            files = self.chance.randrange(12)
            self.wait(process, files, self.chance.uniform(0, 0.5))
            edit(self.folder, code, self.code, kept)
        self.say(f"{code or 'none'} until {files} files later{', with the dates of before' if kept else ''}")

    def other(self):
        """The folder of another state: what was copied away before, or another clone."""
        place = self.chance.random()
        state = self.draw(*((code, "") for code in self.codes), *(("", settings) for settings in self.known[1:]))
        if place < 0.4 and self.backups:
            number = int(place / 0.4 * len(self.backups))
            self.say(f"of backup {number}")
            return self.backups[number].folder
        self.say(f"of a clone with {state}")
        return self.states[state].folder

    def copy_out(self):
        folder = self.at / f"backup-{len(self.backups)}"
        self.copied(self.folder, folder, (BUILT, ".snakemake"))
        self.backups.append(State(folder, products(folder)))

    def copy_in(self):
        parts = self.draw((BUILT,), (BUILT, ".snakemake"), (f"{BUILT}/results",), (f"{BUILT}/figures",), (RESULTS,))
        merged = self.draw(True, False)
        self.say(f"{' and '.join(parts)}{'' if merged else ', in place of what is there'}")
        source = self.other()
        for part in () if merged else parts:
            removed(self.folder / part)
        self.copied(source, self.folder, parts)

    def copied(self, source, target, parts):
        """Copy these parts of a folder in one of the usual ways."""
        how = self.draw("cp -a", "cp -r", "cp -al")

        def copy(one, other):
            if os.path.lexists(other):
                os.unlink(other)  # what other names it has stays as it is
            COPIES[how](one, other)

        self.say(how)
        for part in parts:
            if (source / part).exists():
                shutil.copytree(source / part, target / part, copy_function=copy, dirs_exist_ok=True)

    def share(self):
        """The results become a link to those of another clone, which may change with them."""
        shared = shutil.copytree(self.other() / BUILT, self.at / f"shared-{len(self.steps)}")
        removed(self.folder / RESULTS)
        (self.folder / RESULTS).parent.mkdir(parents=True, exist_ok=True)
        (shared / f"results/{NAME}").mkdir(parents=True, exist_ok=True)
        (self.folder / RESULTS).symlink_to(shared / f"results/{NAME}")

    def pick(self):
        """A file of a build, with its hidden checksum or without."""
        name, both = self.draw(*self.names), self.draw(True, False)
        self.say(f"{name}{' and its checksum' if both else ''}")
        return [name, str(beside(Path(name)))] if both else [name]

    def swap(self):
        blocks = sorted({str(Path(name).parent) for name in self.names if name.endswith(".npz")})
        stage = self.draw("", "/problems.npz", "/descent.npz", "/svm.npz")
        one, other, between = *(self.folder / f"{block}{stage}" for block in blocks), self.at / "between"
        self.say(f"{one.name} of the two blocks")
        if one.exists() and other.exists():
            for source, target in ((one, between), (other, one), (between, other)):
                source.rename(target)

    def link(self):
        how, names = self.draw("cp -a", "cp -al", "ln -s"), self.pick()
        self.say(how)
        source = self.other()
        for name in names:
            if (source / name).exists() and (self.folder / name).parent.exists():
                removed(self.folder / name)
                COPIES[how](source / name, self.folder / name)

    def delete(self):
        name = self.draw(*RECORDS, f"{BUILT}/results", f"{BUILT}/figures", RESULTS, *self.pick())
        self.say(f"{name} goes")
        removed(self.folder / name)

    def damage(self):
        how, path = self.draw(*DAMAGE), self.folder / self.pick()[0]
        self.say(how)
        if path.exists():
            content, dates = path.read_bytes(), os.stat(path)
            removed(path)  # what it is linked to stays as it is
            path.write_bytes(content)
            os.utime(path, ns=(dates.st_atime_ns, dates.st_mtime_ns))
            damage(path, how)

    def bundle(self):
        """What is built goes into an archive, and comes from there."""
        packed = self.at / f"bundle-{len(self.steps)}.tar.gz"
        command = [sys.executable, "-m", "attnsvm.command", "bundle", FIGURE, "--scale", "smoke", "--out", str(packed)]
        subprocess.run(command, cwd=self.folder, env=surroundings(self.folder, environment()), capture_output=True)
        if packed.exists():
            removed(self.folder / BUILT)
            with tarfile.open(packed) as archive:
                archive.extractall(self.folder, filter="tar")
