"""What make decides, writes and deletes: whatever is typed after it, nothing else runs, and nothing else is lost."""

import os
import re
import shutil
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from harness import ROOT

from attnsvm.pipeline.first_use import recipes

FILES = ("Makefile", "requirements.lock", "requirements-cuda.lock", "pyproject.toml", "CITATION.cff")
FIRST_USE = "attnsvm/pipeline/first_use"
# What a program is given: its arguments, and what make has read for it.
STUB = """#!/bin/sh
for word in "$0" "$@"; do printf '%s\\0' "$word"; done >> "$TOLD"
printf '\\1%s\\0%s\\0%s\\0%s\\0%s\\2' "$VENV" "$TORCH" "$PART" "$NAME" "$URL" >> "$TOLD"
"""
ODD = (
    *("precious x", "it's", 'so "called"', "$(touch pwned)", "$(shell touch pwned)", "${HOME}", "`touch pwned`"),
    *(
        "a\nb",
        "a;touch pwned",
        "a&&touch pwned",
        "a|touch pwned",
        "-rf",
        "--help",
        "a*",
        "~",
        "#x",
        "é",
        "\\",
        "$$",
        "%",
    ),
)


@pytest.fixture
def clone(tmp_path):
    folder = tmp_path / "clone"
    (folder / FIRST_USE).mkdir(parents=True)
    for name in FILES:
        shutil.copy(ROOT / name, folder / name)
    for path in (ROOT / FIRST_USE).glob("*.py"):
        shutil.copy(path, folder / FIRST_USE)
    return folder


def make(clone, *arguments, **environment):
    outside = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}  # of `make test`
    surrounding = {**outside, "TOLD": str(clone.parent / "told"), **environment}
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
def test_what_is_typed_reaches_the_recipe_as_it_is(clone, odd, how):
    """Every variable and every recipe: no word of it is run, split or put in order, by make or by a shell."""
    python = program(clone.parent / "stub/python")
    before = everything(clone)
    given = {"PYTHON": str(python), "VENV": odd, "TORCH": odd}
    if how == "argument":
        given |= {"NAME": odd, "URL": odd}
    words = [f"{name}={value}" for name, value in given.items()] if how == "argument" else []
    for target in ("install", "lock", "address", "clean", "check"):
        run = make(clone, target, *words, **(given if how == "environment" else {}))
        assert run.returncode == 0, run.stderr
        ((arguments, seen),) = told(clone)
        asked = [f"{FIRST_USE}/recipes.py", target]
        if target == "check":
            asked = [f"{FIRST_USE}/preflight.py", "--venv", odd, "--torch", odd]
        assert arguments == [str(python), *asked]
        assert seen[:2] == [odd, odd]
        assert seen[3:] == ([odd, odd] if how == "argument" else ["", ""]), "NAME and URL are typed, not found"
    run = make(clone, "help", f"VENV={odd}")
    assert run.returncode == 0, run.stderr
    assert everything(clone) == before


@pytest.mark.parametrize("odd", [odd for odd in ODD if odd != "~"])
def test_an_interpreter_is_one_word(clone, odd):
    """It may lie anywhere; one that is not there is named."""
    before = everything(clone)
    run = make(clone, "address", f"PYTHON={odd}")
    assert run.returncode != 0
    assert "error: there is no " in run.stderr
    assert everything(clone) == before
    python = program(clone.parent / odd.replace("\\", "_") / "python")
    assert make(clone, "address", f"PYTHON={python}").returncode == 0
    assert told(clone)[0][0][0] == str(python)


@pytest.mark.parametrize("odd", [*ODD, "a:b"])
def test_an_environment_that_no_program_starts_from_is_refused_and_none_is_emptied(clone, odd):
    venv = clone.parent / "venvs" / odd
    venv.mkdir(parents=True)
    (venv / "letter.txt").write_text("dear")
    before = everything(clone.parent)
    run = make(clone, "install", f"PYTHON={sys.executable}", f"VENV={venv}")
    assert run.returncode != 0
    assert "error: VENV=" in run.stderr
    assert everything(clone.parent) == before


@pytest.mark.parametrize("odd", [*ODD, "a:b"])
def test_what_is_there_is_run_wherever_it_lies(clone, odd):
    """An environment that is older than this check, or that somebody made by hand."""
    venv = clone.parent / "venvs" / odd
    for name in ("python", "snakemake", "attnsvm"):
        program(venv / "bin" / name)
    (venv / ".installed").touch()
    os.utime(venv / ".installed", (4_000_000_000, 4_000_000_000))
    targets = {"figures": ("snakemake", "figures/paper"), "compare": ("attnsvm", "compare")}
    targets["experiment"] = ("python", "-m", "attnsvm.pipeline.first_use.scaffold", odd)
    for target, expected in targets.items():
        run = make(clone, target, f"PYTHON={sys.executable}", f"VENV={venv}", f"NAME={odd}")
        assert run.returncode == 0, run.stderr
        ((arguments, _),) = told(clone)
        assert (Path(arguments[0]).name, *arguments[1:]) == expected
        assert Path(arguments[0]).parent == venv / "bin"
    assert not list(clone.parent.rglob("pwned"))


@pytest.mark.parametrize("part", [*(odd for odd in ODD), "workflow cluster", "PARTS", "PYTEST", "mathematic"])
def test_a_part_that_is_none_is_refused(clone, part):
    before = everything(clone)
    run = make(clone, "test", f"PART={part}", f"PYTHON={program(clone.parent / 'stub/python')}")
    assert run.returncode != 0
    assert "PART: the parts are mathematics engine reading pipeline workflow house cluster hostile" in run.stderr
    assert not [arguments for arguments, _ in told(clone) if "pytest" in arguments]
    assert everything(clone) == before


def test_an_environment_is_made_again_when_a_list_is_newer(clone, monkeypatch, capsys):
    commands = []
    monkeypatch.chdir(clone)
    monkeypatch.setattr(recipes.subprocess, "run", lambda command, **_: commands.append(command))
    monkeypatch.setattr(recipes, "_run", lambda *command: commands.append([*command]))
    monkeypatch.setenv("VENV", "venv")
    monkeypatch.setenv("TORCH", "cpu")
    (clone / "venv").mkdir()
    assert recipes.main(["install"]) == 0
    assert commands[0][1:3] == [str(recipes.PREFLIGHT), "--quiet"]
    assert commands[1:] == recipes.installing(sys.executable, Path("venv"), "cpu")
    commands.clear()
    assert recipes.main(["install"]) == 0
    assert commands == []
    os.utime(clone / "requirements.lock", (4_000_000_000, 4_000_000_000))
    assert recipes.main(["install"]) == 0
    assert len(commands) == 5


def test_the_lock_is_made_in_a_folder_of_its_own(clone, monkeypatch, capsys):
    """Nothing named after VENV is touched, and a failure leaves the lock as it was."""
    monkeypatch.chdir(clone)
    monkeypatch.setenv("VENV", "precious x")
    (clone / "precious").mkdir()
    (clone / "precious x-lock").mkdir()
    before = (clone / "requirements.lock").read_text()

    def run(command, **_):
        if broken and "freeze" in command:
            raise subprocess.CalledProcessError(7, command)
        return subprocess.CompletedProcess(command, 0, "numpy==9.9.9\ntorch==2.13.0+cpu\n")

    monkeypatch.setattr(recipes.subprocess, "run", run)
    monkeypatch.setattr(recipes, "_run", lambda *command: run([*command]))
    broken = True
    assert recipes.main(["lock"]) == 7
    assert (clone / "requirements.lock").read_text() == before
    broken = False
    assert recipes.main(["lock"]) == 0
    lines = (clone / "requirements.lock").read_text().splitlines()
    assert lines[-2:] == ["numpy==9.9.9", "torch==2.13.0"]
    assert all(line.startswith("#") for line in lines[:-2])
    assert (clone / "precious").is_dir()
    assert (clone / "precious x-lock").is_dir()


def built(folder, *names):
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("built")
        path.with_name(f".{path.name}.sha256").write_text("sum")


BUILT = ("results/cone/seeds-0-9/svm.npz", "results/audit/audit.html", "figures/cone.csv", "smoke/figures/cone.csv")
LOGS = ("results/logs/cone/svm.log", "results/benchmarks/cone.tsv", "smoke/results/.metadata/c21v")
OF_THE_USER = (
    *("figures/README.md", "figures/gallery/cone.png", "figures/mine.pdf", "results/notes.txt", "results/cone/.env"),
    *("smoke/logs/mine", "paper/manuscript.typ", "site/mine.html"),
)


def filled(folder):
    built(folder, *BUILT, "paper/attnsvm.pdf")
    for name in (*LOGS, *OF_THE_USER, ".snakemake/metadata/x", "report.html"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)
    (folder / "results/cone/.left.npz.123.tmp").write_text("killed")


def test_clean_deletes_what_a_build_made_and_names_what_stays(clone):
    before = everything(clone)
    filled(clone)
    run = make(clone, "clean", f"PYTHON={sys.executable}")
    assert run.returncode == 0, run.stderr
    left = {path for path in clone.rglob("*") if path.is_file()} - {*before}
    assert left == {clone / name for name in OF_THE_USER}
    named = {line.partition(": ")[0] for line in run.stdout.splitlines()}
    assert named == {"figures/mine.pdf", "results/notes.txt", "results/cone/.env", "smoke/logs/mine", "site"}
    for name in OF_THE_USER:
        (clone / name).unlink()
    assert make(clone, "clean", f"PYTHON={sys.executable}").returncode == 0
    assert not (clone / "results").exists()


def test_clean_goes_behind_links_and_leaves_them(clone):
    disk = clone.parent / "disk"
    filled(disk)
    built(disk, "elsewhere/svm.npz")
    for name in ("results", "figures", "site"):
        (clone / name).symlink_to(disk / name)
    (disk / "results/again").symlink_to(disk / "results")
    (disk / "results/one").symlink_to(disk / "elsewhere")
    run = make(clone, "clean", f"PYTHON={sys.executable}")
    assert run.returncode == 0, run.stderr
    for name in ("results", "figures"):
        assert (clone / name).is_symlink()
        built_there = [disk / other for other in BUILT if other.startswith(f"{name}/")]
        assert not any(path.exists() for path in built_there)
        assert all((disk / other).exists() for other in OF_THE_USER if other.startswith(f"{name}/"))
    assert not (disk / "elsewhere/svm.npz").exists()
    assert (disk / "site/mine.html").exists()
    assert "site: no build made it; it stays" in run.stdout


def test_no_command_of_make_has_a_word_that_is_not_set():
    makefile = (ROOT / "Makefile").read_text()
    targets = re.search(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)[1].split()
    run = subprocess.run(
        ["make", "-n", "--warn-undefined-variables", *targets],
        cwd=ROOT,
        env={name: value for name, value in os.environ.items() if not name.startswith("MAKE")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.returncode, run.stderr) == (0, "")


def test_term_ends_the_installation_and_what_it_has_started(clone):
    """As `kill` of make does: a pip that went on would fill an environment that nobody waits for."""
    environment = {**os.environ, "VENV": str(clone / "env"), "TORCH": ""}
    command = [sys.executable, f"{FIRST_USE}/recipes.py", "install"]
    with subprocess.Popen(command, cwd=clone, env=environment, stdout=subprocess.PIPE, start_new_session=True) as run:
        assert b" -m venv " in run.stdout.readline(), "it has begun"
        run.terminate()
        assert run.wait(20) == 128 + signal.SIGTERM
    assert not [line for line in _processes() if str(clone / "env") in line]


def _processes():
    return subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout.splitlines()
