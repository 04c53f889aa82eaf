"""`make check`: what stands in the way of a build, and how long one will take, before anything is installed.

Run as a file by whichever Python there is: it imports the standard library only, and older Pythons can read it.
"""

import argparse
import importlib.util
import json
import math
import os
import platform
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

OLDEST = (3, 11)
GB = 10**9
# Measured: the environment with and without PyTorch's CUDA packages, what is downloaded, all results.
INSTALLED = {"cuda": 5.5 * GB, "cpu": 1.9 * GB}
DOWNLOADED = {"cuda": 3.1 * GB, "cpu": 0.5 * GB}
RESULTS = 2.5 * GB
UNPACKED = 1.0 * GB  # in the temporary folder, while pip works
MEMORY_OF_A_JOB = 1.0 * GB
ROOT = Path(__file__).absolute().parents[3]
EXPERIMENTS = ROOT / "attnsvm" / "experiments"
TIMES = ROOT / "profiles" / "times.json"  # what every stage took, and the pace of the machine it took that on
START = 0.5  # seconds of a job before and after what is measured of it
DRAWN = 3.0  # seconds to draw a figure, and to say where it comes from
# Paces are ratios to an Intel Xeon of 2.3 GHz with AVX-512, which nothing else used: the measured machine.
PYTHON_ROUNDS = 9.0e6  # of `rounds`, a second, the most of three runs of Python 3.11
WITHIN = 1.25  # a time is said as a range, from so many times less to so many times more than expected
SIDE_BY_SIDE = 16  # processes at most that time a machine
COMPILING = 60  # seconds of processor time there, once: what numba compiles for the first figures
HINDERING = ":;\"'`$\\&|<>*?"  # in the path of a program: PATH, or a shell, takes it for something else


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--venv", default=".venv")
    parser.add_argument("--torch", default="", help="cuda: PyTorch with CUDA")
    parser.add_argument("--swap", action="store_true", help="put the environment that was made beside it in its place")
    parser.add_argument("--quiet", action="store_true", help="print only what is missing")
    parser.add_argument("--rounds", action="store_true", help="print how fast this process is, and nothing else")
    given = parser.parse_args(arguments)
    if given.rounds:
        print(json.dumps({"rounds": rounds()}))
        return 0
    venv = Path(given.venv).absolute()
    if given.swap:
        return swap(venv)
    kind = "cuda" if given.torch == "cuda" and platform.system() == "Linux" else "cpu"
    there = (venv / ".installed").exists()
    found = list(obstacles(venv, given.torch, kind, there))
    for sentence in found:
        print("error: " + sentence, file=sys.stderr)
    if not given.quiet and not found:
        print("Nothing is missing.", *notes(venv, kind, there), sep="\n")
    return 1 if found else 0


def obstacles(venv, torch, kind, there):
    """What must be changed before a build can work, a sentence each."""
    if sys.version_info < OLDEST:
        yield (
            f"attnsvm needs Python >= {'.'.join(map(str, OLDEST))}, and this is {platform.python_version()} "
            f"({sys.executable}); choose one with: make PYTHON=python3.12 ..."
        )
    if not there and not all(importlib.util.find_spec(name) for name in ("venv", "ensurepip")):
        yield "Python's venv is not installed; on Debian and Ubuntu: sudo apt install python3-venv"
    for one in (venv.with_name(venv.name + ending) for ending in ("", ".new", ".old")):
        if not ours(one):
            yield f"{one} is no environment of attnsvm; choose an empty or a new folder: make VENV=folder ..."
    if torch not in ("", "cpu", "cuda"):
        yield f"TORCH={torch}: write TORCH=cuda for PyTorch with CUDA, or leave it out"
    found = next((one for one in str(venv) if one in HINDERING or one.isspace() or not one.isprintable()), "")
    if found:
        what, path = ("a space", str(venv)) if found == " " else (f"the character {found!r}", repr(str(venv)))
        yield (
            f"there is {what} in the path {path}, which Snakemake cannot start programs from; "
            "move the clone, or put the environment elsewhere: make VENV=/path/without/space ..."
        )
    yield from disk(venv, kind, there)


def ours(venv):
    """Whether nothing is there, or what `make install` or uv has made for this project: it names itself attnsvm."""
    try:
        said = (venv / "pyvenv.cfg").read_text("utf-8").splitlines()
    except (OSError, ValueError):
        return not os.path.lexists(str(venv)) or (venv.is_dir() and not os.listdir(str(venv)))
    uvs = "prompt = attnsvm" in said and venv.parent == ROOT
    return uvs or ("prompt = 'attnsvm'" in said and (venv.suffix == ".new" or (venv / ".installed").is_file()))


def swap(venv):
    """Put a whole environment in its place; its scripts name the place where they are. Returns 0."""
    new, old = (venv.with_name(venv.name + ending) for ending in (".new", ".old"))
    for path in (*new.glob("bin/*"), new / "pyvenv.cfg"):
        if path.is_file() and not path.is_symlink() and b"\0" not in path.read_bytes():
            path.write_bytes(path.read_bytes().replace(os.fsencode(str(new)), os.fsencode(str(venv))))
    if venv.is_dir() and os.listdir(str(venv)):
        shutil.rmtree(str(old), ignore_errors=True)
        venv.rename(old)
        print(f"The environment before is {old}, with whatever you had put into it; delete it if you like.")
    new.rename(venv)
    return 0


def disk(venv, kind, there):
    """Whether there is room, file system by file system."""
    needed: dict[int, list] = {}
    for path, size, what in (
        (Path.cwd(), RESULTS, "results"),
        (nearest(venv), 0 if there else INSTALLED[kind], "the environment"),
        (Path(tempfile.gettempdir()), 0 if there else UNPACKED, "pip's temporary files"),
    ):
        if size:
            entry = needed.setdefault(os.stat(str(path)).st_dev, [path, 0, []])
            entry[1] += size
            entry[2].append(what)
    for path, size, what in needed.values():
        free = shutil.disk_usage(str(path)).free
        if free < size:
            yield f"{gigabytes(free)} are free at {path}, and {gigabytes(size)} are needed ({', '.join(what)})"


def notes(venv, kind, there):
    """What is good to know beforehand, a sentence each."""
    cores, memory = limits()
    if memory < cores * MEMORY_OF_A_JOB:
        fit = max(1, int(memory // MEMORY_OF_A_JOB))
        yield f"{gigabytes(memory)} of memory are free for {cores} cores: run snakemake with --cores {fit}."
    if there:
        yield f"Installed in {venv}."
    else:
        download, size = gigabytes(DOWNLOADED[kind]), gigabytes(INSTALLED[kind])
        yield f"make install: downloads about {download} if pip or uv has nothing on disk, and takes {size} of disk."
    slower, compiling, how = pace(cores)
    for target, what in (("figures", "the paper"), ("all", "everything")):
        seconds = building(target, cores) * slower + compiling / cores
        yield f"make {target} ({what}): {between(seconds)} on {cores} cores."
    yield f"{gigabytes(RESULTS)} of disk hold all results. {how[0].upper()}{how[1:]}."


def building(target, cores):
    """Seconds of `make figures` or `make all` on the measured machine: what cores share, or the longest experiment."""
    with open(str(TIMES)) as file:
        times = json.load(file)
    texts = {card.parent.name: card.read_text("utf-8") for card in (EXPERIMENTS / "paper").rglob("card.yaml")}
    sets = (text.partition("\nunseen:\n")[2].partition("\n\n")[0] for text in texts.values())
    paper = {*texts, *(name for text in sets for name in re.findall(r"^  (\w+):", text, re.MULTILINE))}
    taken = [
        [(cost["cpu_s"] + START * cost["jobs"], cost["jobs"]) for cost in one["cost"].values() if cost]
        for name, one in times["experiments"].items()
        if target == "all" or name in paper
    ]
    together = sum(DRAWN + sum(seconds for seconds, _ in stages) for stages in taken)
    longest = max(DRAWN + sum(seconds / jobs for seconds, jobs in stages) for stages in taken)
    return max(together / cores, longest) / times["pace"]


def pace(cores):
    """How long this machine takes, as busy as it is now, against the measured one.

    As many processes as there are cores are timed side by side, in plain Python and in seconds of the clock.

    Returns:
        How many times more seconds it takes; seconds of processor time to compile loops first; how that is known.
    """
    count = max(1, min(cores, SIDE_BY_SIDE))
    told = _told([sys.executable, os.path.abspath(__file__), "--rounds"], count)
    slower = PYTHON_ROUNDS * len(told) / sum(one["rounds"] for one in told) if told else 1.0
    how = f"the speed of this machine was measured just now (load {os.getloadavg()[0]:.0f} on {cores} cores)"
    if has_loops():
        return slower, 0.0, how
    return slower, COMPILING * slower, f"{how}; the first run also compiles its loops"


def has_loops():
    """Whether an earlier run has left compiled loops."""
    folder = os.environ.get("NUMBA_CACHE_DIR") or str(Path(__file__).absolute().parents[2] / "training")
    return next(Path(folder).rglob("*.nbi"), None) is not None


def _told(command, count):
    """What `count` processes say that run side by side, each a line of JSON; [] where one does not."""
    try:
        runs = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) for _ in range(count)]
        return [json.loads(run.communicate(timeout=120)[0].decode()) for run in runs]
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return []


def between(seconds):
    """A time as a range in words."""
    low, high = seconds / WITHIN, seconds * WITHIN
    if high < 100:
        return f"{max(round(low / 10), 1) * 10} to {max(math.ceil(high / 10), 2) * 10} s"
    low, high = math.floor(low / 60 + 0.25), math.ceil(high / 60 - 0.25)
    return f"{max(low, 1)} to {max(high, 2)} min"


def rounds(budget=0.3):
    """Rounds of a small loop that plain Python does in a second, as busy as the machine is."""
    done, start, x = 0, time.perf_counter(), 0.5
    while time.perf_counter() - start < budget:
        for k in range(20000):
            x = math.exp(-x) + 1e-3 * (k & 7)
        done += 20000
    return done / (time.perf_counter() - start)


def nearest(path):
    """The folder itself, or the first above it that is there."""
    return next(folder for folder in (path, *path.parents) if folder.is_dir())


def limits():
    """Processors and bytes of memory that this process can use: a module of the package knows of containers."""
    sys.path.insert(0, str(ROOT))
    from attnsvm.system import machine

    return machine.processors(), machine.memory()


def gigabytes(size):
    return f"{size / GB:.1f} GB"


if __name__ == "__main__":
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # as other commands, it ends where nobody reads on
    sys.exit(main())
