"""What somebody who did not build it types first: the right thing, or one sentence, and no traceback."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from harness import BUILT, FEW, as_typed, copy_repository, few, jobs, scheduled

from attnsvm.pipeline import cards
from attnsvm.pipeline.cards import SECTIONS
from attnsvm.pipeline.targets import group

SMOKE = ("--config", "scale=smoke")


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    """A fresh clone, in which nothing is built."""
    return copy_repository(tmp_path_factory.mktemp("first") / "clone", FEW)


def refused(run):
    """The last line of a run that must end with one sentence."""
    assert run.returncode != 0
    assert "Traceback" not in run.stdout
    lines = [line for line in run.stdout.splitlines() if line.strip() and not line.startswith("  ")]
    return lines[-1]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ["figures/cone.eps"],
            "figures are not made as .eps: build figures/cone, which makes pdf, png, svg, csv, json",
        ),
        (["smoke/figures/cone.png"], "error: smoke/figures/cone.png is built with --config scale=smoke"),
        (["figures/cone", "--configfile", "nowhere.yaml"], "error: nowhere.yaml: there is no such file"),
        (["figures/cone", "--set-scatter", "kone=3"], "unknown experiment 'kone': did you mean 'cone'?"),
    ],
)
def test_a_slip_ends_with_one_sentence(house, arguments, sentence):
    """One for each place that refuses; tests/pipeline has what each says: command_line, blocks, named_targets, plan."""
    assert sentence in refused(as_typed(house, *arguments, "-n"))


def test_from_a_strangers_folder_nothing_of_it_is_run(house, tmp_path):
    """Nor is its configuration read: the clone has one."""
    for name in ("attnsvm/__init__.py", "attnsvm/pipeline.py", "numpy.py", "experiments.py", "json/__init__.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("print('a stranger')")
    (tmp_path / "config").mkdir()
    (tmp_path / "config/config.yaml").write_text("scale: [")
    command = [
        Path(sys.executable).with_name("snakemake"),
        "-n",
        "figures/cone",
        "-d",
        house,
        "-s",
        house / "Snakefile",
    ]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    run = subprocess.run([*command, *SMOKE], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert "a stranger" not in run.stdout + run.stderr
    assert "cone seeds-0-7: draw the problems" in run.stdout + run.stderr


def test_a_number_can_be_set_on_the_command_line(house):
    given = ["figures={dpi: 72}", "experiments={cone: {descent: {relative_step: 1e-3}, problems: {d: 12}}}"]
    run = as_typed(house, "figures/cone", "-n", "--config", "run=d12", *given)
    assert run.returncode == 0, run.stdout
    assert jobs(run)["figure"] == 1
    assert "runs/d12/figures/cone.png" in run.stdout


def test_a_group_builds_its_figures_and_the_page_of_their_claims_and_nothing_else(house):
    run = as_typed(house, "figures/paper", "-n", *SMOKE)
    assert run.returncode == 0, run.stdout
    found = scheduled(run)
    assert {name for rule, name in found if rule == "figure"} == {*group("paper")} & {*FEW} != {*FEW}
    drawn = {name for figure in group("paper") if figure in FEW for name in cards.read(figure).draws}
    assert {name for rule, name in found if rule == "measures"} == drawn
    assert {job for job in found if "claim" in job[0]} == {("claims_of", "paper")}


def test_a_paper_that_shows_a_figure_that_there_is_not_is_refused(house):
    """As here, where most experiments were taken away."""
    said = refused(as_typed(house, "paper", "-n", *SMOKE))
    assert re.match(r"error: the paper shows '\w+', and there is no such figure: known are overview, ", said)


def test_the_list_says_what_is_meant_to_be_asked_for(house):
    run = as_typed(house, "--list")
    said = dict(line.rstrip(")").split(" (", 1) for line in run.stdout.splitlines() if " (" in line)
    figures = {f"figures/{card.name}" for card in few(cards.figures(optional=True))}
    groups = {f"figures/{name}" for name in SECTIONS}
    others = {"figures/all", "figures/audit", "audit", "report", "paper", "site"}
    assert {name for name in said if not name.startswith("elsewhere/")} == figures | groups | others
    assert {"elsewhere/all", "elsewhere/cone"} <= set(said)


def test_a_device_that_is_not_there_is_named_by_the_job_that_trains(house):
    setting = "experiments={trajectories: {descent: {device: cuda}}}"
    torch = pytest.importorskip("torch")
    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    run = as_typed(house, "figures/trajectories", "--cores", "1", *SMOKE, setting)
    assert run.returncode != 0
    assert "\nerror: config: experiments.trajectories.descent.device: 'cuda': " in run.stdout
    assert "Traceback" not in run.stdout
    shutil.rmtree(house / BUILT)


def test_a_home_that_cannot_be_written_to_is_no_obstacle(house, tmp_path):
    (tmp_path / "file").write_text("")
    environment = {"HOME": str(tmp_path / "file" / "home"), "TMPDIR": str(tmp_path), "XDG_CACHE_HOME": ""}
    run = as_typed(
        house, f"{BUILT}/results/feasibility/seeds-0-2/problems.npz", "--cores", "1", *SMOKE, environment=environment
    )
    assert run.returncode == 0, run.stdout
    assert list(tmp_path.glob("attnsvm-caches-*/snakemake"))


def test_from_another_folder_the_clone_is_named(house):
    """Without its name Snakemake says in one sentence that there is no Snakefile here."""
    (house / "docs").mkdir(exist_ok=True)
    run = as_typed(house / "docs", "figures/cone", "-n")
    assert "No Snakefile found" in refused(run)
    run = as_typed(house / "docs", "-d", "..", "-s", "../Snakefile", "figures/cone", "-n")
    assert run.returncode == 0, run.stdout
    assert jobs(run)["figure"] == 1
