"""The simulated cluster of benchmarks/makespan.py against schedules worked out by hand."""

import importlib.util
import os
from pathlib import Path

import pytest

PATH = Path(__file__).resolve().parents[2] / "benchmarks/makespan.py"


@pytest.fixture(scope="module")
def makespan():
    spec = importlib.util.spec_from_file_location("makespan", PATH)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_list_scheduling_on_two_cores(makespan):
    """Cores: 3 then 4, and 2 then 2 then 1: the last ends at 7."""
    jobs = [makespan.Job(length) for length in (3, 2, 2, 4, 1)]
    assert makespan.simulate(jobs, 2) == 7


def test_overhead_submission_rate_polling_and_the_login_node(makespan):
    """Submitted at 0, 1 and 2; two cores: 0–5, 1–6, 5–10; seen at 5, 10 and 10; then 2 s and 1 s on the login node."""
    jobs = [makespan.Job(4) for _ in range(3)]
    jobs += [makespan.Job(2, needs=(0, 1, 2), local=True), makespan.Job(1, needs=(3,), local=True)]
    assert makespan.simulate(jobs, 2, overhead=1, rate=1, poll=5) == 13


def test_a_circle_is_refused(makespan):
    with pytest.raises(ValueError, match="circle"):
        makespan.simulate([makespan.Job(1, needs=(0,))], 1)


def test_blocks_share_the_work_and_each_pays_the_start(makespan):
    measured = {
        "single": {"problems": [1], "descent": [1], "svm": [1], "measures": [1], "figure": [1]},
        "large": {"problems": [1, 1], "descent": [6, 16], "svm": [1, 1], "measures": [2], "figure": [1]},
    }
    # Start 3 s, work 5 s and 15 s; ten times larger 200 s, in four blocks of 50 s, uneven as measured.
    jobs, _ = makespan.pipeline(measured, 10, 50)
    assert [job.seconds for job in jobs if not job.local] == [28, 78, 28, 78, 3]
    assert [job.seconds for job in jobs if job.local] == [11, 1, 1, 1]
    assert jobs[5].needs == (0, 1, 2, 3)


def test_the_latest_way_of_cutting_is_read(makespan, tmp_path):
    blocks = {"1-of-2": 5, "2-of-2": 6, "1-of-1": 9}
    files = {f"one/{block}/{stage}": s for block, s in blocks.items() for stage in ("problems", "descent", "svm")}
    for name, length in {**files, "one/measures": 2, "figures/one": 3}.items():
        path = tmp_path / f"{name}.tsv"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"s\th:m:s\n{length}\t0:00:00\n")
        os.utime(path, (length, length))
    stages = {"problems": [9], "descent": [9], "svm": [9], "measures": [2], "figure": [3]}
    assert makespan.read(tmp_path) == {"one": stages}


def test_more_cores_never_take_longer_and_never_beat_the_bounds(makespan):
    jobs, _ = makespan.pipeline(makespan.MEASURED, 1, 10)
    times = [makespan.simulate(jobs, cores, overhead=4.5) for cores in (1, 2, 8, 64)]
    assert times == sorted(times, reverse=True)
    cluster = [job.seconds + 4.5 for job in jobs if not job.local]
    assert times[0] >= sum(cluster)
    assert times[-1] >= max(cluster)
