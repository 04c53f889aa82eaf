"""make check: what stands in the way is said before anything is installed."""

import ast
import collections
import json
import re
import subprocess
import sys
import venv
from pathlib import Path

import pytest
from harness import ROOT

from attnsvm.pipeline.setup import environment_check

Usage = collections.namedtuple("Usage", "total used free")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder to stand in, on a processor as that of the times, with a large disk."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(
        environment_check, "_told", lambda command, count: [{"rounds": environment_check.PYTHON_ROUNDS}] * count
    )
    monkeypatch.setattr(environment_check, "has_loops", lambda: False)
    monkeypatch.setattr(environment_check.shutil, "disk_usage", lambda path: Usage(10**12, 0, 10**12))
    return tmp_path


def said(capsys, *arguments):
    status = environment_check.main(list(arguments))
    out, err = capsys.readouterr()
    return status, out, err


def test_where_nothing_stands_in_the_way_it_says_so_and_how_long_it_takes(folder, capsys, monkeypatch):
    monkeypatch.setattr(environment_check, "limits", lambda: (2, 64e9))
    monkeypatch.setattr(environment_check.platform, "system", lambda: "Linux")
    monkeypatch.setattr(environment_check.os, "getloadavg", lambda: (16.2, 0.0, 0.0))
    status, out, err = said(capsys)
    assert (status, err) == (0, "")
    assert out.startswith("Nothing is missing.\n")
    assert "takes 1.9 GB of disk." in out
    compiling = environment_check.COMPILING / 2
    for target, what in (("figures", "the paper"), ("all", "everything")):
        expected = environment_check.between(environment_check.building(target, 2) + compiling)
        assert f"make {target} ({what}): {expected} on 2 cores.\n" in out
    assert "all results. The speed of this machine was measured just now (load 16 on 2 cores); the first run" in out
    assert "takes 5.5 GB of disk" in said(capsys, "--torch", "cuda")[1]
    assert said(capsys, "--quiet") == (0, "", "")


def test_a_build_takes_what_its_stages_took_at_the_pace_of_their_machine(tmp_path, monkeypatch):
    """By hand: 3 s to draw each; 100 s in two jobs, and half a second for each; 40 jobs of no time."""
    monkeypatch.setattr(environment_check, "TIMES", tmp_path / "times.json")
    paper = {"cost": {"descent": {"cpu_s": 100.0, "jobs": 2}, "svm": None}}
    other = {"cost": {"problems": {"cpu_s": 0.0, "jobs": 40}}}
    times = {"experiments": {"local_convergence": paper, "geometries": other}, "pace": 0.5}
    environment_check.TIMES.write_text(json.dumps(times))
    assert environment_check.building("figures", 1) == 104 * 2
    assert environment_check.building("all", 1) == (104 + 23) * 2
    assert environment_check.building("all", 2) == 127
    assert environment_check.building("all", 100) == 53.5 * 2, "no experiment is done before its stages are"


@pytest.mark.parametrize(("compiled", "seconds"), [(True, 0.0), (False, 2 * environment_check.COMPILING)])
def test_the_minutes_are_those_of_plain_python_here(monkeypatch, compiled, seconds):
    monkeypatch.setattr(
        environment_check, "_told", lambda command, count: [{"rounds": environment_check.PYTHON_ROUNDS / 2}] * count
    )
    monkeypatch.setattr(environment_check, "has_loops", lambda: compiled)
    slower, compiling, how = environment_check.pace(2)
    assert (slower, compiling) == (2.0, seconds), "loops that are there need no compiling"
    assert ("the first run also compiles its loops" in how) == (not compiled)


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(4, "10 to 20 s"), (40, "30 to 50 s"), (240, "3 to 5 min"), (1000, "13 to 21 min"), (3000, "40 to 63 min")],
)
def test_a_time_is_said_as_a_range_that_holds_it(seconds, said):
    """No end is farther away than a third, beyond what rounding to minutes or ten seconds takes."""
    assert environment_check.between(seconds) == said


def test_an_old_python_is_named_with_the_remedy(folder, capsys, monkeypatch):
    monkeypatch.setattr(environment_check, "OLDEST", (9, 0))
    status, out, err = said(capsys)
    assert (status, out.count("Nothing stands")) == (1, 0)
    assert err.startswith("error: attnsvm needs Python >= 9.0, and this is 3.")
    assert "make PYTHON=" in err


def test_too_small_a_disk_is_named_with_what_it_would_take(folder, capsys, monkeypatch):
    monkeypatch.setattr(environment_check.shutil, "disk_usage", lambda path: Usage(10**10, 0, 3 * 10**9))
    monkeypatch.setattr(environment_check.platform, "system", lambda: "Linux")
    status, _, err = said(capsys)
    assert status == 1
    assert err.count("error: ") >= 1
    assert "3.0 GB are free at " in err
    (folder / "venv").mkdir()
    (folder / "venv" / ".installed").touch()
    (folder / "venv" / "pyvenv.cfg").write_text("prompt = 'attnsvm'\n")
    assert said(capsys, "--venv", "venv")[0] == 0, "installed already: the results fit"


def test_a_space_in_the_path_is_refused_and_an_environment_elsewhere_is_not(folder, capsys, monkeypatch):
    home = folder / "a b"
    home.mkdir()
    monkeypatch.chdir(home)
    status, _, err = said(capsys)
    assert status == 1
    assert "there is a space in the path" in err
    assert said(capsys, "--venv", str(folder / "venv"))[0] == 0


def test_an_unknown_torch_is_named(folder, capsys):
    assert "TORCH=gpu: write TORCH=cuda" in said(capsys, "--torch", "gpu")[2]


def test_little_memory_is_met_with_fewer_cores(folder, capsys, monkeypatch):
    monkeypatch.setattr(environment_check, "limits", lambda: (16, 3.2e9))
    assert "3.2 GB of memory are free for 16 cores: run snakemake with --cores 3." in said(capsys)[1]


def test_only_what_this_project_made_is_installed_into(folder, capsys):
    """The name that make gives to an environment is the one that is looked for."""
    letters, link, another = folder / "letters", folder / "link", folder / "another"
    letters.mkdir()
    (letters / "letter.txt").write_text("dear")
    link.symlink_to(letters)
    (folder / "file").write_text("no folder")
    (folder / "empty").mkdir()
    venv.create(another, prompt="another")
    prompt = re.search(r"-m venv --prompt (\w+) -- ", (ROOT / "Makefile").read_text())[1]
    venv.create(folder / "whole", prompt=prompt)
    (folder / "whole" / ".installed").touch()
    venv.create(folder / "typed", prompt=prompt)
    venv.create(folder / "third.old")
    for refused in ("letters", "link", "file", "another", "typed", "third", "."):
        status, _, err = said(capsys, "--quiet", "--venv", refused)
        assert status == 1, refused
        assert re.search(rf"^error: {(folder / refused).absolute()}(\.old)? is no environment of attnsvm", err)
    for taken in ("empty", "new", "whole"):
        assert said(capsys, "--quiet", "--venv", taken) == (0, "", "")


def test_a_whole_environment_takes_the_place_of_the_one_before_which_stays_beside_it(folder):
    """Its scripts start there; a program that is no script stays as it is."""
    for name, letter in (("venv", "dear"), ("venv.old", "older"), ("venv.new", "new")):
        (folder / name / "bin").mkdir(parents=True)
        (folder / name / "letter.txt").write_text(letter)
    tool, program = folder / "venv.new/bin/tool", folder / "venv.new/bin/program"
    (folder / "venv.new/bin/python").symlink_to(sys.executable)
    tool.write_text(f"#!{folder}/venv.new/bin/python\nprint('started')\n")
    tool.chmod(0o755)
    program.write_bytes(content := f"\0{folder}/venv.new".encode())
    assert environment_check.main(["--venv", "venv", "--swap"]) == 0
    assert subprocess.check_output([folder / "venv/bin/tool"], text=True) == "started\n"
    assert (folder / "venv/bin/program").read_bytes() == content
    assert [(folder / name / "letter.txt").read_text() for name in ("venv", "venv.old")] == ["new", "dear"]
    assert not (folder / "venv.new").exists()


def test_python_without_venv_is_named_with_the_remedy(folder, capsys, monkeypatch):
    monkeypatch.setattr(environment_check.importlib.util, "find_spec", lambda name: None)
    assert "sudo apt install python3-venv" in said(capsys)[2]


def test_it_needs_nothing_but_an_old_python():
    tree = ast.parse(Path(environment_check.__file__).read_text("utf-8"), feature_version=(3, 7))
    nodes = list(ast.walk(tree))
    imported = {alias.name.split(".")[0] for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    imported |= {node.module.split(".")[0] for node in nodes if isinstance(node, ast.ImportFrom)}
    assert imported <= {*sys.stdlib_module_names, "attnsvm"}


def test_make_check_says_how_long_a_build_takes(tmp_path):
    command = ["make", "check", f"PYTHON={sys.executable}", f"VENV={tmp_path / 'venv'}"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert re.search(r"make figures \(the paper\): \d+ to \d+ min on ", run.stdout), run.stderr
