"""Makespans against sums worked out by hand, and the profile that is made from them."""

import json
import shutil

import pytest
import yaml
from harness import ROOT

from attnsvm.command import main
from attnsvm.errors import UserError
from attnsvm.pipeline import cards
from attnsvm.pipeline.cluster.makespan import (
    DRAWING,
    GATHERING,
    MEASURED_TOGETHER,
    Chain,
    Cluster,
    Cost,
    best,
    chains,
    costs,
    cut,
    makespan,
)

PLAIN = {"overhead": 0.0, "rate": 1e9, "poll": 0.0, "local_cores": 1}
JOBS = [Chain(4, 10, 1), Chain(20, 1, 2)]  # 60 s of work in 11 blocks
TIMES = ROOT / "profiles/times.json"
# Start 1 s a stage; beyond it 10 s of work in `large`, and 2 s of measuring.
SINGLE = Cost(1, {"problems": (1.0, 1), "descent": (4.0, 1), "svm": (1.0, 1), "measures": (1.0, 1)})
LARGE = Cost(320, {"problems": (2.0, 2), "descent": (12.0, 2), "svm": (2.0, 2), "measures": (3.0, 1)})
SMALL = Cost(5, {"problems": (1.0, 1), "descent": (1.0, 1), "measures": (1.0, 1)})
MEASURED = {"single": SINGLE, "large": LARGE, "small": SMALL}


@pytest.mark.parametrize(
    ("cluster", "local", "seconds"),
    [
        # The cores are the limit: 60 s on two, and the last block of the usual length, 60 / 11, starts late.
        (Cluster(2, **PLAIN), True, 30 + 60 / 11),
        (Cluster(2, **PLAIN), False, 63 / 2 + 60 / 11),
        # Every job waits 50 s in the queue and pays 1 s.
        (Cluster(2, **PLAIN | {"wait": 50, "overhead": 1}), True, 50 + 71 / 2 + 1 + 60 / 11),
        # The submission: 11 jobs, or 13, at one in 10 s.
        (Cluster(2, **PLAIN | {"rate": 0.1}), True, 110 + 60 / 11),
        (Cluster(2, **PLAIN | {"rate": 0.1}), False, 130 + 60 / 11),
        # The longest chain: 20 s and 2 s, and a wait, an overhead and half a look at the queue for each of its jobs.
        (Cluster(1000, **PLAIN), True, 22),
        (Cluster(1000, **PLAIN | {"wait": 50, "overhead": 1, "poll": 10}), True, 22 + 56),
        (Cluster(1000, **PLAIN | {"wait": 50, "overhead": 1, "poll": 10}), False, 22 + 2 * 56),
    ],
)
def test_the_longest_of_work_submission_and_chain_decides(cluster, local, seconds):
    assert makespan(JOBS, cluster, local) == pytest.approx(seconds)


def test_what_is_gathered_on_the_login_node_shares_its_cores():
    assert makespan([Chain(1, 1, 30)] * 4, Cluster(1000, **PLAIN | {"local_cores": 2}), local=True) == 60


def test_blocks_share_the_work_and_each_pays_the_start():
    assert cut(MEASURED, 10, 25) == {"single": 1, "large": 4, "small": 1}
    single, large, small = chains(MEASURED, 10, cut(MEASURED, 10, 25))
    # Measured together: start, ten times the work of measuring, and the drawing.
    assert single == Chain(6, 1, pytest.approx(1 + DRAWING))
    assert large == Chain(28, 4, pytest.approx(21 + DRAWING))
    assert small == Chain(2, 1, pytest.approx(1 + DRAWING))


def test_in_many_blocks_measuring_is_shared_too():
    blocks = cut(MEASURED, 10, 10)
    assert blocks["large"] == 10 > MEASURED_TOGETHER
    large = chains(MEASURED, 10, blocks)[1]
    assert large.block == pytest.approx(4 + (100 + 20) / 10)
    assert large.last == pytest.approx(1 + 20 * GATHERING + DRAWING)


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
    # A start of 1 s for each of three stages, of two in a single block; and 20 s for 32 seeds or 0.625 s for one.
    assert [one.block for one in chains(measured, 10, blocks)] == pytest.approx([2, 3 + 20, 3 + 40 / 64])


def test_more_cores_never_take_longer_and_never_beat_the_bounds():
    measured = costs(TIMES)
    jobs = chains(measured, 1, cut(measured, 1, 10))
    times = [makespan(jobs, Cluster(cores, rate=1e9, poll=0), local=False) for cores in (1, 2, 8, 64)]
    assert times == sorted(times, reverse=True)
    overhead = Cluster(1).overhead
    assert times[0] >= sum(one.count * (one.block + overhead) + one.last + overhead for one in jobs)
    assert times[-1] >= max(one.block + one.last for one in jobs) + 2 * overhead


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
            "profiles/slurm/config.yaml: this is not a file",
        ),
    ],
)
def test_what_cannot_be_is_said_in_one_sentence(folder, capsys, arguments, sentence):
    assert main(["profile", "mine", "--times", str(TIMES), *arguments]) == 1
    assert capsys.readouterr().err.startswith(f"error: {sentence}")
    assert not (folder / "mine").exists()


def test_a_profile_that_is_there_is_not_written_over(folder, capsys):
    assert main(["profile", "profiles/slurm", "--cores", "9", "--times", str(TIMES)]) == 1
    assert "profiles/slurm/config.yaml already exists" in capsys.readouterr().err


def test_without_times_nothing_is_guessed(tmp_path):
    cost = dict.fromkeys(("problems", "descent", "svm", "measures"))
    path = tmp_path / "audit.json"
    path.write_text(json.dumps({"experiments": {"cone": {"seeds": {"first": 0, "last": 2}, "cost": cost}}}))
    with pytest.raises(UserError, match="it has no times"):
        costs(path)
