"""The simulated cluster against schedules worked out by hand, and the profile that is made from it."""

import json
import shutil

import pytest
import yaml
from harness import ROOT

from attnsvm.building import cards
from attnsvm.cluster.makespan import (
    DRAWING,
    GATHERING,
    MEASURED_TOGETHER,
    Cluster,
    Cost,
    Job,
    best,
    costs,
    cut,
    pipeline,
    simulate,
)
from attnsvm.command import main
from attnsvm.errors import UserError

PLAIN = {"overhead": 0.0, "rate": 1e9, "poll": 0.0, "local_cores": 1}
TIMES = ROOT / "profiles/times.json"
# Start 1 s a stage; beyond it 10 s of work in `large`, and 2 s of measuring.
SINGLE = Cost(1, {"problems": (1.0, 1), "descent": (4.0, 1), "svm": (1.0, 1), "measures": (1.0, 1)})
LARGE = Cost(320, {"problems": (2.0, 2), "descent": (12.0, 2), "svm": (2.0, 2), "measures": (3.0, 1)})
SMALL = Cost(5, {"problems": (1.0, 1), "descent": (1.0, 1), "measures": (1.0, 1)})
MEASURED = {"single": SINGLE, "large": LARGE, "small": SMALL}


def test_list_scheduling_on_two_cores():
    """Cores: 3 then 4, and 2 then 2 then 1: the last ends at 7."""
    jobs = [Job(length) for length in (3, 2, 2, 4, 1)]
    assert simulate(jobs, Cluster(2, **PLAIN)) == 7


def test_overhead_submission_rate_polling_and_the_login_node():
    """Submitted at 0, 1 and 2; two cores: 0-5, 1-6, 5-10; seen at 5, 10 and 10; then 2 s and 1 s on the login node."""
    jobs = [Job(4) for _ in range(3)]
    jobs += [Job(2, needs=(0, 1, 2), local=True), Job(1, needs=(3,), local=True)]
    how = {"overhead": 1, "rate": 1, "poll": 5, "local_cores": 1}
    assert simulate(jobs, Cluster(2, **how)) == 13
    # Every job of the cluster waits 20 s more: started at 20, 21 and, on the first free core, 25.
    assert simulate(jobs, Cluster(2, wait=20, **how)) == 33


def test_a_circle_is_refused():
    with pytest.raises(ValueError, match="circle"):
        simulate([Job(1, needs=(0,))], Cluster(1))


def test_blocks_share_the_work_and_each_pays_the_start():
    assert cut(MEASURED, 10, 25) == {"single": 1, "large": 4, "small": 1}
    few = pipeline(MEASURED, 10, cut(MEASURED, 10, 25), local=True)
    assert sorted(job.seconds for job in few if not job.local) == [2, 6, 28, 28, 28, 28]
    # Measured together: start, ten times the work of measuring, and the drawing.
    assert sorted(job.seconds for job in few if job.local) == pytest.approx([1 + DRAWING, 1 + DRAWING, 21 + DRAWING])
    assert few[-3].needs == (0, 1, 2, 3)


def test_in_many_blocks_measuring_is_shared_too():
    blocks = cut(MEASURED, 10, 10)
    assert blocks["large"] == 10 > MEASURED_TOGETHER
    many = pipeline(MEASURED, 10, blocks, local=False)
    assert many[0].seconds == pytest.approx(4 + (100 + 20) / 10)
    assert many[-3].seconds == pytest.approx(1 + 20 * GATHERING + DRAWING)
    assert not any(job.local for job in many)


def test_no_block_is_left_without_an_instance():
    assert cut(MEASURED, 1, 0.01)["large"] == LARGE.seeds
    assert set(cut(MEASURED, 1e-3, 0.01).values()) == {1}


def test_seeds_that_are_trained_together_are_not_taken_apart():
    """Both train 64 seeds in 41 s; of one, a single seed takes half of that, and so the other 31 cost nothing."""
    stages = {"problems": (1.0, 1), "descent": (41.0, 1), "measures": (1.0, 1)}
    measured = {"quick": Cost(9, dict.fromkeys(stages, (1.0, 1)))}
    measured |= {"lanes": Cost(64, stages, {"descent": 21.0}), "alone": Cost(64, stages, {"descent": 1.6})}
    blocks = cut(measured, 10, 1e-3)
    assert blocks == {"quick": 1, "lanes": 20, "alone": 640}
    longest = sorted({job.seconds for job in pipeline(measured, 10, blocks, local=False)[:661]})
    # A start of 1 s for each of three stages, of two in a single block; and 20 s for 32 seeds or 0.625 s for one.
    assert longest == pytest.approx([2, 3 + 40 / 64, 3 + 20])


def test_more_cores_never_take_longer_and_never_beat_the_bounds():
    measured = costs(TIMES)
    jobs = pipeline(measured, 1, cut(measured, 1, 10), local=False)
    times = [simulate(jobs, Cluster(cores, rate=1e9, poll=0)) for cores in (1, 2, 8, 64)]
    assert times == sorted(times, reverse=True)
    overhead = Cluster(1).overhead
    assert times[0] >= sum(job.seconds + overhead for job in jobs) - 1e-6
    assert times[-1] >= max(job.seconds for job in jobs) + overhead


def test_a_long_queue_or_a_slow_controller_asks_for_no_more_blocks():
    measured = costs(TIMES)
    quick, slow = (sum(best(measured, 100, Cluster(1000, rate=rate))[1].values()) for rate in (100.0, 2.0))
    assert slow < quick


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "profiles").mkdir()
    shutil.copytree(ROOT / "profiles/slurm", tmp_path / "profiles/slurm")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_profile_is_that_of_slurm_with_other_blocks(folder, capsys):
    asked = ["profile", "profiles/mine", "--cores", "200", "--scale", "100", "--rate", "100", "--times", str(TIMES)]
    assert main(asked) == 0
    said = yaml.safe_load((folder / "profiles/mine/config.yaml").read_text())
    model = yaml.safe_load((ROOT / "profiles/slurm/config.yaml").read_text())
    assert {key: value for key, value in said.items() if key not in ("set-scatter", "jobs", "groups")} == {
        key: value for key, value in model.items() if key not in ("set-scatter", "jobs", "groups")
    }
    assert said["jobs"] == 200
    assert model["groups"].items() <= said["groups"].items()
    known = {card.name for card in cards.experiments()}
    assert set(said["set-scatter"]) <= known
    assert max(said["set-scatter"].values()) > 50
    printed = capsys.readouterr().out
    assert set(said["set-scatter"]) == set(costs(TIMES))
    assert f"{sum(said['set-scatter'].values())} blocks" in printed
    assert "100 times the instances, which config/config.yaml must ask for" in printed
    assert "snakemake figures/all --profile profiles/mine" in printed


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--cores", "0"], "--cores: expected a number above 0 and below a million, got 0"),
        (["--cores", "9", "--wait", "-1"], "--wait: expected a number of seconds, got -1"),
        (["--cores", "9", "--wait", "inf"], "--wait: expected a number of seconds, got inf"),
        (["--cores", "9", "--scale", "inf"], "--scale: expected a number above 0 and below a million, got inf"),
        (["--cores", "9", "--times", "none.json"], "none.json: there is no such file"),
        (
            ["--cores", "9", "--times", "profiles/slurm/config.yaml"],
            "profiles/slurm/config.yaml: this is no file",
        ),
    ],
)
def test_what_cannot_be_is_said_in_one_sentence(folder, capsys, arguments, sentence):
    assert main(["profile", "mine", "--times", str(TIMES), *arguments]) == 1
    assert capsys.readouterr().err.startswith(f"error: {sentence}")
    assert not (folder / "mine").exists()


def test_a_profile_that_is_there_is_not_written_over(folder, capsys):
    assert main(["profile", "profiles/slurm", "--cores", "9", "--times", str(TIMES)]) == 1
    assert "profiles/slurm/config.yaml is there already" in capsys.readouterr().err


def test_without_times_nothing_is_guessed(tmp_path):
    cost = dict.fromkeys(("problems", "descent", "svm", "measures"))
    path = tmp_path / "audit.json"
    path.write_text(json.dumps({"experiments": {"cone": {"seeds": {"first": 0, "last": 2}, "cost": cost}}}))
    with pytest.raises(UserError, match="it says no times"):
        costs(path)
