"""The one place where tests start Snakemake: at smoke scale, in a copy of the repository."""

import fcntl
import json
import os
import re
import shutil
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parent.parent
ENVIRONMENTS = ("environment.yml", "environment-more.yml")
PARTS = ("Snakefile", "attnsvm", "config", "profiles", "workflow", "paper", "CITATION.cff", *ENVIRONMENTS)
# The experiments of a house that is built in a minute: of one block and several, with and without descent, a figure of
# three experiments, one for SLURM, one that is optional. All: in_process.py by day, test_whole_house.py by night.
WITH_CARDS = (
    *("cone", "convergence_types", "feasibility", "hyperplanes", "local_convergence", "multi_token", "normalisation"),
    *("overview", "positional", "pretrained", "svm_rank", "trajectories"),
)
CARDS = (path for path in (ROOT / "attnsvm/experiments").rglob("card.yaml") if path.parent.name in WITH_CARDS)
FEW = (*WITH_CARDS, *(name for path in CARDS for name in yaml.safe_load(path.read_text("utf-8")).get("unseen", ())))
# The folder that a smoke run fills. What is in it is the same to the byte in every rebuild, but for figures/<name>.json
# and results/benchmarks, which hold times, results/logs, and the records, which name the logs.
BUILT = "smoke"
DRAWN = [f"{BUILT}/figures/*.{kind}" for kind in ("csv", "png", "pdf", "svg")]
PRODUCTS = (*DRAWN, *(f"{BUILT}/results/**/*.{kind}" for kind in ("npz", "parquet", "csv", "html")))
TARGETS = ("figures/all", "audit")
NOTHING = "Nothing to be done"
LONG_AGO = 1_000_000_000  # 2001: the date of an old edit
# What a job says of itself in a dry run, and so which it is: the rule, and the name of an experiment or a figure.
MESSAGES = {
    r"(\w+) seeds-\d+-\d+: draw the problems": "problems",
    r"(\w+) seeds-\d+-\d+: train by gradient descent": "descent",
    r"(\w+) seeds-\d+-\d+: solve and certify the SVMs": "svm",
    r"(\w+) seeds-\d+-\d+: measure$": "measures_of_block",
    r"(\w+): measure and gather the blocks": "measures",
    r"draw the (audit)": "audit_figure",
    r"draw (\w+)": "figure",
    r"check every (claim)": "claims",
    r"check the claims of (\w+)": "claims_of",
    r"look up the (numbers) of the paper": "paper_numbers",
    r"typeset the (paper)": "typeset",
    r"build the (site)": "site",
    r"say where (\w+) comes from": "provenance",
}


def few(cards):
    """The cards among these whose experiments are in FEW."""
    return [card for card in cards if card.name in FEW]


def copy_repository(target, experiments=None):
    """A copy of what the pipeline needs, with the files' dates, and with the compiled loop where there is one.

    experiments: the names of those it has; None: all.
    """
    target.mkdir(parents=True, exist_ok=True)
    for name in PARTS:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, target / name, ignore=shutil.ignore_patterns("*.pyc"), dirs_exist_ok=True)
        else:
            shutil.copy2(ROOT / name, target / name)
    for folder in [card.parent for card in (target / "attnsvm/experiments").rglob("card.yaml")]:
        if experiments is not None and folder.name not in experiments:
            for path in folder.iterdir():  # another experiment may lie inside
                if path.is_file():
                    path.unlink()
                elif path.name == "__pycache__":
                    shutil.rmtree(path)
    for folder in sorted((target / "attnsvm/experiments").rglob("*/"), reverse=True):
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()
    return target


def give_loops(source, target=ROOT):
    """Give a copy the loops that another copy has compiled: sources of the same date have the same code."""
    for index in source.glob("attnsvm/**/*.nbi"):
        place = target / index.relative_to(source)
        if not place.exists():
            place.parent.mkdir(exist_ok=True)
            for path in (*index.parent.glob(f"{index.stem}.*.nbc"), index):  # the index last: it names the others
                shutil.copy2(path, place.with_name(path.name))


def of_these(files, *names):
    """The part of {path: bytes} that these experiments or figures own: their folders, and files called after them."""
    return {path: data for path, data in files.items() if {*names} & {*re.split(r"[/.]", path)}}


def clone(built, target, *keep):
    """A copy of the repository without what was built in it, but for the folders `keep`; with all compiled code."""
    ignored = shutil.ignore_patterns(".snakemake", BUILT)
    shutil.copytree(built, target, ignore=lambda at, names: ignored(at, names) if Path(at) == built else [])
    for name in keep:
        shutil.copytree(built / name, target / name)  # with their dates, as cp -a does
    return target


def prepared(folder, arguments, extra, environment):
    """The arguments of a run at smoke scale with the configuration `extra`, and its environment."""
    configured = []
    if extra is not None:
        path = folder / f"extra-{os.getpid()}.yaml"
        path.write_text(yaml.safe_dump(extra))
        configured = ["--configfile", path.name]
    cores = [] if {"--cores", "--profile"} & set(arguments) else ["--cores", "2"]
    arguments = [*arguments, *cores, *configured, "--config", "scale=smoke"]
    return arguments, surroundings(folder, os.environ if environment is None else environment)


def surroundings(folder, environment):
    """This environment for a run in a folder: with the package of that folder, and our interpreter first."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{environment['PATH']}"
    return {**environment, "PATH": path, "PYTHONPATH": str(folder), "OMP_NUM_THREADS": "1"}


def start(folder, *arguments, extra=None, environment=None, **options):
    """Start Snakemake at smoke scale, with the configuration `extra`; stdout and stderr in one pipe."""
    arguments, environment = prepared(folder, arguments, extra, environment)
    return started(sys.executable, folder, arguments, environment, **options)


def started(python, folder, arguments, environment, before=(), **options):
    """Start Snakemake with these arguments and no other, by a command `before`; stdout and stderr in one pipe."""
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, **options}
    command = [*before, python, "-m", "snakemake", *arguments]
    return subprocess.Popen(command, cwd=folder, env=environment, text=True, **options)


def finished(folder, arguments, environment, python=sys.executable):
    """Run Snakemake with these arguments and no other; stdout and stderr in one text."""
    with started(python, folder, arguments, environment) as process:
        output, _ = process.communicate()
    return subprocess.CompletedProcess(arguments, process.returncode, output)


def snakemake(folder, *arguments, extra=None, environment=None):
    """Run Snakemake at smoke scale to its end; stdout and stderr in one text."""
    return finished(folder, *prepared(folder, arguments, extra, environment))


def as_typed(folder, *arguments, environment=None, python=sys.executable):
    """Run Snakemake to its end with these arguments and no other, as a user types them; what it says in one text."""
    return finished(folder, arguments, surroundings(folder, {**os.environ, **(environment or {})}), python)


def build(folder, *targets, **options):
    """Run Snakemake to its end, which must be a good one."""
    run = snakemake(folder, *(targets or TARGETS), **options)
    assert run.returncode == 0, run.stdout
    return run


def dry(folder, *targets, **options):
    """A dry run, which must be a good one."""
    return build(folder, *(targets or TARGETS), "-n", **options)


def jobs(run):
    """The table 'Job stats' of a dry run: {rule: count}, without the targets."""
    lines = run.stdout.split("Job stats:")[-1].splitlines()
    rows = [line.split() for line in lines]
    counts = {row[0]: int(row[1]) for row in rows if len(row) == 2 and row[1].isdigit()}
    return {
        rule: count for rule, count in counts.items() if rule not in ("total", "audit", "paper") and "/" not in rule
    }


def scheduled(run):
    """What a dry run would run: {(rule, name of the experiment or figure)}."""
    if NOTHING in run.stdout:
        return set()
    found = set()
    for message in re.findall(r"^Job \d+: (.*)$", run.stdout, re.MULTILINE):
        said = [(rule, match[1]) for pattern, rule in MESSAGES.items() if (match := re.fullmatch(pattern, message))]
        assert said, f"no rule of tests/harness.py says {message!r}"
        found.add(said[0])
    assert {rule for rule, _ in found} == set(jobs(run)), run.stdout
    return found


def run_python(program, *arguments, cwd=ROOT, **environment):
    """What a program says in a new interpreter, in which it must end well."""
    command, surrounding = [sys.executable, "-c", program, *map(str, arguments)], {**os.environ, **environment}
    run = subprocess.run(command, cwd=cwd, env=surrounding, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return run.stdout


def snapshot(folder, *patterns):
    """{path: bytes} of the files that match."""
    found = (path for pattern in patterns for path in folder.glob(pattern) if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(found)}


@contextmanager
def restored(folder, paths):
    """What these files hold, and their dates, are as before when the block ends; one that was not there is gone."""
    files = [folder / path for path in paths]
    before = [(file.read_bytes(), os.stat(file)) if file.exists() else None for file in files]
    try:
        yield
    finally:
        for file, old in zip(files, before, strict=True):
            if old is None:
                file.unlink()
            else:
                file.write_bytes(old[0])
                os.utime(file, ns=(old[1].st_atime_ns, old[1].st_mtime_ns))


@contextmanager
def edited(folder, changes, date=None):
    """Files with other content while the block lasts: {path: new text, or a function of the old one}; with a date."""
    with restored(folder, changes):
        for path, change in changes.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            old = (folder / path).read_text() if (folder / path).exists() else ""
            (folder / path).write_text(change(old) if callable(change) else change)
            if date is not None:
                os.utime(folder / path, (date, date))
        yield


def flip(data):
    """Bytes of which one has another bit."""
    middle = len(data) // 2
    return data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :]


DAMAGE = {
    "truncated": lambda data: data[: len(data) // 2],
    "emptied": lambda data: b"",
    "zeroed": lambda data: bytes(len(data)),
    "one bit flipped": flip,
}


def damage(path, how="one bit flipped"):
    """Damage a file as a failing disk does: no date says it."""
    times = os.stat(path)
    path.write_bytes(DAMAGE[how](path.read_bytes()))
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


@contextmanager
def once(lock, marker):
    """Whether this process is the first to come here: others wait until it is done, and then find `marker`."""
    with open(lock, "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield not marker.exists()
        marker.write_text(json.dumps({"by": os.getpid()}))
