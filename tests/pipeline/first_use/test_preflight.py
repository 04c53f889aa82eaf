"""make check: what stands in the way is said before anything is installed."""

import ast
import collections
import re
import subprocess
import sys

import pytest
from harness import ROOT

from attnsvm.pipeline.first_use import preflight, speed

FILE = "attnsvm/pipeline/first_use/preflight.py"
Usage = collections.namedtuple("Usage", "total used free")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder to stand in, on a processor as that of the times, with a large disk."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(preflight, "rounds", lambda: preflight.PYTHON_ROUNDS)
    monkeypatch.setattr(preflight, "widest", lambda: "AVX-512")
    monkeypatch.setattr(preflight.shutil, "disk_usage", lambda path: Usage(10**12, 0, 10**12))
    return tmp_path


def said(capsys, *arguments):
    status = preflight.main(list(arguments))
    out, err = capsys.readouterr()
    return status, out, err


def test_where_nothing_stands_in_the_way_it_says_so_and_how_long_it_takes(folder, capsys, monkeypatch):
    monkeypatch.setattr(preflight.os, "cpu_count", lambda: 2)
    monkeypatch.setattr(preflight.platform, "system", lambda: "Linux")
    status, out, err = said(capsys)
    assert (status, err) == (0, "")
    assert out.startswith("Nothing is missing.\n")
    assert "takes 6.0 GB of disk and about 6 minutes at 100 Mbit/s" in out
    assert "make figures: about 19 minutes on 2 cores, and 1.5 GB of disk" in out
    assert "takes 1.0 times as long as the processor of the measured times: plain Python was timed; " in out
    assert "Together about 25 minutes" in out
    _, out, _ = said(capsys, "--torch", "cpu")
    assert "takes 2.4 GB of disk" in out
    assert "CUDA" not in out
    assert said(capsys, "--quiet") == (0, "", "")


def test_the_minutes_are_those_of_this_processor(folder, capsys, monkeypatch):
    """Half as fast, and with vectors half as long: loops take 2.6 times as long, everything else twice."""
    monkeypatch.setattr(preflight.os, "cpu_count", lambda: 2)
    monkeypatch.setattr(preflight, "rounds", lambda: preflight.PYTHON_ROUNDS / 2)
    monkeypatch.setattr(preflight, "widest", lambda: "AVX2")
    out = said(capsys)[1]
    slower = preflight.IN_LOOPS * 2.6 + (1 - preflight.IN_LOOPS) * 2
    assert f"make figures: about {19 * slower:.0f} minutes on 2 cores" in out
    assert "plain Python was timed, and it has AVX2; once installed, make check times the compiled loops" in out


def test_where_it_is_installed_the_compiled_loops_are_timed(folder, capsys, monkeypatch):
    (folder / "venv" / "bin").mkdir(parents=True)
    (folder / "venv" / ".installed").touch()
    python = folder / "venv" / "bin" / "python"
    for text, said_of_it in (("echo 3.0", "its compiled loops were timed, 3.0 times"), ("exit 1", "plain Python")):
        python.write_text(f'#!/bin/sh\ntest "$2" = attnsvm.pipeline.first_use.speed && {text}\n')
        python.chmod(0o755)
        assert said_of_it in said(capsys, "--venv", "venv")[1]


def test_the_speed_of_the_compiled_loops_is_a_ratio(capsys, monkeypatch):
    monkeypatch.setattr(speed, "FOR", 0.01)
    monkeypatch.setattr(speed, "STEPS", 20)
    here = {kind: speed.microseconds(kind) for kind in speed.THERE}
    monkeypatch.setattr(speed, "THERE", {kind: taken / 2 for kind, taken in here.items()})
    speed.main()
    assert 0.5 < float(capsys.readouterr().out) < 8, "twice as slow as what was just measured, on a busy machine"


def test_plain_python_is_timed_and_its_processor_looked_at():
    assert preflight.rounds(0.01) > 1e4
    assert preflight.widest() in ("AVX-512", "AVX2", "neither AVX-512 nor AVX2", "")


def test_an_old_python_is_named_with_the_remedy(folder, capsys, monkeypatch):
    monkeypatch.setattr(preflight, "OLDEST", (9, 0))
    status, out, err = said(capsys)
    assert (status, out.count("Nothing stands")) == (1, 0)
    assert err.startswith("error: attnsvm needs Python >= 9.0, and this is 3.")
    assert "make PYTHON=" in err


def test_too_small_a_disk_is_named_with_what_it_would_take(folder, capsys, monkeypatch):
    monkeypatch.setattr(preflight.shutil, "disk_usage", lambda path: Usage(10**10, 0, 3 * 10**9))
    monkeypatch.setattr(preflight.platform, "system", lambda: "Linux")
    status, _, err = said(capsys)
    assert status == 1
    assert err.count("error: ") >= 1
    assert "3.0 GB are free at " in err
    assert "make TORCH=cpu needs 3.6 GB less" in err
    (folder / "venv").mkdir()
    (folder / "venv" / ".installed").touch()
    assert said(capsys, "--venv", "venv")[0] == 0, "installed already: the results fit"


def test_a_space_in_the_path_is_refused_and_an_environment_elsewhere_is_not(folder, capsys, monkeypatch):
    home = folder / "a b"
    home.mkdir()
    monkeypatch.chdir(home)
    status, _, err = said(capsys)
    assert status == 1
    assert "there is a space in the path" in err
    assert said(capsys, "--venv", str(folder / "venv"))[0] == 0


def test_a_folder_that_cannot_be_written_to_and_a_missing_venv_are_named(folder, capsys, monkeypatch):
    monkeypatch.setattr(preflight, "can_write", lambda path: False)
    monkeypatch.setattr(preflight.importlib.util, "find_spec", lambda name: None)
    status, out, err = said(capsys)
    assert status == 1
    assert "cannot be written to" in err
    assert "sudo apt install python3-venv" in err
    assert "caches go to" in out, "a home that cannot be written to is no obstacle"


def test_a_folder_of_somebody_else_is_not_emptied(folder, capsys):
    """`venv --clear` deletes all that is in the folder: only what an installation of ours began may be deleted."""
    letters, link, empty = folder / "letters", folder / "link", folder / "empty"
    letters.mkdir()
    (letters / "letter.txt").write_text("dear")
    link.symlink_to(letters)
    (folder / "file").write_text("no folder")
    empty.mkdir()
    another = folder / "another"
    another.mkdir()
    (another / "pyvenv.cfg").write_text("home = /usr/bin\nversion = 3.11.2\n")
    for refused in ("letters", "link", "file", "another", "."):
        status, _, err = said(capsys, "--quiet", "--venv", refused)
        assert status == 1, refused
        assert f"VENV={(folder / refused).absolute()} holds something other than an environment of attnsvm" in err
    for taken in ("empty", "new"):
        assert said(capsys, "--quiet", "--venv", taken) == (0, "", "")
    run = make("install", f"PYTHON={sys.executable}", f"VENV={letters}")
    assert run.returncode != 0
    assert (letters / "letter.txt").read_text() == "dear"


def test_an_installation_that_was_interrupted_can_be_begun_again(folder, capsys):
    """The name that Makefile gives to an environment is the one that is looked for."""
    begun = re.search(r"-m venv --clear (--prompt \w+) ", (ROOT / "Makefile").read_text("utf-8"))[1]
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", *begun.split(), "begun"], check=True)
    assert said(capsys, "--quiet", "--venv", "begun") == (0, "", "")


def test_an_unknown_torch_is_named(folder, capsys):
    assert "TORCH=gpu: write TORCH=cpu" in said(capsys, "--torch", "gpu")[2]


def test_little_memory_is_met_with_fewer_cores(folder, capsys, monkeypatch):
    monkeypatch.setattr(preflight, "total_memory", lambda: 3.2 * 10**9)
    monkeypatch.setattr(preflight.os, "cpu_count", lambda: 16)
    assert "3.2 GB of memory for 16 cores: run snakemake with --cores 3." in said(capsys)[1]


def test_it_needs_nothing_but_an_old_python():
    tree = ast.parse((ROOT / FILE).read_text("utf-8"), feature_version=(3, 7))
    imported = {
        alias.name.split(".")[0] for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names
    }
    imported |= {node.module.split(".")[0] for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert imported <= set(sys.stdlib_module_names)


def make(*arguments):
    return subprocess.run(["make", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)


def test_make_check_runs_it_and_make_install_stops_at_what_it_finds(tmp_path):
    run = make("check", f"PYTHON={sys.executable}", f"VENV={tmp_path / 'venv'}")
    assert "make figures: about" in run.stdout, run.stderr
    run = make("install", f"PYTHON={sys.executable}", f"VENV={tmp_path / 'venv'}", "TORCH=gpu")
    assert run.returncode != 0
    assert "TORCH=gpu: write TORCH=cpu" in run.stderr
    assert not (tmp_path / "venv").exists()
    run = make("check", "PYTHON=nosuchpython")
    assert run.returncode != 0
    assert "error: there is no nosuchpython; choose one with: make PYTHON=" in run.stderr


def test_torch_without_cuda_is_one_variable_away():
    plain, cpu = (make("-n", "-B", "install", "VENV=nowhere", *more).stdout for more in ([], ["TORCH=cpu"]))
    assert "download.pytorch.org" not in plain
    assert "--extra-index-url https://download.pytorch.org/whl/cpu -r requirements.lock" in cpu
    assert "-c requirements-cuda.lock" in plain
