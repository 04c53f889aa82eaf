"""The profiles name only what exists: Snakemake passes over an unknown experiment or rule without a word.

profiles/kubernetes and profiles/aws-batch: as far as they can be checked without a cluster.
"""

import importlib.util
import os
import re

import pytest
import yaml
from harness import BUILT, ROOT, snakemake
from moto.server import ThreadedMotoServer

from attnsvm.pipeline import cards


def profile(name):
    return yaml.safe_load((ROOT / f"profiles/{name}/config.yaml").read_text())


NAMES = ("kubernetes", "aws-batch")
DEFAULT, SLURM = profile("default"), profile("slurm")


def test_the_slurm_profile_cuts_experiments_that_exist_into_more_blocks():
    here = {card.name: card.blocks for card in cards.experiments()}
    assert set(SLURM["set-scatter"]) <= set(here)
    assert all(count > here[name] for name, count in SLURM["set-scatter"].items())


def test_the_slurm_profile_groups_rules_that_exist():
    text = "".join(path.read_text() for path in (ROOT / "workflow/rules").glob("*.smk"))
    assert set(SLURM["groups"]) <= set(re.findall(r"^(?:rule|use rule \w+ as) (\w+)", text, re.MULTILINE))
    # A stage that trains or solves must not run on the login node.
    assert set(SLURM["groups"]) == {"problems", "descent", "svm", "measures_of_block"}


@pytest.mark.parametrize("name", ["slurm", *NAMES])
def test_what_counts_as_out_of_date_is_left_to_the_default(name):
    assert not set(DEFAULT) & set(profile(name))


def test_what_counts_as_out_of_date_is_never_a_date_alone():
    """A newer file is compared by content, whatever its size, and code by the hash among the params."""
    assert "params" in DEFAULT["rerun-triggers"]
    assert "code" not in DEFAULT["rerun-triggers"]
    assert DEFAULT["max-checksum-file-size"] == "1GB"


def test_every_rule_has_its_environment_its_log_and_its_resources():
    for path in (ROOT / "workflow/rules").glob("*.smk"):
        for name, body in re.findall(r"^rule (\w+):\n(.*?)(?=^\S|\Z)", path.read_text(), re.DOTALL | re.MULTILINE):
            for needed in ("conda:", "log:", "resources:", "message:", "params:"):
                assert f"    {needed}" in body, f"{name}: {needed}"


def test_a_rule_made_from_another_has_its_own_files_params_and_message():
    """What it does not say is the other's: two jobs would write one file, or run one code."""
    made = r"^use rule \w+ as (\w+) with:\n(.*?)(?=^\S|\Z)"
    paths = (ROOT / "workflow/rules").glob("*.smk")
    rules = [rule for path in paths for rule in re.findall(made, path.read_text(), re.DOTALL | re.MULTILINE)]
    assert {name for name, _ in rules} >= {"descent", "svm", "measures_of_block", "claims"}
    for name, body in rules:
        for needed in ("input:", "output:", "log:", f'params:\n        **params_of("{name}")', "message:"):
            assert f"    {needed}" in body, f"{name}: {needed}"


@pytest.fixture(scope="module")
def options():
    """Every option that Snakemake and the plugins of this environment know."""
    return snakemake(ROOT, "--help").stdout


@pytest.mark.parametrize("name", NAMES)
def test_every_key_is_an_option(name, options):
    for key in profile(name):
        assert f"--{key} " in options or f"--{key}," in options or key.startswith(f"{name}-"), key


@pytest.mark.parametrize("name", NAMES)
def test_no_disk_is_shared(name):
    said = profile(name)
    assert said["executor"] == name
    assert (said["default-storage-provider"], said["shared-fs-usage"]) == ("s3", "none")
    assert said["default-storage-prefix"].startswith("s3://")


@pytest.mark.parametrize("name", NAMES)
def test_blocks_are_cut_and_grouped_as_on_slurm(name):
    said = profile(name)
    assert (said["set-scatter"], said["groups"]) == (SLURM["set-scatter"], SLURM["groups"])


@pytest.mark.parametrize("name", NAMES)
def test_the_plugin_takes_its_settings(name):
    """A dry run with the profile as it is, but for the store: that of this process."""
    plugin = f"snakemake_executor_plugin_{name.replace('-', '_')}"
    if not importlib.util.find_spec(plugin):
        pytest.skip(f"pip install {plugin.replace('_', '-')}")
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        environment = os.environ | {
            "SNAKEMAKE_STORAGE_S3_ENDPOINT_URL": "http://{}:{}".format(*server.get_host_and_port()),
            "SNAKEMAKE_STORAGE_S3_ACCESS_KEY": "test",
            "SNAKEMAKE_STORAGE_S3_SECRET_KEY": "test",
        }
        target = f"{BUILT}/figures/feasibility.csv"
        said = snakemake(ROOT, target, "-n", "--profile", f"profiles/{name}", environment=environment)
    finally:
        server.stop()
    assert said.returncode == 0, said.stdout
    assert "feasibility seeds-5-5: " in said.stdout, "six seeds, six blocks"
