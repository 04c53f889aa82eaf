"""The solver, `inspect` and a figure on machines as they are: containers, notebooks, shared nodes.

Each is started there once, and has the bytes that it has anywhere else.
"""

import os
import shutil
import subprocess
import sys

import containers
import numpy as np
import pytest
from harness import BUILT, copy_repository, started, surroundings

FIGURE = f"{BUILT}/figures/cone"
DRAWN = [f"{FIGURE}.{kind}" for kind in ("csv", "png", "svg")]
NOBODY = 12345  # no entry in the list of users
AS_NOBODY = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
AS_NOBODY += ["--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"]  # the interpreter may lie with root
INSPECT = ["inspect", "heads.npz", "--norms", "fro", "--draws", "1", "--out", "inspected"]
SMOKE = [*DRAWN, "--config", "scale=smoke"]
NO_SHM = "mount --bind {0}/empty /dev/shm && mount -o remount,bind,ro /dev/shm || exit 77; "
NO_TMP = "for f in /tmp /var/tmp {0}; do mount --bind $f $f; done; "
NO_TMP += 'for f in /tmp /var/tmp; do mount -o remount,bind,ro $f || exit 77; done; cd "$PWD"; '
NOTEBOOK = {
    "MPLBACKEND": "module://matplotlib_inline.backend_inline",
    "JPY_PARENT_PID": "1",
    "JPY_SESSION_NAME": "x.ipynb",
    "PYTHONSTARTUP": "/nowhere.py",
    "FORCE_COLOR": "1",
    "NUMBA_DISABLE_JIT": "1",
}
WITHOUT = ("HOME", "XDG_CACHE_HOME", "TMPDIR", "LOGNAME", "USER", "USERNAME", "LNAME")


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    """A folder with the repository, in which the figure is built; beside it what the solver and inspect read."""
    top = tmp_path_factory.mktemp("machines")
    rng = np.random.default_rng(0)
    tokens, queries = rng.normal(size=(9, 4, 3)), rng.normal(size=(9, 3))
    np.savez(top / "tokens.npz", tokens=tokens, queries=queries, selected=[0] * 9)
    np.savez(top / "heads.npz", tokens=tokens, queries=queries, W=np.eye(3))
    copy_repository(top / "clone", ("cone",))
    start_all(top, dict(os.environ), cores=["--cores", "2"])
    for path in (top, *top.parents):
        if path.stat().st_uid == os.getuid() and path.is_relative_to(tmp_path_factory.getbasetemp().parent):
            path.chmod(path.stat().st_mode | 0o055)
    return top


@pytest.fixture
def machine(house, tmp_path):
    """A copy of the folder, without the figure, for one machine."""
    place = shutil.copytree(house, tmp_path / "machine")
    for path in (place / "clone" / BUILT / "figures").iterdir():
        path.unlink()
    (place / "empty").mkdir()
    tmp_path.chmod(0o755)
    return place


def start_all(place, environment, before=(), jobs=("--jobs", "2"), cores=("--cores", "1")):
    """Start all three, one after another; what each of them said."""
    environment = surroundings(place / "clone", environment)
    both = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    attnsvm = [*before, sys.executable, "-m", "attnsvm.command"]
    said = []
    for command in (["solve", "tokens.npz"], [*INSPECT, *jobs], None):
        if command:
            process = subprocess.Popen([*attnsvm, *command], cwd=place, env=environment, **both)
        else:
            process = started(sys.executable, place / "clone", [*SMOKE, *cores], environment, before)
        text, _ = process.communicate()
        if process.returncode == 77:
            pytest.skip(f"this cannot be done to a machine here: {text}")
        assert process.returncode == 0, text
        assert "Traceback" not in text
        said.append(text)
    return said


def same(place, house):
    """The solution, the table of heads and the figure have the bytes that they have where nothing is unusual."""
    for name in ("answer.npz", "inspected/heads.csv", *(f"clone/{path}" for path in DRAWN)):
        assert (place / name).read_bytes() == (house / name).read_bytes(), name


def in_namespace(script):
    """The command line that runs another one in a namespace of its own, with its mounts."""
    before = ["unshare", "--mount", "sh", "-c"]
    if not shutil.which("unshare") or subprocess.run([*before, "true"], capture_output=True, check=False).returncode:
        pytest.skip("no private mounts on this system")
    return [*before, f'{script}exec "$@"', "sh"]


def test_a_number_for_a_user_and_a_package_that_nobody_can_write_to(machine, house):
    """As `docker run --user`: no name, no home, no shared memory."""
    if os.getuid() != 0 or subprocess.run([*AS_NOBODY, "true"], capture_output=True, check=False).returncode:
        pytest.skip("this user cannot be another one")
    clone = machine / "clone"
    for path in (machine, *machine.rglob("*")):
        if not path.is_symlink():
            os.chown(path, NOBODY, NOBODY)
    for path in (clone / "attnsvm").rglob("*"):
        path.chmod(0o555 if path.is_dir() else 0o444)
    environment = {name: value for name, value in os.environ.items() if name not in WITHOUT}
    environment |= {"HOME": "/", "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        start_all(machine, environment, [*in_namespace(NO_SHM.format(machine)), *AS_NOBODY])
    finally:
        for path in (clone / "attnsvm").rglob("*"):
            if path.is_dir():
                path.chmod(0o755)  # so that it can be removed
    same(machine, house)


def test_no_folder_for_temporary_files(machine, house):
    start_all(machine, {**os.environ, "HOME": "/nowhere"}, in_namespace(NO_TMP.format(machine)))
    same(machine, house)


def test_a_container_with_less_than_its_machine(machine, house):
    """Limits of both kinds, one above the other; Snakemake and inspect are told nothing of processors."""
    limits = {"memory.limit_in_bytes": 1500 * 10**6}, {"cpu.cfs_quota_us": 100000, "cpu.cfs_period_us": 100000}
    with containers.group("memory", limits[0]) as memory, containers.group("cpu", limits[1]) as cpu:
        enter = ["sh", "-c", f'echo $$ > {memory}/cgroup.procs && echo $$ > {cpu}/cgroup.procs && exec "$@"', "sh"]
        *_, said = start_all(machine, dict(os.environ), enter, (), ())
    assert "Provided cores: 1 " in said
    same(machine, house)


def test_processors_taken_away(machine, house):
    if not shutil.which("taskset"):
        pytest.skip("taskset is not installed")
    before = ["taskset", "-c", str(min(os.sched_getaffinity(0)))]
    *_, said = start_all(machine, dict(os.environ), before, (), ())
    assert "Provided cores: 1 " in said
    same(machine, house)


def test_a_notebook(machine, house):
    """And the look that its user has given to figures."""
    (machine / "clone/matplotlibrc").write_text("font.size: 40\nsavefig.dpi: 20\ntext.usetex: True\n")
    start_all(machine, os.environ | NOTEBOOK)
    same(machine, house)


def test_a_repository_of_somebody_else_above_which_git_has_locked(machine, house):
    if not shutil.which("git"):
        pytest.skip("git is not installed")
    subprocess.run(["git", "init", "-q", machine], check=True)
    (machine / ".git/index.lock").touch()
    start_all(machine, dict(os.environ))
    same(machine, house)


@pytest.mark.parametrize("language", ["C", "tr_TR.UTF-8"])
def test_another_language_and_another_day(language, machine, house):
    known = subprocess.run(["locale", "-a"], capture_output=True, text=True, check=False).stdout.lower().split()
    if language.lower().replace("-", "") not in known:
        pytest.skip(f"the language {language} is not installed")
    given = {"LC_ALL": language, "LANG": language, "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    start_all(machine, os.environ | given | {"TZ": "Pacific/Kiritimati", "SOURCE_DATE_EPOCH": "4102444800"})
    same(machine, house)
