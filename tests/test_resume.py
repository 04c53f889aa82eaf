"""Kills, damage, full disks and two runs at once: the figures are those of an undisturbed run, or there are none."""

import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from pipeline import PRODUCTS, ROOT, copy_repository, jobs, snakemake, snapshot, start

from attnsvm.files import checksums
from attnsvm.errors import UserError
from attnsvm.files.store import load_cells, load_csv, load_table, save_cells

TARGETS = ("figures/trajectories", "figures/feasibility")
BLOCK = "results/svm_rank/1-of-2"
# One file of each kind, and the rule that writes it.
KINDS = {
    f"{BLOCK}/problems.npz": "problems",
    f"{BLOCK}/descent.npz": "descent",
    f"{BLOCK}/svm.npz": "svm",
    "results/svm_rank/measures.parquet": "measures",
    "results/svm_rank/instances.parquet": "measures",
    "results/svm_rank/outcomes.csv": "measures",
    "results/svm_rank/certificates.csv": "measures",
    "figures/svm_rank.csv": "figure",
    "figures/svm_rank.png": "figure",
    "figures/svm_rank.pdf": "figure",
    "results/audit/claims.csv": "claims",
    "results/audit/audit.html": "claims",
    "figures/audit.png": "audit_figure",
}
DAMAGE = {
    "truncated": lambda data: data[: len(data) // 2],
    "emptied": lambda data: b"",
    "zeroed": lambda data: bytes(len(data)),
    "one bit flipped": lambda data: (
        data[: len(data) // 2] + bytes([data[len(data) // 2] ^ 1]) + data[len(data) // 2 + 1 :]
    ),
}
LOADERS = {".npz": load_cells, ".parquet": load_table, ".csv": load_csv}
ENDS = f"damaged ({checksums.DIFFERS}); it is built anew"


@pytest.fixture(scope="module")
def workshop(tmp_path_factory):
    """A folder for runs from nothing, and the final bytes and seconds of one of TARGETS that nothing disturbs."""
    folder = copy_repository(tmp_path_factory.mktemp("workshop"))
    assert snakemake(folder, *TARGETS).returncode == 0  # compiles, once for the folder
    empty(folder)
    begin = time.monotonic()
    run = snakemake(folder, *TARGETS)
    assert run.returncode == 0, run.stdout
    return folder, snapshot(folder, *PRODUCTS), time.monotonic() - begin


def empty(folder):
    for name in ("results", "figures", ".snakemake"):
        shutil.rmtree(folder / name, ignore_errors=True)


@pytest.fixture(scope="module")
def copy(built, tmp_path_factory):
    """A copy of the finished smoke run, for damage that the test repairs."""
    return shutil.copytree(built, tmp_path_factory.mktemp("copy") / "run")


def leftovers(folder):
    return [path for top in ("results", "figures") for path in (folder / top).rglob("*.tmp")]


def kill(process):
    """SIGKILL to all of a run that was started in a session of its own; its output."""
    os.killpg(process.pid, signal.SIGKILL)
    output, _ = process.communicate()
    return output


@pytest.mark.parametrize("seed", [*range(4), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(4, 24))])
def test_a_killed_run_resumes_to_the_same_bytes(workshop, seed):
    folder, expected, seconds = workshop
    empty(folder)
    moment = random.Random(seed).uniform(1, 0.95 * seconds)
    process = start(folder, *TARGETS, start_new_session=True)
    time.sleep(moment)
    kill(process)
    left = snapshot(folder, *PRODUCTS)
    print(f"seed {seed}: killed after {moment:.2f} of {seconds:.1f} s, {len(left)} of {len(expected)} files there")
    assert checksums.damaged([folder / "results", folder / "figures"]) == []  # what has its name is whole
    assert snakemake(folder, "--unlock").returncode == 0
    run = snakemake(folder, *TARGETS)
    assert run.returncode == 0, run.stdout
    assert snapshot(folder, *PRODUCTS) == expected
    assert leftovers(folder) == []


def test_a_killed_run_leaves_a_lock_that_is_explained_and_taken_away_once(workshop):
    folder, _, _ = workshop
    empty(folder)
    process = start(folder, "figures/feasibility", start_new_session=True)
    wait_for_lock(folder, process)
    kill(process)
    run = snakemake(folder, "figures/feasibility")
    assert run.returncode != 0
    assert "Directory cannot be locked" in run.stdout
    assert "--unlock" in run.stdout
    assert snakemake(folder, "--unlock").returncode == 0
    assert "Directory cannot be locked" not in snakemake(folder, "-n", "figures/feasibility").stdout


def test_a_second_run_in_the_same_folder_is_refused_and_the_first_goes_on(workshop):
    folder, expected, _ = workshop
    empty(folder)
    with start(folder, "figures/feasibility") as first:
        wait_for_lock(folder, first)
        second = snakemake(folder, "figures/feasibility")
        assert second.returncode != 0
        assert "Directory cannot be locked" in second.stdout
        assert first.poll() is None
        output, _ = first.communicate()
    assert first.returncode == 0, output
    assert snapshot(folder, *PRODUCTS).items() <= expected.items()
    assert (folder / "figures/feasibility.pdf").exists()


def wait_for_lock(folder, process):
    while process.poll() is None and not list(folder.glob(".snakemake/locks/*.output.lock")):
        time.sleep(0.02)
    assert process.poll() is None


def damage(path, how):
    data = path.read_bytes()
    path.write_bytes(DAMAGE[how](data))
    return data


@pytest.mark.parametrize("how", DAMAGE)
@pytest.mark.parametrize("name", KINDS)
def test_damage_is_found_by_name_and_never_read(copy, monkeypatch, name, how):
    monkeypatch.chdir(copy)
    path = copy / name
    original = damage(path, how)
    try:
        assert checksums.damaged(["results", "figures"]) == [name]
        if load := LOADERS.get(path.suffix):
            with pytest.raises(UserError, match=rf"{name}: damaged or truncated .*; delete it and run snakemake again"):
                load(name)
    finally:
        path.write_bytes(original)
    assert checksums.damaged(["results", "figures"]) == []


@pytest.mark.parametrize("name", KINDS)
def test_a_dry_run_names_the_damaged_file_and_its_rule_and_touches_nothing(copy, name):
    path = copy / name
    times = os.stat(path).st_atime_ns, os.stat(path).st_mtime_ns
    original = damage(path, "one bit flipped")
    os.utime(path, ns=times)  # size and date say nothing
    try:
        run = snakemake(copy, "-n", "figures/all", "audit")
        assert run.stdout.count(ENDS) == 1
        assert f"{name}: {ENDS}" in run.stdout
        assert jobs(run)[KINDS[name]] == 1
        assert path.read_bytes() == DAMAGE["one bit flipped"](original)
    finally:
        path.write_bytes(original)
        os.utime(path, ns=times)
    assert snapshot(copy, f"{path.parent.relative_to(copy)}/*.tmp") == {}


def rebuilt(built, tmp_path, how):
    """Damage every kind of file, each in its way, run, and compare with the undamaged run."""
    folder = shutil.copytree(built, tmp_path / "run")
    for name in KINDS:
        damage(folder / name, how[name])
    run = snakemake(folder, "figures/all", "audit")
    assert run.returncode == 0, run.stdout
    for name in KINDS:
        assert f"{name}: {ENDS}" in run.stdout
    assert snapshot(folder, *PRODUCTS) == snapshot(built, *PRODUCTS)


def test_the_next_run_rebuilds_what_is_damaged_to_the_byte(built, tmp_path):
    rebuilt(built, tmp_path, {name: list(DAMAGE)[k % len(DAMAGE)] for k, name in enumerate(KINDS)})


@pytest.mark.slow
@pytest.mark.parametrize("how", DAMAGE)
def test_the_next_run_rebuilds_every_kind_of_damage(built, tmp_path, how):
    rebuilt(built, tmp_path, dict.fromkeys(KINDS, how))


def test_verify_names_what_is_damaged(copy):
    command = [sys.executable, "-m", "attnsvm.files.verify"]
    environment = {**os.environ, "PYTHONPATH": str(copy)}

    def verify():
        return subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True, check=False)

    assert verify().returncode == 0
    name = "figures/cone.png"
    original = damage(copy / name, "zeroed")
    try:
        assert verify().returncode == 1
        assert verify().stdout.startswith(f"{name}: damaged")
    finally:
        (copy / name).write_bytes(original)


def test_a_block_that_lacks_an_array_ends_with_its_sentence(copy, tmp_path, monkeypatch):
    import yaml

    from attnsvm.pipeline import stages

    problems = load_cells(copy / BLOCK / "problems.npz")
    for arrays in problems.values():
        del arrays["queries"]
    save_cells(tmp_path / "problems.npz", problems)
    config = yaml.safe_load((ROOT / "config/config.yaml").read_text())["experiments"]["svm_rank"]
    with pytest.raises(UserError, match=r"problems\.npz: the array .*/queries is missing; delete it and run snakemake"):
        stages.descent("svm_rank", config, tmp_path / "problems.npz", tmp_path / "descent.npz")
    assert not (tmp_path / "descent.npz").exists()


def test_a_cell_that_is_missing_ends_with_its_sentence(tmp_path):
    save_cells(tmp_path / "descent.npz", {"n5": {"W": np.zeros(3)}})
    assert load_cells(tmp_path / "descent.npz")["n6"] == {}
    with pytest.raises(UserError, match=r"descent\.npz: the array n6/W is missing"):
        load_cells(tmp_path / "descent.npz")["n6"]["W"]


@pytest.mark.parametrize("block", ["9-of-2", "0-of-2"])
def test_a_block_beyond_the_last_is_refused(copy, block):
    run = snakemake(copy, f"results/svm_rank/{block}/problems.npz")
    assert run.returncode != 0
    assert f"there is no block {block}: blocks are 1-of-2 to 2-of-2" in run.stdout
    assert not (copy / f"results/svm_rank/{block}/problems.npz").exists()


WRITERS = {
    "save_cells": "store.save_cells('out/file.npz', {'a': {'x': numpy.zeros(9999)}})",
    "save_table": "store.save_table('out/file.parquet', pandas.DataFrame({'x': numpy.random.rand(9999)}))",
    "save_csv": "store.save_csv('out/file.csv', pandas.DataFrame({'x': numpy.random.rand(9999)}))",
    "save_text": "store.save_text('out/file.md', 'x' * 99999)",
    "style.save": "f = Figure(); f.add_subplot().plot(numpy.random.rand(999)); style.save(f, 'out/file')",
}


@pytest.mark.parametrize("writer", WRITERS)
def test_a_file_that_does_not_fit_ends_with_a_sentence_and_leaves_nothing(tmp_path, writer):
    """The limit of a process on the size of a file stands for a full disk: the same error, for every user."""
    program = f"""
import sys
import numpy, pandas
from matplotlib.figure import Figure
from attnsvm.files import store
from attnsvm.errors import UserError
from attnsvm.plots import style
try:
    {WRITERS[writer]}
except UserError as error:
    sys.exit(f"error: {{error}}")
"""
    run = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 1, run.stderr
    assert run.stderr.startswith("error: out/file.")
    assert "cannot be written (File too large); free space or make the folder writable" in run.stderr
    assert len(run.stderr.splitlines()) == 1
    assert os.listdir(tmp_path / "out") == []


@pytest.fixture
def small_disk():
    """A function that mounts a file system of so many kB on a folder, anew on the same one if asked again."""
    mounted = []

    def mount(folder, options):
        folder.mkdir(exist_ok=True)
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


@pytest.mark.parametrize("top", ["results", "figures"])
def test_a_full_disk_ends_with_a_sentence_and_the_next_run_completes(workshop, small_disk, top):
    folder, expected, _ = workshop
    empty(folder)
    small_disk(folder / top, f"size={FULL[top]}k")
    (folder / top / "here").touch()  # Snakemake removes a folder that a failed job leaves empty, which no mount allows
    run = snakemake(folder, *TARGETS)
    assert run.returncode != 0
    assert "cannot be written (No space left on device); free space or make the folder writable" in run.stdout
    assert "Traceback" not in run.stdout.replace("\n", " ")
    assert leftovers(folder) == []
    assert checksums.damaged([folder / "results", folder / "figures"]) == []
    small_disk(folder / top, "size=100m")
    again = snakemake(folder, *TARGETS)
    assert again.returncode == 0, again.stdout
    assert snapshot(folder, *PRODUCTS) == expected


FULL = {"results": 64, "figures": 16}


@pytest.mark.parametrize("top", ["results", "figures"])
def test_a_folder_that_is_read_only_ends_with_a_sentence(workshop, small_disk, top):
    folder, expected, _ = workshop
    empty(folder)
    small_disk(folder / top, "ro")
    run = snakemake(folder, *TARGETS)
    assert run.returncode != 0
    assert "Read-only file system" in run.stdout
    assert snapshot(folder, f"{top}/**/*") == {}
    small_disk(folder / top, "rw")
    again = snakemake(folder, *TARGETS)
    assert again.returncode == 0, again.stdout
    assert snapshot(folder, *PRODUCTS) == expected
