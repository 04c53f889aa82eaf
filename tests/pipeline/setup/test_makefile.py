"""What make installs, writes and deletes: whatever is typed after it, nothing else runs, and nothing else is lost."""

import json
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
from harness import ROOT

from attnsvm.system import checksums

LISTS = ("requirements.lock", "requirements-all.lock", "requirements-cuda.lock")
FILES = ("Makefile", *LISTS, "pyproject.toml", "CITATION.cff")
CLEANING = (
    *("attnsvm/__init__.py", "attnsvm/pipeline/__init__.py", "attnsvm/pipeline/setup/__init__.py"),
    *("attnsvm/pipeline/setup/clean.py", *(f"attnsvm/system/{path.name}" for path in ROOT.glob("attnsvm/system/*.py"))),
)
PREFLIGHT = "attnsvm/pipeline/setup/environment_check.py"
# A program that notes its arguments, and what make has read for it; `-m venv` makes a folder with itself as python, and
# `uv export` prints a list.
STUB = """#!/bin/sh
for word in "$0" "$@"; do printf '%s\\0' "$word"; done >> "$TOLD"
printf '\\1%s\\0%s\\0%s\\0%s\\0%s\\0%s\\2' "$VENV" "$TORCH" "$PART" "$NAME" "$URL" "$PIP_USER" >> "$TOLD"
for last in "$@"; do :; done
case "$*" in
"-m venv "*) mkdir -p -- "$last/bin" && cp -- "$0" "$last/bin/python" ;;
*" --swap") [ ! -e "$VENV" ] || mv -- "$VENV" "$VENV.old"; mv -- "$VENV.new" "$VENV" ;;
"export "*) [ -z "$BROKEN" ] && printf '%s \\\\\\n    --hash=1\\n' numpy==9.9.9 'torch==9.9 ; x' tzdata==9 ;;
esac
"""
ODD = (
    *("precious x", "it's", 'so "called"', "$(touch pwned)", "$(shell touch pwned)", "${HOME}", "`touch pwned`"),
    *("a\nb", "a;touch pwned", "-rf", "a*", "~", "#x", "é", "\\", "$$", "%"),
)


@pytest.fixture
def clone(tmp_path):
    folder = tmp_path / "clone"
    (folder / PREFLIGHT).parent.mkdir(parents=True)
    (folder / "attnsvm/system").mkdir()
    for name in (*FILES, PREFLIGHT, *CLEANING):
        shutil.copy(ROOT / name, folder / name)
    return folder


@pytest.fixture
def python(clone):
    return program(clone.parent / "stub/python")


def make(clone, *arguments, **environment):
    """Without what `make test` has set, and without uv."""
    outside = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    path = ":".join(one for one in outside["PATH"].split(":") if not Path(one, "uv").exists())
    surrounding = {**outside, "PATH": path, "TOLD": str(clone.parent / "told"), **environment}
    command = ["make", *arguments]
    return subprocess.run(command, cwd=clone, env=surrounding, capture_output=True, text=True, check=False)


def program(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(STUB)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def told(clone):
    """What the programs were given: [(arguments, [VENV, TORCH, PART, NAME, URL])]."""
    path = clone.parent / "told"
    calls = path.read_text("utf-8").split("\2")[:-1] if path.exists() else []
    path.unlink(missing_ok=True)
    both = [call.split("\1") for call in calls]
    return [(arguments.split("\0")[:-1], given.split("\0")) for arguments, given in both]


def everything(folder):
    return {path: path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("how", ["argument", "environment"])
def test_what_is_typed_reaches_the_recipe_as_it_is(clone, python, odd, how):
    """No word of it is run, split or put in order, by make or by a shell."""
    before = everything(clone)
    given = {"PYTHON": str(python), "VENV": odd, "TORCH": odd}
    words = [f"{name}={value}" for name, value in given.items()] if how == "argument" else []
    run = make(clone, "check", *words, **(given if how == "environment" else {}))
    assert run.returncode == 0, run.stderr
    ((arguments, seen),) = told(clone)
    assert arguments == [str(python), PREFLIGHT, f"--venv={odd}", f"--torch={odd}"]
    assert seen[:2] == [odd, odd]
    run = make(clone, "address", f"URL={odd}", *words)
    assert run.returncode != 0
    assert "is no address; say which: make address URL=" in run.stderr
    assert make(clone, "help", "clean", f"VENV={odd}").returncode == 0
    assert everything(clone) == before


@pytest.mark.parametrize("odd", [odd for odd in ODD if odd != "~"])
def test_an_interpreter_is_one_word(clone, odd):
    """It may lie anywhere; one that is not there is named."""
    run = make(clone, "check", f"PYTHON={odd}")
    assert run.returncode != 0
    assert "error: there is no " in run.stderr
    python = program(clone.parent / odd.replace("\\", "_") / "python")
    assert make(clone, "check", f"PYTHON={python}").returncode == 0
    assert told(clone)[0][0][0] == str(python)
    assert not list(clone.parent.rglob("pwned"))


@pytest.mark.parametrize("odd", [*ODD, "a:b"])
def test_what_is_no_environment_of_ours_is_refused_and_nothing_in_it_is_touched(clone, odd):
    venv = clone.parent / "venvs" / odd
    venv.mkdir(parents=True)
    (venv / "letter.txt").write_text("dear")
    before = everything(clone.parent)
    run = make(clone, "install", f"PYTHON={sys.executable}", f"VENV={venv}")
    assert run.returncode != 0
    assert "is no environment of attnsvm; choose an empty or a new folder" in run.stderr
    assert everything(clone.parent) == before


@pytest.mark.parametrize("odd", ["environment", *ODD])
def test_an_environment_is_made_beside_the_one_before_for_the_content_of_the_lists(clone, python, odd):
    """A newer date installs nothing; nothing is deleted; what is there is run wherever it lies."""
    venv = clone.parent / "venvs" / odd
    given = (f"PYTHON={python}", f"VENV={venv}")
    assert make(clone, "install", *given, PIP_USER="1").returncode == 0
    calls = told(clone)
    pip = "-m pip install --quiet --no-compile --disable-pip-version-check --no-deps"
    torch = "--index-url https://download.pytorch.org/whl/cpu torch==2.13.0"
    assert [" ".join(arguments[1:]) for arguments, _ in calls] == [
        f"{PREFLIGHT} --venv={venv} --torch= --quiet",
        f"-m venv --prompt attnsvm -- {venv}.new",
        *(f"{pip} {which}" for which in (torch, "--require-hashes -r requirements.lock", "--no-build-isolation -e .")),
        f"{PREFLIGHT} --venv={venv} --torch= --swap",
    ]
    assert {seen[-1] for arguments, seen in calls if "pip" in arguments} == {"0"}
    (venv / "letter.txt").write_text("dear")
    for name in (*LISTS, "pyproject.toml"):
        os.utime(clone / name, (4_000_000_000, 4_000_000_000))
    for name in ("snakemake", "attnsvm"):
        program(venv / "bin" / name)
    targets = {"figures": ("snakemake", "figures/paper"), "compare": ("attnsvm", "compare")}
    targets["experiment"] = ("attnsvm", "experiment", "--", odd)
    for target, expected in targets.items():
        run = make(clone, target, *given, f"NAME={odd}")
        assert run.returncode == 0, run.stderr
        ((arguments, _),) = told(clone)
        assert (Path(arguments[0]).name, *arguments[1:]) == expected
        assert Path(arguments[0]).parent == venv / "bin"
    with (clone / "pyproject.toml").open("a") as project:
        project.write("# another\n")
    assert make(clone, "install", *given).returncode == 0
    assert [arguments[-1] for arguments, _ in told(clone)] == ["--quiet", "."], "the entry of this project alone"
    assert (venv / "letter.txt").read_text() == "dear"
    assert make(clone, "tools", *given, "TORCH=cuda").returncode == 0
    lists = [arguments[-1] for arguments, _ in told(clone) if "-r" in arguments]
    assert lists == ["requirements-cuda.lock", "requirements-all.lock"]
    assert (clone.parent / "venvs" / f"{odd}.old" / "letter.txt").read_text() == "dear"
    assert make(clone, "install", *given).returncode == 0
    assert not told(clone), "what has more has enough"
    assert not list(clone.parent.rglob("pwned"))


def test_uv_installs_where_it_is_found(clone, python):
    uv, venv = program(clone.parent / "uv/uv").parent, clone.parent / "venv"
    before = ":".join(one for one in os.environ["PATH"].split(":") if not Path(one, "uv").exists())
    assert make(clone, "install", f"PYTHON={python}", f"VENV={venv}", PATH=f"{uv}:{before}").returncode == 0
    calls = [arguments for arguments, _ in told(clone) if Path(arguments[0]).name == "uv"]
    into = ["pip", "install", "--quiet", "--python", f"{venv}.new/bin/python", "--no-deps"]
    assert [arguments[1:7] for arguments in calls] == [into] * 2
    assert calls[0][7:] == ["--require-hashes", "-r", "requirements.lock"]


def test_a_step_that_fails_leaves_the_environment_before_as_it_was(clone, python):
    venv = clone.parent / "venv"
    given = (f"PYTHON={python}", f"VENV={venv}")
    assert make(clone, "install", *given).returncode == 0
    before = everything(venv)
    (clone / "requirements.lock").write_text("numpy==9.9.9\n")
    python.write_text(STUB.replace('"-m venv "*)', '*"-e .") exit 7;;\n"-m venv "*)'))
    assert make(clone, "install", *given).returncode != 0
    assert everything(venv) == before
    told(clone)
    program(python)
    assert make(clone, "install", *given).returncode == 0
    assert len(told(clone)) == 6


@pytest.mark.parametrize("part", [*ODD, "workflow cluster", "PARTS", "PYTEST", "mathematic"])
def test_a_part_that_is_none_is_refused(clone, python, part):
    run = make(clone, "test", f"PART={part}", f"PYTHON={python}", f"VENV={clone.parent / 'venv'}")
    assert run.returncode != 0
    assert "PART: the parts are mathematics engine reading pipeline workflow house cluster hostile" in run.stderr
    assert not [arguments for arguments, _ in told(clone) if "pytest" in arguments]
    assert not list(clone.parent.rglob("pwned"))


def test_every_file_that_a_part_of_the_suite_names_is_there():
    asked = "print-%: ; @echo $($*)"
    command = ["make", "-s", f"--eval={asked}", "print-COMPILED", "print-LEFT"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    compiled, left = (line.split() for line in run.stdout.splitlines())
    files = [f"tests/experiments/test_{name}.py" for name in compiled] + left
    assert not [name for name in files if not (ROOT / name).exists()]


def test_the_lists_are_made_from_the_lock_and_a_failure_leaves_them(clone):
    before = {name: (clone / name).read_text() for name in LISTS}
    uv = f"{program(clone.parent / 'uv/uv').parent}:{os.environ['PATH']}"
    assert make(clone, "lock", PATH=uv, BROKEN="yes").returncode != 0
    assert {name: (clone / name).read_text() for name in LISTS} == before
    assert make(clone, "lock", PATH=uv).returncode == 0
    plain = "numpy==9.9.9 \\\n    --hash=1\ntzdata==9 \\\n    --hash=1\n"
    lists = [(clone / name).read_text() for name in LISTS]
    assert lists == [plain, plain, "torch==9.9 ; x \\\n    --hash=1\n"]
    assert "make lock needs uv: pip install uv" in make(clone, "lock").stderr


def built(folder, *names):
    """Files with the records of the jobs that made them, and a log of each."""
    for name in names:
        path, log = folder / name, f"{name.rpartition('figures/')[0]}results/logs/{Path(name).name}.log"
        (folder / log).parent.mkdir(parents=True, exist_ok=True)
        (folder / log).write_text("took 1.00 s, 1.00 s of a processor")
        path.parent.mkdir(parents=True, exist_ok=True)
        if name != "site":
            path.write_text("built")
        record = {"made": "0" * 64, "log": log, "inputs": {}}
        checksums.beside(path).write_bytes(checksums.line(path, path.name) + f"# {json.dumps(record)}\n".encode())


BUILT = ("results/cone/seeds-0-9/svm.npz", "smoke/figures/audit.png", "figures/cone.csv", "runs/d/figures/a b\\.csv")
OF_SNAKEMAKE = ("metadata/cmVzdWx0cy9jb25lLm5weg==", "locks/0.input.lock", "log/2026-11-28T084422.135407.snakemake.log")
OF_THE_USER = (
    *("results/notes.txt", "results/cone/.env", "results/logs/my_lab_book.txt", "results/logs/own.log"),
    *("results/benchmarks/mine.tsv", "smoke/logs/mine", "report.html"),
    *(".snakemake/conda/env.txt", ".snakemake/log/notes", ".snakemake/mine", "figures/mine.pdf"),
)
OF_THE_REPOSITORY = ("figures/README.md", "figures/gallery/cone.png", "paper/manuscript.typ")


def filled(folder):
    for name in (*OF_THE_USER, *OF_THE_REPOSITORY, *(f".snakemake/{name}" for name in OF_SNAKEMAKE), "site/a"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)
    built(folder, *BUILT, "paper/attnsvm.pdf", "site")
    (folder / "results/cone/.left.npz.123.tmp").write_text("killed")


def test_clean_deletes_what_a_build_made_and_names_what_stays(clone):
    before = everything(clone)
    filled(clone)
    run = make(clone, "clean")
    assert (run.returncode, run.stderr) == (0, "")
    left = {path for path in clone.rglob("*") if path.is_file()} - {*before}
    assert left == {clone / name for name in (*OF_THE_USER, *OF_THE_REPOSITORY)}
    assert run.stdout == f"left: .snakemake/conda/env.txt and {len(OF_THE_USER) - 1} others: not made by a build\n"
    for name in OF_THE_USER:
        (clone / name).unlink()
    assert make(clone, "clean").returncode == 0
    assert not (clone / "site").exists()


def test_clean_leaves_what_is_another_file_by_now(clone):
    """Of what was edited, of a user's answer with its checksum, and of a folder with one file more."""
    filled(clone)
    (clone / "figures/cone.csv").write_text("edited")
    (clone / "site/my_notes.txt").write_text("own")
    own = clone / "results/answer.npz"
    own.write_text("solved")
    checksums.beside(own).write_bytes(checksums.line(own, own.name))
    record = {"made": "", "log": "../thesis.log", "inputs": {}}
    (clone.parent / "thesis.log").touch()
    (clone / "results/.gone.csv.sha256").write_text(f"\n# {json.dumps(record)}\n")
    run = make(clone, "clean")
    assert "left: figures/cone.csv and 1 other: changed since a build made it\n" in run.stdout
    for path in (own, checksums.beside(own), clone / "site/a", clone / "site/my_notes.txt", clone / "figures/cone.csv"):
        assert path.exists()
    assert (clone.parent / "thesis.log").exists()


def test_clean_follows_no_link(clone):
    disk = clone.parent / "disk"
    filled(disk)
    (clone / "results").mkdir()
    for name in ("results/logs", "results/cone", "figures", "site", ".snakemake"):
        (clone / name).symlink_to(disk / name)
    (clone / "results/one.csv").symlink_to(disk / BUILT[0])
    (clone / "results/folder").symlink_to(disk / "results/cone")
    for name in (".pipe.csv.sha256", "other.csv"):
        os.mkfifo(clone / "results" / name)
    for name in ("folder", "other.csv"):
        shutil.copy(checksums.beside(disk / BUILT[0]), clone / f"results/.{name}.sha256")
    shutil.copy(checksums.beside(disk / BUILT[0]), clone / "results/.one.csv.sha256")
    before = everything(disk)
    run = make(clone, "clean")
    assert (run.returncode, run.stderr) == (0, "")
    assert "left: .snakemake and 6 others: a link, which is not followed\n" in run.stdout
    assert everything(disk) == before
    assert all((clone / name).is_symlink() for name in ("results/logs", "results/one.csv", "figures", "site"))


def test_no_command_of_make_has_a_word_that_is_not_set():
    targets = re.search(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)[1].split()
    run = subprocess.run(
        ["make", "-n", "--warn-undefined-variables", *targets],
        cwd=ROOT,
        env={name: value for name, value in os.environ.items() if not name.startswith("MAKE")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.returncode, run.stderr) == (0, "")


def test_term_ends_the_installation_and_what_it_has_started(clone, python):
    """As `kill` of make does: a pip that went on would fill an environment that nobody waits for."""
    python.write_text(STUB + 'case "$*" in *requirements.lock*) exec sleep 4321 ;; esac\n')
    environment = {**os.environ, "VENV": str(clone / "env"), "PYTHON": str(python), "TOLD": str(clone.parent / "told")}
    with subprocess.Popen(["make", "install"], cwd=clone, env=environment, stdout=subprocess.PIPE) as run:
        assert any(b"-r requirements.lock" in line for line in run.stdout), "it has begun"
        time.sleep(0.5)
        run.send_signal(signal.SIGTERM)
        assert run.wait(20) != 0
    listed = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    assert "sleep 4321" not in listed
