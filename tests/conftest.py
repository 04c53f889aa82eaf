"""One smoke run for every test that needs a finished one, whichever process of the test run it is in."""

import shutil
import subprocess

import pytest

from attnsvm.building import arithmetic

arithmetic.choose(
    "portable"
)  # as the jobs have it, before anything loads NumPy: so tests and jobs share compiled loops

from harness import build, copy_repository, give_loops, once  # noqa: E402

CHAIN = {"built", "copy", "workshop", "cluster"}  # fixtures that run the pipeline


@pytest.hookimpl(tryfirst=True)  # before -m chooses
def pytest_collection_modifyitems(items):
    """Mark what runs the pipeline, and let the files that do so come first.

    With several processes a file is given to one of them as a whole: the short files fill what the long ones leave.
    """
    slow = set()
    for item in items:
        if CHAIN & set(item.fixturenames):
            item.add_marker("chain")
            slow.add(item.path)
    items.sort(key=lambda item: item.path not in slow)


@pytest.fixture(scope="session")
def built(tmp_path_factory, request):
    """A folder in which the smoke pipeline has run once. Tests read it; those that change something take `copy`."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if hasattr(request.config, "workerinput") else base  # pytest-xdist: one folder for all workers

    folder, done = shared / "built", shared / "built.done"
    with once(shared / "built.lock", done) as first:
        if first:
            build(copy_repository(folder))
            give_loops(folder)
    return folder


@pytest.fixture
def copy(built, tmp_path):
    """A copy of the finished smoke run, to change."""
    return shutil.copytree(built, tmp_path / "copy")


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
