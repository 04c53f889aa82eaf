"""Two finished smoke runs for every test that needs one, whichever process of the test run it is in."""

import fcntl
import gc
import os
import shutil
import signal
import subprocess
import sys

import pytest
from xdist.scheduler import LoadFileScheduling

from attnsvm.pipeline.running import arithmetic

for name in ("SIGINT", "SIGHUP"):  # a shell ignores them in what it starts in the background, and so would commands
    signal.signal(getattr(signal, name), signal.default_int_handler if name == "SIGINT" else signal.SIG_DFL)
os.environ["HYPOTHESIS_NO_PLUGINS"] = "1"  # that of trio, which no test uses, loads trio
arithmetic.choose(
    "portable"
)  # as the jobs have it, before anything loads NumPy: so tests and jobs share compiled loops

from harness import FEW, ROOT, build, copy_repository, give_loops, once  # noqa: E402

from attnsvm.inspect import tokens  # noqa: E402

# In the process of the test: another one for each model takes two seconds. Tests of that process take `elsewhere`.
ELSEWHERE, tokens.elsewhere = tokens.elsewhere, tokens.answer

CLUSTER, COMPILING = "tests/pipeline/cluster/", "tests/training/"
# A process begins with each: the one compiles what `built` runs, the other the loop that takes longest.
FIRST = (f"{COMPILING}test_compiled.py", f"{COMPILING}test_composition.py")
# Of one process each: what shares a cluster, which waits, so make gives the suite a process more; what loads models.
TOGETHER = (CLUSTER, "tests/inspect/")
CHAIN = {"built", "everything", "copy", "workshop", "cluster"}  # fixtures that run the pipeline


@pytest.hookimpl(tryfirst=True)  # before -m chooses
def pytest_collection_modifyitems(items):
    """Mark what runs the pipeline, and let the files that do so come first.

    With several processes a file is given to one of them as a whole: the short files fill what the long ones leave. One
    process begins with `everything`, two with `FIRST`; the first of these two that is done goes on with the cluster,
    if that is wanted, and with `built`, which takes the loops that are compiled by then.
    """
    needs = {}
    for item in items:
        if chain := CHAIN & set(item.fixturenames):
            item.add_marker("chain")
            needs[item.path] = max(needs.get(item.path, 0), 3 if "everything" in chain else 2)
    first = next((path for path, rank in needs.items() if rank == 3), None)

    def rank(item):
        if item.path == first:
            return 0
        if item.nodeid.startswith(FIRST):
            return 1
        if item.nodeid.startswith(CLUSTER):
            return 2
        return needs.get(item.path, 2 if item.nodeid.startswith(COMPILING) else 4)

    items.sort(key=rank)


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Compile every file of tests once, not in each process of the run, and keep what was compiled for the next run.

    The first process to come compiles, where the others, and the next run, read. To compile is more than half of what
    collecting takes; PYTHONDONTWRITEBYTECODE, as containers have it, is for what the tests start. What collecting
    leaves is there to the end: the garbage collector does not look through it again and again.
    """
    before, sys.dont_write_bytecode = sys.dont_write_bytecode, False
    gc.disable()
    with open(__file__) as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            fcntl.flock(lock, fcntl.LOCK_SH)
        try:
            return (yield)
        finally:
            sys.dont_write_bytecode = before
            gc.freeze()
            gc.set_threshold(100_000, 20, 100)  # of what a compiler makes, little is garbage
            gc.enable()


class Scheduling(LoadFileScheduling):
    """A file to a process, but all of a folder of `TOGETHER` to one."""

    def _split_scope(self, nodeid):
        folder = next((folder for folder in TOGETHER if nodeid.startswith(folder)), None)
        return folder or super()._split_scope(nodeid)


def pytest_xdist_make_scheduler(config, log):
    return Scheduling(config, log)


def first_of_all(request, tmp_path_factory, name, make):
    """A folder of this name that one process of the test run makes, and all use."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if hasattr(request.config, "workerinput") else base  # pytest-xdist: one folder for all workers
    folder, done = shared / name, shared / f"{name}.done"
    with once(shared / f"{name}.lock", done) as first:
        if first:
            make(folder)
    return folder


@pytest.fixture(scope="session")
def built(tmp_path_factory, request):
    """A repository of FEW experiments in which the smoke pipeline has run once.

    Tests read it; those that change something take `copy`.
    """

    def make(folder):
        build(copy_repository(folder, FEW))
        give_loops(folder)

    return first_of_all(request, tmp_path_factory, "built", make)


@pytest.fixture(scope="session")
def everything(tmp_path_factory, request):
    """The whole repository with the smoke run of every experiment, made in one process without Snakemake; to read."""

    def make(folder):
        from in_process import run_all

        run_all(copy_repository(folder))
        give_loops(ROOT, folder)

    return first_of_all(request, tmp_path_factory, "everything", make)


@pytest.fixture(scope="module")
def workshop(built, tmp_path_factory):
    """A copy of the finished smoke run for all tests of a file, which undo what they change."""
    return shutil.copytree(built, tmp_path_factory.mktemp("workshop") / "run")


@pytest.fixture
def copy(built, tmp_path):
    """A copy of the finished smoke run, to change."""
    return shutil.copytree(built, tmp_path / "copy")


@pytest.fixture
def elsewhere(monkeypatch):
    """Tokenizers run in processes of their own, as users have it."""
    monkeypatch.setattr(tokens, "elsewhere", ELSEWHERE)


@pytest.fixture
def small_disk():
    """A function that mounts a file system of so many kB on a folder, anew on the same one if asked again."""
    mounted = []

    def mount(folder, options):
        folder.mkdir(exist_ok=True, parents=True)
        again = ["remount"] if folder in mounted else []
        command = ["mount", "-t", "tmpfs", "-o", ",".join([*again, options]), "tmpfs", str(folder)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        except FileNotFoundError:
            pytest.skip("mount is not installed")
        if done.returncode:
            pytest.skip(f"mounting a tmpfs needs root: {done.stderr.strip()}")
        if not again:
            mounted.append(folder)

    yield mount
    for folder in mounted:
        subprocess.run(["umount", str(folder)], check=True)
