"""The solver where nothing can be written: a read-only package, a user whom the system does not know, no home."""

import os
import shutil
import stat
import subprocess
import sys

import pytest
from harness import ROOT

from attnsvm import caches
from attnsvm.training.lanes import on_disk

NOBODY = "12345"  # no entry in the list of users
# Their files, without the right to write or to own: the interpreter may lie in a folder of root's.
AS_NOBODY = f"setpriv --reuid {NOBODY} --regid {NOBODY} --clear-groups --inh-caps +dac_read_search --ambient-caps "
AS_NOBODY += "+dac_read_search"
FIT = """
import numpy as np
from attnsvm import AttentionSVM
from attnsvm.svm.operator import _apply

rng = np.random.default_rng(0)
tokens, queries = rng.normal(size=(40, 11, 30)), rng.normal(size=(40, 30))
model = AttentionSVM().fit(tokens, queries, np.zeros(40, dtype=int))
print(model.status_, model.method_)
print(_apply._cache.cache_path)
"""
COMMANDS = """
from attnsvm import command

np.savez("tokens.npz", tokens=tokens, queries=queries, selected=np.zeros(40, dtype=int))
print(command.main(["solve", "tokens.npz"]), command.main(["verify", "answer.npz"]))
"""


@pytest.fixture(scope="module")
def readonly(tmp_path_factory):
    """A copy of the package without compiled code, that nobody may write to; above it, folders that anybody enters."""
    top = tmp_path_factory.mktemp("elsewhere")
    ignored = shutil.ignore_patterns("__pycache__", "experiments")
    shutil.copytree(ROOT / "attnsvm", top / "package" / "attnsvm", ignore=ignored)
    for path in (top / "package").rglob("*"):
        path.chmod(0o555 if path.is_dir() else 0o444)
    for path in (top / "package", top, *top.parents):
        if path.stat().st_uid == os.getuid() and path.is_relative_to(tmp_path_factory.getbasetemp().parent):
            path.chmod(path.stat().st_mode | 0o055)
    yield top
    for path in (top / "package").rglob("*"):
        if path.is_dir():
            path.chmod(0o755)  # so that it can be removed


def run(top, text, before=(), **environment):
    """The lines that a program prints as a user whom the system does not know, in an empty folder of theirs."""
    work = top / "work"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()
    work.chmod(0o777)
    given = {name: value for name, value in os.environ.items() if name not in ("HOME", "XDG_CACHE_HOME", "TMPDIR")}
    given |= {"PYTHONPATH": str(top / "package"), "PYTHONDONTWRITEBYTECODE": "1", **environment}
    as_nobody = AS_NOBODY.split() if os.getuid() == 0 else []
    command = [*before, *as_nobody, sys.executable, "-c", text]
    ended = subprocess.run(command, cwd=work, env=given, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout.splitlines()


@pytest.fixture(scope="module")
def nobody(readonly):
    """`run` there, or a skip where this user can neither be somebody else nor is already one without rights."""
    if os.getuid() == 0:
        command = [*AS_NOBODY.split(), sys.executable, "-c", ""]
        try:
            subprocess.run(command, check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError) as error:
            pytest.skip(f"setpriv gives up no rights here: {error}")
    return lambda *given, **environment: run(readonly, *given, **environment)


@pytest.fixture
def temporary(readonly):
    folder = readonly / "tmp"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    folder.chmod(0o777)
    return folder


@pytest.mark.parametrize("home", [{"HOME": "/"}, {}, {"HOME": "/nowhere/at/all"}], ids=["root of all", "none", "gone"])
def test_it_solves_and_keeps_its_code_in_a_private_folder(home, nobody, temporary):
    said, where, *rest = nobody(FIT + COMMANDS, TMPDIR=str(temporary), **home)
    assert said == "solved augmented Lagrangian"
    assert rest[-1] == "0 0"
    (kept,) = temporary.iterdir()
    assert where.startswith(f"{kept}/numba/")
    assert stat.S_IMODE(kept.stat().st_mode) == 0o700
    names = {path.name for path in (temporary.parent / "work").iterdir()}
    assert names == {"tokens.npz", "answer.npz"}, "nothing is left where the user works"


def test_it_keeps_its_code_in_the_users_cache_where_there_is_one(nobody, temporary):
    said, where = nobody(FIT, HOME=str(temporary))
    assert said == "solved augmented Lagrangian"
    assert where.startswith(f"{temporary}/.cache/numba/")


def test_it_solves_where_nothing_at_all_can_be_written(nobody, temporary):
    if os.getuid() != 0:
        pytest.skip("to make a mount read-only needs root")
    folders = " ".join(f"'{path}'" for path in ("/tmp", "/var/tmp", temporary.parent) if os.path.isdir(path))
    mounts = f"for f in {folders}; do mount --bind $f $f && mount -o remount,bind,ro $f || exit 3; done"
    before = ["unshare", "--mount", "sh", "-c", f'{mounts}; cd "$PWD"; exec "$@"', "sh"]
    if subprocess.run([*before, "true"], capture_output=True, check=False).returncode:
        pytest.skip("no private mounts on this system")
    said, where = nobody(FIT, before, HOME="/")
    assert said == "solved augmented Lagrangian"
    assert where == "None"


def test_a_temporary_folder_of_somebody_else_is_not_trusted(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    mine = caches.private()
    assert mine.parent == tmp_path
    assert caches.private() == mine
    mine.chmod(0o770)
    assert caches.private() is None
    mine.rmdir()
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    mine.symlink_to(tmp_path / "elsewhere")
    assert caches.private() is None
    mine.unlink()
    mine.write_text("a file")
    assert caches.private() is None


def test_the_working_folder_is_no_temporary_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TMPDIR", raising=False)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert caches.private() is None
    assert list(tmp_path.iterdir()) == []


def test_a_home_that_is_no_path_is_no_home(monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", "somewhere/relative")
    assert caches.of_the_user() is None


def test_a_folder_that_numba_refuses_after_all_is_passed_over(tmp_path, monkeypatch):
    """As one that an earlier `sudo` has filled; and numba's own choice is what it was."""
    monkeypatch.setattr(on_disk, "_folders", lambda source, wanted: iter(["refused", "fails"]))
    tried = []

    def decorate(cache=False, **options):
        tried.append((cache, on_disk.config.CACHE_DIR, options))
        if on_disk.config.CACHE_DIR == "refused":
            raise RuntimeError("cannot cache function: no locator available")
        if on_disk.config.CACHE_DIR == "fails":
            raise OSError("no space left on device")
        return lambda function: function

    own, options = on_disk.config.CACHE_DIR, {"nogil": True}
    assert on_disk.kept(decorate, run, **options) is run
    tried.append((False, on_disk.config.CACHE_DIR, options))
    assert tried == [(True, "refused", options), (True, "fails", options), *[(False, own, options)] * 2]


def test_a_full_disk_holds_no_code(small_disk, tmp_path):
    small_disk(tmp_path / "small", "size=64k")
    assert caches.writable(tmp_path / "small")
    assert not caches.writable(tmp_path / "small", on_disk.ROOM)
