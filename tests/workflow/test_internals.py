"""What workflow/rules/internals.smk takes from inside Snakemake holds on the version that is installed.

Both have held unchanged since Snakemake 9.0. A version that is not named here may work as well: run this file with it,
and name it.
"""

import base64
import inspect
import json
import math
import os
import re
import shutil
from importlib.metadata import version
from unittest import mock

import pytest
from harness import BUILT, NOTHING, ROOT, build, clone, damage, dry, edited, restored, scheduled

from attnsvm.pipeline import records

HOLDS_FOR = ("9.27.1",)
SOURCE = ROOT / "workflow/rules/internals.smk"
RECORDS, TRAVELLING = ".snakemake/metadata", f"{BUILT}/results/.metadata"


def test_the_installed_version_is_one_that_these_tests_have_seen():
    assert version("snakemake") in HOLDS_FOR, "run tests/workflow/test_internals.py with it, and name it in HOLDS_FOR"
    assert re.search(
        rf"^snakemake=={re.escape(HOLDS_FOR[-1])}$", (ROOT / "requirements.lock").read_text(), re.MULTILINE
    )
    assert 'min_version("9.0")' in (ROOT / "Snakefile").read_text()


def test_the_file_names_what_it_reaches_for_and_this_test():
    text = SOURCE.read_text()
    for name in (
        "workflow.dag.forcefiles",
        "workflow.dag.update_needrun",
        ".snakemake/metadata",
        "tests/workflow/test_internals.py",
    ):
        assert name in text


def test_forced_files_are_a_set_that_the_graph_of_jobs_reads():
    import snakemake.api  # noqa: F401  imported the other way round, the two import each other in a circle
    from snakemake.workflow import DAG, Workflow

    source = inspect.getsource(DAG)
    assert re.search(r"self\.forcefiles(: [^=]+)? = set\(\)", source)
    assert "self.forcefiles" in inspect.getsource(DAG.update_needrun)
    assert inspect.iscoroutinefunction(DAG.update_needrun), "what our rules put in its place waits for the checksums"
    assert len(re.findall(r"self\.forcefiles(?!\.update|: | = )", source)) == 1, "it is read there alone"
    assert isinstance(inspect.getattr_static(Workflow, "is_main_process"), property)


def test_the_processor_time_of_a_job_is_looked_at_to_its_end(monkeypatch):
    """Snakemake's own interval would leave out up to half a minute at the end of every job."""
    from snakemake import benchmark

    waited = []
    monkeypatch.setattr(benchmark, "DaemonTimer", lambda seconds, _: waited.append(seconds) or mock.Mock())
    for interval in (benchmark.BENCHMARK_INTERVAL, math.inf):
        timer = benchmark.BenchmarkTimer(os.getpid(), mock.Mock(), interval)
        timer._times_called = 1000
        timer._schedule()
    assert waited == [30, 0.5]
    assert "BenchmarkTimer(int(pid or os.getpid()), result, interval)" in inspect.getsource(benchmark.benchmarked)
    assert re.search(
        r"class OftenLookedAt.*math\.inf.*benchmark\.BenchmarkTimer = Often", SOURCE.read_text(), re.DOTALL
    )


def test_the_longest_way_is_begun_first(built, tmp_path):
    """Of two experiments the one that takes longer in profiles/times.json, in whatever order they are asked for."""
    copy = clone(built, tmp_path / "copy")
    for asked in (("cone", "normalisation"), ("normalisation", "cone")):
        blocks = [path for name in asked for path in (built / BUILT / "results" / name).glob("seeds-*")]
        files = [str(path.relative_to(built) / "problems.npz") for path in blocks]
        begun = re.findall(
            r"(\w+) seeds-\S+: draw the problems", build(copy, *files, "--cores", "1", "--forceall").stdout
        )
        assert begun == ["normalisation"] * (len(blocks) - 1) + ["cone"]
    assert "priority" not in dry(copy, "figures/cone").stdout


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("results/svm_rank/seeds-2-3/svm.npz", "svm"),
        ("results/svm_rank/certificates.csv", "measures"),
        ("figures/svm_rank.png", "figure"),
    ],
)
def test_a_file_that_is_damaged_is_to_be_built_anew_whatever_its_size_and_date_say(workshop, name, rule):
    """It is not the first output of its rule, nor the newest: the file itself is forced, and nothing else."""
    with restored(workshop / BUILT, [name]):
        damage(workshop / BUILT / name)
        run = dry(workshop, "figures/svm_rank")
    assert f"{BUILT}/{name}: damaged" in run.stdout
    assert "Forced execution" in run.stdout
    order = ("problems", "svm", "measures", "figure", "provenance")
    assert scheduled(run) == {(after, "svm_rank") for after in order[order.index(rule) :]}


def record(folder, path):
    """Snakemake's record of what made a file."""
    return folder / RECORDS / base64.b64encode(path.encode(), b"@_").decode()


def test_there_is_one_small_record_per_file_which_holds_what_is_compared(built):
    for name in ("results/svm_rank/seeds-0-1/svm.npz", "results/svm_rank/measures.parquet", "figures/svm_rank.png"):
        said = json.loads(record(built, f"{BUILT}/{name}").read_text())
        assert {"params", "input", "input_checksums"} <= set(said)
        assert any(re.search(r"[0-9a-f]{64}", value) for value in said["params"]), "the hash of the code"
        rules = {"'svm'", "'measures'", "'figure'"}
        assert not rules & {*said["params"]}, "the name of the job is a function of the output: it is not compared"
    sizes = [path.stat().st_size for path in (built / RECORDS).rglob("*") if path.is_file()]
    assert sum(sizes) < 2_000_000


def test_the_records_lie_beside_the_results_when_a_run_ends(built):
    def names(folder):
        return {str(path.relative_to(built / folder)) for path in (built / folder).rglob("*") if path.is_file()}

    assert names(RECORDS) == names(TRAVELLING)


def test_records_of_ones_own_are_not_overwritten_by_those_that_travelled(copy):
    """They are copied where there are none: what a run knows of its own files is newer."""
    path = record(copy, f"{BUILT}/figures/svm_rank.png")
    said = json.loads(path.read_text())
    path.write_text(json.dumps(said | {"params": [*said["params"], "'another'"]}))
    assert scheduled(dry(copy, "figures/svm_rank")) == {("figure", "svm_rank"), ("provenance", "svm_rank")}


EDIT = {"attnsvm/svm/methods/interior_point.py": lambda text: f"{text}\n_EDITED = 1\n"}
EVERY = {(rule, "svm_rank") for rule in ("problems", "svm", "measures", "figure", "provenance")}


def test_the_records_have_the_format_that_snakemake_reads():
    import snakemake.api  # noqa: F401  as above
    from snakemake.persistence import RECORD_FORMAT_VERSION

    assert records.FORMAT == RECORD_FORMAT_VERSION


def test_a_file_without_a_record_is_built_anew_so_that_no_edit_goes_unseen(built, tmp_path):
    """Snakemake alone takes it for one that the code made as it is."""
    folder = clone(built, tmp_path / "with", f"{BUILT}/results", f"{BUILT}/figures")
    with edited(folder, EDIT):
        assert ("svm", "svm_rank") in scheduled(dry(folder, "figures/svm_rank"))
    without = clone(built, tmp_path / "without", f"{BUILT}/results", f"{BUILT}/figures")
    shutil.rmtree(without / TRAVELLING)
    run = dry(without, "figures/svm_rank")
    assert "there is no record of what made them; they are built anew" in run.stdout
    assert scheduled(run) == EVERY
    one = clone(built, tmp_path / "one", f"{BUILT}/results", f"{BUILT}/figures")
    name = f"{BUILT}/results/svm_rank/certificates.csv"  # its job has four other outputs
    (one / TRAVELLING / records.name(name)).unlink()
    run = dry(one, "figures/svm_rank")
    assert scheduled(run) == {(rule, "svm_rank") for rule in ("measures", "figure", "provenance")}


LOST = {
    "emptied": lambda data: b"",
    "cut": lambda data: data[:-1],
    "zeroed": lambda data: bytes(len(data)),
    "noise": lambda data: bytes(range(256)),
    "another value": lambda data: b'{"params": 7, "input": {"x": 1}}',
    "a list": lambda data: b"[1]",
    "gone": None,
}


@pytest.mark.parametrize("how", LOST)
def test_records_that_snakemake_has_lost_are_taken_from_beside_the_results(copy, how):
    """As after a power failure; and where both are lost, all is built anew."""
    for folder, expected in ((RECORDS, set()), (TRAVELLING, EVERY)):
        for path in [path for at in {RECORDS, folder} for path in (copy / at).iterdir()]:
            path.write_bytes(LOST[how](path.read_bytes())) if LOST[how] else path.unlink()
        assert scheduled(dry(copy, "figures/svm_rank")) == expected
        if not expected:
            with edited(copy, EDIT):
                assert ("svm", "svm_rank") in scheduled(dry(copy, "figures/svm_rank"))


def test_a_record_beside_the_results_is_that_of_the_file_which_is_there(copy):
    """It is gone while its file is written anew, so it never speaks for another one: the job sees that it is gone."""
    path = f"{BUILT}/results/svm_rank/seeds-0-1/svm.npz"
    gone, kept = (f"{TRAVELLING}/{records.name(one)}" for one in (path, path.replace("svm.npz", "problems.npz")))
    seen = f"\nfrom pathlib import Path\nassert (Path({gone!r}).exists(), Path({kept!r}).exists()) == (False, True)\n"
    assert (copy / gone).exists()
    with edited(copy, {"attnsvm/experiments/paper/svm_rank/svm.py": lambda text: f"{text}{seen}"}):
        build(copy, path)
    assert (copy / gone).exists()


@pytest.mark.parametrize("date", [4_000_000_000, 1])
def test_dates_of_a_clock_that_was_wrong_lose_nothing(copy, date):
    """In the future, or of 1970: what is built anew stays, though its inputs have later dates."""
    for path in (copy / BUILT).rglob("*"):
        if path.is_file():
            os.utime(path, (date, date))
    assert NOTHING in dry(copy, "figures/svm_rank").stdout
    with edited(copy, EDIT):
        run = build(copy, "figures/svm_rank")
        assert "clock skew" not in run.stdout
        assert NOTHING in dry(copy, "figures/svm_rank").stdout
