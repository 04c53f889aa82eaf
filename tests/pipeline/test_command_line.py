"""What Snakemake would answer with a traceback is one sentence; caches go where they can be written."""

import os
import shutil
import subprocess
import sys

import pytest
import yaml
from harness import ROOT

from attnsvm.pipeline import command_line
from attnsvm.system.errors import UserError


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder to stand in, with a configuration."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os, "environ", os.environ.copy())  # what is set here ends here
    (tmp_path / "good.yaml").write_text("scale: smoke\n")
    (tmp_path / "empty.yaml").write_text("")
    (tmp_path / "list.yaml").write_text("- scale\n")
    (tmp_path / "broken.yaml").write_text("figures: {dpi: 72\nscale: smoke: paper\n")
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--config", "experiments.cone.x=5"], "write it as --config 'experiments={cone: {x: 5}}'"),
        (["--config=figures.dpi=72"], "write it as --config 'figures={dpi: 72}'"),
        (["--config", "scale=smoke", "figures/cone"], "targets go before --config"),
        (["-C", "5=3"], "'5' is not a key; known are arithmetic, elsewhere, experiments, figures, intermediates, run,"),
        (["--config", "figures={dpi: 72"], "--config figures={dpi: 72: this is not YAML"),
        (["--configfile", "good.yaml", "missing.yaml"], "missing.yaml: there is no such file"),
        (["--configfile", "list.yaml"], "list.yaml: there are no keys and values in it"),
        (["--configfile", "broken.yaml"], "broken.yaml, line 2: this is not YAML"),
    ],
)
def test_a_slip_ends_with_its_sentence(folder, arguments, sentence):
    with pytest.raises(UserError) as caught:
        command_line.check(["figures/cone", *arguments, "-n"])
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("given", ["profile", "profile/config.yaml"])
@pytest.mark.parametrize("key", ["executor", "default-storage-provider"])
def test_a_profile_without_its_plugin_ends_with_one_sentence(folder, monkeypatch, given, key):
    kind = command_line.PLUGINS[key]
    (folder / "profile").mkdir()
    (folder / "profile/config.yaml").write_text(f"{key}: no-such-one\njobs: 3\n")
    missing = rf"^profile/config.yaml: its {kind} no-such-one is a plugin that is not installed: "
    missing += f"pip install snakemake-{kind}-plugin-no-such-one$"
    with pytest.raises(UserError, match=missing):
        command_line.check(["-n", "--profile", given])
    monkeypatch.setenv("SNAKEMAKE_PROFILE", given)
    with pytest.raises(UserError, match=missing):
        command_line.check(["-n"])
    (folder / "profile/config.yaml").write_text(f"{key}: none\n")
    command_line.check(["-n"])


KEPT = "this SLURM keeps no accounts, so sacct cannot say which jobs have ended"


@pytest.mark.parametrize(
    ("commands", "sentence"),
    [
        ({}, "there is no sinfo on PATH: start this where the commands of SLURM are, as on a login node"),
        ({"sinfo": "exec /bin/sleep 60"}, "SLURM does not answer: sinfo said nothing in 1 s; is its controller there?"),
        ({"sinfo": "echo 'Unable to contact' >&2; exit 1"}, "SLURM does not answer: Unable to contact"),
        ({"sinfo": "exit 1"}, "SLURM does not answer: sinfo failed"),
        ({"sinfo": "", "sacct": "", "scontrol": "echo 'AccountingStorageType   = accounting_storage/none'"}, KEPT),
        ({"sinfo": "", "sacct": "", "scontrol": "echo 'AccountingStorageType   = (null)'"}, KEPT),
        ({"sinfo": "", "sacct": "echo 'Slurm accounting storage is disabled' >&2; exit 1"}, KEPT),
        ({"sinfo": "", "sacct": "", "scontrol": "echo 'AccountingStorageType = accounting_storage/slurmdbd'"}, ""),
        ({"sinfo": "", "sacct": "echo 'the database is away'; exit 1"}, ""),
        ({"sinfo": ""}, ""),
    ],
)
def test_slurm_without_a_cluster_or_accounts_is_one_sentence(folder, monkeypatch, commands, sentence):
    """Whichever way it is asked for; a dry run needs no cluster."""
    (folder / "profile.yaml").write_text("executor: slurm\n")
    (folder / "bin").mkdir()
    for name, text in commands.items():
        (folder / "bin" / name).write_text(f"#!/bin/sh\n{text}\n")
        (folder / "bin" / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(folder / "bin"))
    monkeypatch.setattr(command_line, "PATIENCE", 1)
    command_line.check(["--profile", ".", "-n"])
    for arguments in (["--profile", "."], ["-e", "slurm"], ["--executor=slurm"]):
        if sentence:
            with pytest.raises(UserError) as caught:
                command_line.check(arguments)
            assert str(caught.value).startswith(sentence)
        else:
            command_line.check(arguments)
    if sentence == KEPT:
        command_line.check(["-e", "slurm", "--slurm-status-command", "squeue"])
        (folder / "profile.yaml").write_text("executor: slurm\nslurm-status-command: squeue\n")
        command_line.check(["--profile", "."])


@pytest.mark.parametrize("name", ["profile.yaml", "config.yaml", "config.v9+.yaml"])
def test_the_file_of_a_profile_may_have_each_of_snakemakes_names(folder, name):
    (folder / name).write_text("executor: slurm\n")
    assert command_line.executors(["--profile", "."]) == ["slurm"]


@pytest.mark.parametrize("text", ["", "- a", "a: [", "executor: local"])
def test_what_else_is_in_a_profile_is_left_to_snakemake(folder, text):
    (folder / "config.yaml").write_text(text)
    command_line.check(["--profile", ".", "elsewhere"])


@pytest.mark.parametrize("arguments", [["scale=smoke", "-n"], ["-n", "--", "figures/cone", "figures={dpi: 72}"]])
def test_a_setting_among_the_targets_is_told_where_it_belongs(folder, arguments):
    with pytest.raises(UserError, match=r"settings go after --config, as in snakemake figures/cone --config "):
        command_line.check(arguments)


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["a=b/figures.csv", "--set-scatter", "scale=3"],
        ["-n", "figures/cone"],
        ["--config", "scale=smoke", "figures={dpi: 72}", "experiments=", "-n"],
        ["--configfile", "good.yaml", "empty.yaml", "--config", "scale=smoke"],
        ["--cores", "2", "results/a.b=c"],
    ],
)
def test_what_snakemake_takes_is_left_to_it(folder, arguments):
    command_line.check(arguments)


def test_a_broken_configuration_of_the_project_is_named_with_its_line(folder):
    (folder / "config").mkdir()
    (folder / command_line.CONFIGFILE).write_text("scale: paper\nfigures: {]\n")
    with pytest.raises(UserError, match=r"^config/config.yaml, line 2: this is not YAML"):
        command_line.check(["-n"])


def test_a_slip_ends_the_process_with_its_sentence(folder, monkeypatch):
    monkeypatch.setattr("sys.argv", ["", "--config", "figures.dpi=72"])
    with pytest.raises(SystemExit) as caught:
        command_line.prepare()
    assert str(caught.value).startswith("error: --config figures.dpi=72: ")


@pytest.mark.parametrize("said", [[], ["-d", "/proc"], ["--directory=/proc"]])
def test_a_folder_that_cannot_be_written_to_is_named_before_snakemake_locks_it(folder, monkeypatch, said):
    """Nobody can make a file in /proc, not even root."""
    monkeypatch.setattr("sys.argv", ["", "-n", *said])
    if not said:
        monkeypatch.chdir("/proc")
    with pytest.raises(SystemExit) as caught:
        command_line.prepare()
    assert str(caught.value).startswith("error: the folder /proc cannot be written to, and Snakemake keeps its records")


def test_an_interruption_is_a_line_and_any_other_error_keeps_its_stack(folder, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", [""])
    monkeypatch.setattr("sys.excepthook", None)
    command_line.prepare()
    for error in (KeyboardInterrupt(), RuntimeError("an error of ours")):
        command_line.sys.excepthook(type(error), error, None)
    assert capsys.readouterr().err == "interrupted before the first job\nRuntimeError: an error of ours\n"


def test_a_python_that_snakemake_cannot_start_is_named(folder, monkeypatch):
    monkeypatch.setattr("sys.argv", [""])
    monkeypatch.setattr("sys.executable", "/home/some one/.venv/bin/python")
    with pytest.raises(SystemExit) as caught:
        command_line.prepare()
    assert str(caught.value).startswith("error: there is a space in /home/some one/.venv/bin/python")


def test_caches_stay_at_home_where_it_can_be_written_to(folder, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
    monkeypatch.delenv("MPLCONFIGDIR", raising=False)
    command_line.choose_caches()
    assert os.environ["XDG_CACHE_HOME"] == str(folder / "cache")
    assert "MPLCONFIGDIR" not in os.environ


@pytest.mark.parametrize("own", [None, "somewhere"])
def test_caches_go_to_a_private_folder_where_the_home_cannot_be_written_to(folder, monkeypatch, own):
    (folder / "file").write_text("")  # no folder can be made below a file, not even by root
    monkeypatch.setenv("HOME", str(folder / "file" / "home"))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr("tempfile.tempdir", None)
    for variable in ("MPLCONFIGDIR", "NUMBA_CACHE_DIR"):
        monkeypatch.setenv(variable, own) if own else monkeypatch.delenv(variable, raising=False)
    command_line.choose_caches()
    cache = os.environ["XDG_CACHE_HOME"]
    assert cache.startswith(str(folder))
    assert os.stat(cache).st_mode & 0o077 == 0
    assert os.environ["MPLCONFIGDIR"] == (own or os.path.join(cache, "matplotlib"))
    assert os.environ["NUMBA_CACHE_DIR"] == (own or os.path.join(cache, "numba"))
    del os.environ["XDG_CACHE_HOME"]
    command_line.choose_caches()
    assert os.environ["XDG_CACHE_HOME"] == cache, "the same folder in every run"


READ = """
def process_yaml(file_or_str):
    exec(statement, found := {})
    return found["cores"]
import sys, yaml
with open(sys.argv[1]) as file:
    (statement,) = yaml.safe_load(file)["__definitions__"]
    print(process_yaml(file))
"""


def test_the_default_profile_runs_nothing_of_the_folder_where_one_stands(tmp_path):
    """It works where there is no package at all beside it; one that lacks a module is no such place."""
    (tmp_path / "clone/profiles/default").mkdir(parents=True)
    shutil.copy(ROOT / "profiles/default/config.yaml", tmp_path / "clone/profiles/default")
    (tmp_path / "attnsvm").mkdir()
    (tmp_path / "attnsvm/__init__.py").write_text("print('a stranger')")
    program = f"import sys; sys.path = ['', {os.path.dirname(os.path.dirname(yaml.__file__))!r}, *sys.path]\n{READ}"

    def read(folder, profile):
        command = [sys.executable, "-I", "-S", "-c", program, str(profile)]
        return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)

    given = "clone/profiles/default/config.yaml"
    assert read(tmp_path, given).stdout == "all\n"
    assert int(read(tmp_path, ROOT / "profiles/default/config.yaml").stdout) > 0
    (tmp_path / "clone/attnsvm").mkdir()
    (tmp_path / "clone/attnsvm/__init__.py").touch()
    assert "No module named 'attnsvm.pipeline'" in read(tmp_path, given).stderr


def test_a_user_whom_the_system_has_no_name_for_is_called_by_the_number(folder, monkeypatch):
    def nameless():
        raise KeyError("getpwuid(): uid not found: 12345")

    monkeypatch.delenv("LOGNAME", raising=False)
    command_line.name_the_user()
    assert "LOGNAME" not in os.environ
    monkeypatch.setattr("getpass.getuser", nameless)
    command_line.name_the_user()
    assert os.environ["LOGNAME"] == str(os.getuid())


@pytest.mark.parametrize(
    ("arguments", "asked"),
    [
        (["kone", "figures/kone", "-n"], ["kone", "figures/kone"]),
        (["-n", "figures/kone", "kone"], ["figures/kone"]),
        (["-n", "--", "kone"], ["kone"]),
        (["good.yaml", "--config", "scale=smoke"], []),
        (["kone", "-s", "mine.smk"], []),
    ],
)
def test_what_is_asked_for_and_is_not_there(folder, arguments, asked):
    assert command_line.asked(["/bin/snakemake", *arguments]) == asked
    assert command_line.asked(["/bin/pytest", *arguments]) == []
