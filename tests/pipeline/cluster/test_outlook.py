"""The line for who waits: expected times by hand, and how a run that goes otherwise corrects them."""

import json

import pytest

from attnsvm.pipeline.cluster.outlook import FINISHING, OTHER, START, TRUSTED, Outlook, known, line, priority

JOBS = [("descent", "cone"), ("descent", "cone"), ("measures", "cone"), ("figure", "")]


@pytest.fixture
def times(tmp_path):
    cost = {stage: {"wall_s": wall, "jobs": 1} for stage, wall in (("problems", 1), ("descent", 100), ("measures", 7))}
    path = tmp_path / "times.json"
    path.write_text(json.dumps({"experiments": {"cone": {"seeds": {"first": 0, "last": 8}, "cost": cost}}}))
    return path


def test_a_stage_is_shared_by_its_blocks(times):
    outlook = Outlook(JOBS, 2, times)
    assert outlook.expected(("descent", "cone")) == 50 + START
    assert outlook.expected(("measures", "cone")) == 7 + START
    assert outlook.expected(("figure", "")) == OTHER
    assert outlook.left([], 0.0) == pytest.approx((100 + 7 + OTHER + 3 * START) / 2)


def test_times_are_those_of_the_machine_that_paces_are_ratios_to(times):
    written = json.loads(times.read_text())
    times.write_text(json.dumps(written | {"pace": 0.5}))
    assert Outlook(JOBS, 2, times).expected(("descent", "cone")) == 100 + START


def test_the_whole_is_shared_by_the_cores_and_no_less_than_the_longest_way(times):
    few, many = Outlook(JOBS, 1, times), Outlook(JOBS, 100, times)
    few.pace, few.before = 2.0, 30.0
    assert few.whole() == pytest.approx((100 + 7 + OTHER + 3 * START) * 2 + 30)
    assert many.whole() == pytest.approx(50 + 7 + 2 * START)


def test_blocks_measured_apart_share_the_measuring(times):
    outlook = Outlook([("measures_of_block", "cone")] * 7, 1, times)
    assert outlook.expected(("measures_of_block", "cone")) == 1 + START


def test_a_run_twice_as_slow_takes_twice_as_long(times):
    """Half the training done in 50 s on two cores: 50 s were expected, 100 were used."""
    left = Outlook(JOBS, 2, times).left([("descent", "cone")], 50.0)
    ahead, behind = 50 + 7 + OTHER + 2 * START, 50 + START
    assert left == pytest.approx(ahead / 2 * (100 + TRUSTED) / (behind + TRUSTED))


def test_nothing_left_takes_no_time(times):
    assert Outlook(JOBS, 2, times).left(JOBS, 50.0) == 0


@pytest.mark.parametrize("content", [None, "{", '{"experiments": {}}'])
def test_without_times_every_job_counts_the_same(tmp_path, content):
    path = tmp_path / "times.json"
    if content is not None:
        path.write_text(content)
    assert Outlook(JOBS, 1, path).left([], 0.0) == len(JOBS) * OTHER


def test_the_longest_way_to_a_table_begins_first(times):
    """In two blocks: (1 + 100 + 7) / 2 seconds before the problems are drawn, 7 / 2 when the SVM alone is left."""
    measured = known(times)
    assert [priority(measured, stage, "cone", 2) for stage in ("problems", "descent", "svm")] == [54, 53.5, 3.5]
    assert priority(measured, "problems", "unmeasured", 2) == 4 * OTHER / 2
    assert priority(measured, "measures", "cone", 2) == priority(measured, "figure", "", 1) == FINISHING


@pytest.mark.parametrize(
    ("left", "said"), [(0, "10 s"), (44, "40 s"), (89, "90 s"), (100, "2 min"), (5000, "83 min"), (9000, "2.5 h")]
)
def test_the_line(left, said):
    assert line(3, 9, 2, 1, left) == f"3 of 9 jobs done, 2 running, 1 failed; about {said} left"


def test_at_the_end_nothing_is_left():
    assert line(9, 9, 0, 0, 30.0) == "9 of 9 jobs done, 0 running, 0 failed"
