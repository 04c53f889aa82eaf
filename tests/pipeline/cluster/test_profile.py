"""Into how many blocks experiments are cut, worked out by hand, and the profile that is made from them."""

import json
import shutil

import pytest
import yaml
from harness import ROOT

from attnsvm.command import main
from attnsvm.pipeline import cards
from attnsvm.pipeline.blocks import MEASURED_TOGETHER
from attnsvm.pipeline.cluster.costs import Cost, costs
from attnsvm.pipeline.cluster.profile import cut
from attnsvm.system.errors import UserError

TIMES = ROOT / "profiles/times.json"
# Start 1 s a stage; beyond it 10 s of work in `large`, and 2 s of measuring.
SINGLE = Cost(1, {"problems": (1.0, 1), "descent": (4.0, 1), "svm": (1.0, 1), "measures": (1.0, 1)})
LARGE = Cost(320, {"problems": (2.0, 2), "descent": (12.0, 2), "svm": (2.0, 2), "measures": (3.0, 1)})
SMALL = Cost(5, {"problems": (1.0, 1), "descent": (1.0, 1), "measures": (1.0, 1)})
MEASURED = {"single": SINGLE, "large": LARGE, "small": SMALL}


def test_the_work_of_every_block_is_about_what_was_wanted():
    """Ten times `large` is 100 s of work; the others have one block's."""
    assert cut(MEASURED, 10, 25) == {"single": 1, "large": 4, "small": 1}
    assert cut(MEASURED, 10, 10) == {"single": 1, "large": 10, "small": 1}


def test_where_measuring_is_long_it_is_shared_too():
    """Measuring ten times `large` takes 20 s: it is shared where there are more blocks than are measured together."""
    assert cut(MEASURED, 10, 50)["large"] == 2
    assert cut(MEASURED, 10, 19)["large"] == 5 == MEASURED_TOGETHER + 1
    long = {"long": Cost(320, LARGE.stages | {"measures": (301.0, 1)})}
    assert cut(MEASURED | long, 10, 1000)["long"] == MEASURED_TOGETHER + 1


def test_no_block_is_left_without_an_instance():
    assert cut(MEASURED, 1, 0.01)["large"] == LARGE.seeds
    assert set(cut(MEASURED, 1e-3, 0.01).values()) == {1}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "profiles").mkdir()
    shutil.copytree(ROOT / "profiles/slurm", tmp_path / "profiles/slurm")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_profile_is_that_of_slurm_with_other_blocks(folder, capsys):
    asked = ["profile", "profiles/mine", "--cores", "200", "--scale", "100", "--times", str(TIMES)]
    assert main(asked) == 0
    said = yaml.safe_load((folder / "profiles/mine/config.yaml").read_text())
    model = yaml.safe_load((ROOT / "profiles/slurm/config.yaml").read_text())
    assert {key: value for key, value in said.items() if key not in ("set-scatter", "jobs")} == {
        key: value for key, value in model.items() if key not in ("set-scatter", "jobs")
    }
    assert said["jobs"] == 200
    known = {card.name for card in cards.experiments()}
    assert set(said["set-scatter"]) <= known
    assert max(said["set-scatter"].values()) > 50
    printed = capsys.readouterr().out
    assert said["set-scatter"] == cut(costs(TIMES), 100, 60)
    assert f"{sum(said['set-scatter'].values())} blocks" in printed
    assert "100 times the instances, which config/config.yaml must ask for" in printed
    assert "snakemake figures/all --profile profiles/mine" in printed


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--cores", "0"], "--cores: expected a number above 0 and below a million, got 0"),
        (["--cores", "9", "--seconds", "-1"], "--seconds: expected a number above 0 and below a million, got -1"),
        (["--cores", "9", "--scale", "1e6"], "--scale: expected a number above 0 and below a million, got 1e+06"),
        (["--cores", "9", "--times", "none.json"], "none.json: there is no such file"),
        (["--cores", "9", "--times", "profiles/slurm/config.yaml"], "profiles/slurm/config.yaml: is not JSON"),
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
