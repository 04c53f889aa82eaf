"""However a command ends, it leaves no process and no temporary file, and its status says what has ended it."""

import os
import shutil
import signal
import subprocess
import sys

import ends
import numpy as np
import pytest
from harness import ROOT
from small_models import TEXTS, bert

from attnsvm import command
from attnsvm.system import checksums

SMALL = ["--norms", "fro", "--draws", "0", "--layers", "0", "--inputs", "4"]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """What the commands read, {name: path}; each command has run once in this process, which so has their libraries."""
    import small_gguf

    folder = tmp_path_factory.mktemp("ends")
    rng, before = np.random.default_rng(0), os.getcwd()
    np.savez(
        folder / "tokens.npz", tokens=rng.normal(size=(8, 4, 3)), queries=rng.normal(size=(8, 3)), selected=[0] * 8
    )
    bert(folder / "model")
    small_gguf.written(folder / "model.gguf", small_gguf.small("llama"))
    (folder / "texts").write_text("\n".join(TEXTS[:8]))
    (folder / "letters").write_text("the he a\nab c the\nthe he\nhe the b\n")
    (folder / "built").mkdir()
    for name in ("a", "b"):
        (folder / f"built/{name}").write_text(name)
        checksums.beside(folder / f"built/{name}").write_bytes(checksums.line(folder / f"built/{name}", name))
    (folder / "warm").mkdir()
    os.chdir(folder / "warm")
    try:
        assert command.main(["solve", "../tokens.npz", "--norm", "l1", "--out", "../answer.npz"]) == 0
        assert command.main(["why", "../model.gguf", "--texts", "../letters", "--inputs", "4"]) == 0
        assert command.main(["inspect", "../model", "--texts", "../texts", "--jobs", "1", *SMALL]) == 0
    finally:
        os.chdir(before)
    return {path.name: str(path) for path in folder.iterdir()} | {"": str(folder)}


COMMANDS = {
    "inspect": ["inspect", "{model}", "--texts", "{texts}", "--jobs", "1", *SMALL],
    "inspect side by side": ["inspect", "{model}", "--texts", "{texts}", "--jobs", "2", *SMALL],
    "inspect a file": ["inspect", "{model.gguf}", "--texts", "{letters}", "--jobs", "2", *SMALL],
    "why": ["why", "{model}", "--texts", "{texts}", "--inputs", "4"],
    "why of a file": ["why", "{model.gguf}", "--texts", "{letters}", "--inputs", "4"],
    "solve": ["solve", "{tokens.npz}"],
    "verify": ["verify", "{answer.npz}", "{built}"],
    "export": ["export", "{answer.npz}", "--vipr", "out.vipr"],
    "deploy": ["deploy", "folder"],
}


def filled(arguments, files):
    return [files.get(one[1:-1], one) if one.startswith("{") else one for one in arguments]


@pytest.mark.parametrize("name", COMMANDS)
def test_a_signal_leaves_nothing(name, files, tmp_path):
    ends.tried(tmp_path, filled(COMMANDS[name], files))


@pytest.mark.parametrize("name", COMMANDS)
def test_where_nobody_reads_it_ends_as_every_command_does(name, files, tmp_path):
    ends.clean(ends.run(tmp_path / "closed", filled(COMMANDS[name], files), closed=True), 141)


def test_commands_in_the_folder_of_the_repository_leave_nothing(tmp_path):
    whole = ends.run(tmp_path / "whole", profile := ["profile", str(tmp_path / "whole/new"), "--cores", "4"], work=ROOT)
    ends.clean(whole, 0)
    for number in ends.SIGNALS:
        profile[1] = str(tmp_path / f"new-{number.name}")
        ends.clean(ends.run(tmp_path / number.name, profile, number, whole.calls // 2, work=ROOT), 128 + number)


def test_no_process_outlives_one_that_is_killed(tmp_path):
    """Nothing unwinds there: the pipes end."""
    program = (
        "from attnsvm.inspect.workers import workers; import time\n"
        "with workers(2) as submit:\n"
        "    submit(len, 'ab').result(); submit(time.sleep, 60); print('ready', flush=True); time.sleep(60)"
    )
    environment = os.environ | {"TMPDIR": str(tmp_path), "PYTHONPATH": str(ROOT)}
    with subprocess.Popen([sys.executable, "-c", program], env=environment, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"ready\n"
        process.send_signal(signal.SIGKILL)
    assert ends.left(str(tmp_path)) == []


@pytest.mark.parametrize("streams", ["", "2>&-", ">&- 2>&- <&-"])
def test_a_stream_that_is_closed_or_has_few_letters_stops_nothing(streams, files, tmp_path):
    """A file that is opened where a stream is closed would have its number, and what is said in it."""
    shutil.copy(files["tokens.npz"], tmp_path / "Ü.npz")
    environment = os.environ | {"PYTHONIOENCODING": "ascii", "PYTHONPATH": str(ROOT)}
    for arguments, status in (("solve Ü.npz --out Ä.npz", 0), ("verify Ä.npz", 0), ("solve é.npz", 1)):
        command = ["sh", "-c", f"exec {sys.executable} -m attnsvm.command {arguments} {streams}"]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, check=False)
        assert done.returncode == status, done.stderr
        assert not done.stdout or done.stdout.startswith((b"\\xc4.npz: solves \\xdc.npz", b"error: \\xe9.npz"))
    program = "import numpy, sys; sys.stderr = None; from attnsvm import AttentionSVM\n"
    program += "AttentionSVM(verbose=True).fit(*numpy.load(sys.argv[1]).values())"
    assert subprocess.run([sys.executable, "-c", program, files["tokens.npz"]], cwd=ROOT, check=False).returncode == 0


def test_a_full_disk_behind_what_is_printed_is_a_sentence():
    if not os.path.exists("/dev/full"):
        pytest.skip("no /dev/full")
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "attnsvm.command", "--version"],
            stdout=full, stderr=subprocess.PIPE, text=True, cwd=ROOT, check=False,
        )  # fmt: skip
    assert (done.returncode, done.stderr) == (
        1,
        "error: standard output: cannot be written (No space left on device)\n",
    )
