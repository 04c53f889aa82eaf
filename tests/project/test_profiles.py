"""profiles/slurm names only what exists: Snakemake passes over an unknown experiment or rule without a word."""

import re

import yaml
from harness import ROOT

from attnsvm.building import cards

PROFILE = yaml.safe_load((ROOT / "profiles/slurm/config.yaml").read_text())
DEFAULT = yaml.safe_load((ROOT / "profiles/default/config.yaml").read_text())


def test_the_slurm_profile_cuts_experiments_that_exist_into_more_blocks():
    here = {card.name: card.blocks for card in cards.experiments()}
    assert set(PROFILE["set-scatter"]) <= set(here)
    assert all(count > here[name] for name, count in PROFILE["set-scatter"].items())


def test_the_slurm_profile_groups_rules_that_exist():
    text = "".join(path.read_text() for path in (ROOT / "workflow/rules").glob("*.smk"))
    assert set(PROFILE["groups"]) <= set(re.findall(r"^rule (\w+):", text, re.MULTILINE))
    # A stage that trains or solves must not run on the login node.
    assert set(PROFILE["groups"]) == {"problems", "descent", "svm", "measures_of_block"}


def test_the_slurm_profile_leaves_to_the_default_what_counts_as_out_of_date():
    assert not set(DEFAULT) & set(PROFILE)


def test_what_counts_as_out_of_date_is_never_a_date_alone():
    """A newer file is compared by content, whatever its size, and code by the hash among the params."""
    assert "params" in DEFAULT["rerun-triggers"]
    assert "code" not in DEFAULT["rerun-triggers"]
    assert DEFAULT["max-checksum-file-size"] == "1GB"


def test_every_rule_has_its_environment_its_log_and_its_resources():
    for path in [*(ROOT / "workflow/rules").glob("*.smk"), ROOT / "workflow/inspect/Snakefile"]:
        for name, body in re.findall(r"^rule (\w+):\n(.*?)(?=^\S|\Z)", path.read_text(), re.DOTALL | re.MULTILINE):
            for needed in (
                "conda:",
                "log:",
                *(() if name.startswith("unknown") else ("resources:", "message:", "params:")),
            ):
                assert f"    {needed}" in body, f"{name}: {needed}"
