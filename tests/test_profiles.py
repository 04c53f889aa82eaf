"""profiles/slurm names only what exists: Snakemake passes over an unknown experiment or rule without a word."""

import re
from pathlib import Path

import yaml

from attnsvm.experiments import EXPERIMENTS

ROOT = Path(__file__).resolve().parent.parent
PROFILE = yaml.safe_load((ROOT / "profiles/slurm/config.yaml").read_text())


def test_the_slurm_profile_cuts_experiments_that_exist_into_more_blocks():
    common = (ROOT / "workflow/rules/common.smk").read_text()
    scattergather = re.search(r"^scattergather:\n((?: +\w+=\d+,\n)+)", common, re.MULTILINE).group(1)
    here = {name: int(count) for name, count in re.findall(r"(\w+)=(\d+)", scattergather)}
    assert set(PROFILE["set-scatter"]) <= set(EXPERIMENTS)
    assert all(count > here[name] for name, count in PROFILE["set-scatter"].items())


def test_the_slurm_profile_groups_rules_that_exist():
    text = "".join(path.read_text() for path in (ROOT / "workflow/rules").glob("*.smk"))
    assert set(PROFILE["groups"]) <= set(re.findall(r"^rule (\w+):", text, re.MULTILINE))


def test_the_slurm_profile_leaves_to_the_default_what_counts_as_out_of_date():
    default = yaml.safe_load((ROOT / "profiles/default/config.yaml").read_text())
    assert not set(default) & set(PROFILE)
