"""For who waits: which jobs begin first, and the expected time of a run, by hand."""

import json

import pytest

from attnsvm.pipeline.cluster.eta import FINISHING, OTHER, START, expected_time, known, priority, seconds
from attnsvm.pipeline.setup import environment_check

JOBS = [("descent", "cone"), ("descent", "cone"), ("measures", "cone"), ("figure", "")]


@pytest.fixture
def times(tmp_path):
    cost = {stage: {"wall_s": wall, "jobs": 1} for stage, wall in (("problems", 1), ("descent", 100), ("measures", 7))}
    path = tmp_path / "times.json"
    path.write_text(json.dumps({"experiments": {"cone": {"seeds": {"first": 0, "last": 8}, "cost": cost}}}))
    return path


def test_a_stage_is_shared_by_its_blocks_and_the_whole_by_the_cores(times):
    measured = known(times)
    assert seconds(JOBS, 1, measured) == pytest.approx(100 + 7 + OTHER + 3 * START)
    assert seconds(JOBS * 4, 2, measured) == pytest.approx((100 + 7 + 4 * OTHER + 12 * START) / 2)
    assert seconds(JOBS, 100, measured) == pytest.approx(50 + 7 + 2 * START), "the longest way"
    apart = [("measures_of_block", "cone")] * 7
    assert seconds(apart, 1, measured) == pytest.approx(7 + 7 * START)


def test_times_are_those_of_the_machine_that_paces_are_ratios_to(times):
    written = json.loads(times.read_text())
    times.write_text(json.dumps(written | {"pace": 0.5}))
    assert seconds([("descent", "cone")], 1, known(times)) == 200 + START


@pytest.mark.parametrize("content", [None, "{", '{"experiments": {}}'])
def test_without_times_every_job_counts_the_same(tmp_path, content):
    path = tmp_path / "times.json"
    if content is not None:
        path.write_text(content)
    assert seconds(JOBS, 1, known(path)) == len(JOBS) * OTHER


def test_a_long_run_says_how_long_and_a_short_one_nothing(times, monkeypatch):
    monkeypatch.setattr(environment_check, "pace", lambda cores: (2.0, 30.0, "measured"))
    assert expected_time(JOBS, 100, times) == ""
    assert expected_time(JOBS, 1, times) == "The jobs are expected to take 3 to 5 min: measured."


def test_the_longest_way_to_a_table_begins_first(times):
    """In two blocks: (1 + 100 + 7) / 2 seconds before the problems are drawn, 7 / 2 when the SVM alone is left."""
    measured = known(times)
    assert [priority(measured, stage, "cone", 2) for stage in ("problems", "descent", "svm")] == [54, 53.5, 3.5]
    assert priority(measured, "problems", "unmeasured", 2) == 4 * OTHER / 2
    assert priority(measured, "measures", "cone", 2) == priority(measured, "figure", "", 1) == FINISHING
