"""`intermediates: drop`: the files of a block go once it is measured, and nothing else changes."""

import re
import shutil

import pytest
from harness import BUILT, DRAWN, NOTHING, build, clone, dry, jobs, of_these, snapshot

from attnsvm.pipeline.verify import main as verify

DROP = ("--set-scatter", "feasibility=6")  # measured block by block; trajectories is measured by the job that gathers
NAMES = "trajectories", "feasibility"
TARGETS = tuple(f"figures/{name}" for name in NAMES)
MEASURED = [f"{BUILT}/results/{name}/measures.parquet" for name in NAMES]
TABLES = [f"{BUILT}/results/{name}/*.{kind}" for name in NAMES for kind in ("parquet", "csv")]
OF_BLOCKS = "problems", "descent", "svm"
SEED = {"experiments": {"trajectories": {"problems": {"seed": 2}}}}


def configured(value, extra=None):
    return (extra or {}) | {"intermediates": value}


def run(folder, value, *arguments, extra=None):
    return build(folder, *TARGETS, *DROP, *arguments, extra=configured(value, extra))


def left(folder):
    """What lies in the folders of the blocks."""
    return {path.name for name in NAMES for path in (folder / BUILT / "results" / name).glob("*/*")}


@pytest.fixture(scope="module")
def expected(built):
    """The bytes of the figures and tables of a run that kept everything."""
    return of_these(snapshot(built, *DRAWN, *TABLES), *NAMES)


@pytest.fixture(scope="module")
def dropped(built, tmp_path_factory):
    """A finished run that dropped the files of its blocks."""
    folder = clone(built, tmp_path_factory.mktemp("dropped") / "run")
    run(folder, "drop")
    return folder


@pytest.fixture
def another(dropped, tmp_path):
    return shutil.copytree(dropped, tmp_path / "another")


def test_the_files_of_the_blocks_are_gone_and_their_checksums_with_them(dropped, expected):
    assert left(dropped) == {"measures.npz", ".measures.npz.sha256"}
    folders = [path for path in (dropped / BUILT / "results/trajectories").iterdir() if path.is_dir()]
    assert folders == []  # none is left empty
    assert snapshot(dropped, *DRAWN, *TABLES) == expected


def test_times_and_checks_go_on_without_them(dropped, capsys):
    assert verify([str(dropped / BUILT)]) == 0
    assert re.fullmatch(r"[1-9]\d* files compared, 0 answer files judged: nothing wrong\.\n", capsys.readouterr().out)
    assert '"cpu_seconds": null' not in (dropped / BUILT / "figures/feasibility.json").read_text()
    logs = {path.name: path.read_text() for path in (dropped / BUILT / "results/logs").rglob("*.log")}
    assert all("took" in logs[f"{stage}.log"] for stage in OF_BLOCKS)


@pytest.mark.parametrize("value", ["drop", "keep"])
def test_a_second_run_has_nothing_to_do(dropped, value):
    assert NOTHING in run(dropped, value, "-n").stdout


def test_a_changed_figure_is_drawn_and_nothing_trained(another):
    found = jobs(dry(another, *TARGETS, *DROP, extra=configured("drop", {"figures": {"dpi": 60}})))
    assert found == {"figure": 2, "provenance": 2}


def test_a_changed_seed_is_trained_anew_and_leaves_nothing_either(another):
    old = snapshot(another, f"{BUILT}/figures/*.csv")
    found = jobs(dry(another, *TARGETS, *DROP, extra=configured("drop", SEED)))
    assert found == {"problems": 1, "descent": 1, "svm": 1, "measures": 1, "figure": 1, "provenance": 1}
    run(another, "drop", extra=SEED)
    changed = {path for path, content in snapshot(another, f"{BUILT}/figures/*.csv").items() if content != old[path]}
    assert changed == {f"{BUILT}/figures/trajectories.csv"}
    assert left(another) == {"measures.npz", ".measures.npz.sha256"}


def test_what_an_earlier_run_kept_goes_where_it_is_asked_for(copy, expected):
    """A run in few blocks, which the job that gathers them measures."""
    assert left(copy) >= {f"{stage}.npz" for stage in OF_BLOCKS}
    build(copy, *TARGETS, "--delete-temp-output", extra=configured("drop"))
    assert not left(copy) & {f"{stage}.npz" for stage in OF_BLOCKS}
    assert NOTHING in build(copy, *TARGETS, extra=configured("drop")).stdout
    assert left(copy) == set()
    assert of_these(snapshot(copy, *DRAWN, *TABLES), *NAMES) == expected
