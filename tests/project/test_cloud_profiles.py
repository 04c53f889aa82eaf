"""profiles/kubernetes and profiles/aws-batch: as far as they can be checked without a cluster."""

import importlib.util
import os

import pytest
import yaml
from harness import BUILT, ROOT, snakemake
from moto.server import ThreadedMotoServer

from attnsvm.building import cards

NAMES = ("kubernetes", "aws-batch")
DEFAULT = yaml.safe_load((ROOT / "profiles/default/config.yaml").read_text())
SLURM = yaml.safe_load((ROOT / "profiles/slurm/config.yaml").read_text())


def profile(name):
    return yaml.safe_load((ROOT / f"profiles/{name}/config.yaml").read_text())


@pytest.fixture(scope="module")
def options():
    """Every option that Snakemake and the plugins of this environment know."""
    return snakemake(ROOT, "--help").stdout


@pytest.mark.parametrize("name", NAMES)
def test_every_key_is_an_option(name, options):
    for key in profile(name):
        assert f"--{key} " in options or f"--{key}," in options or key.startswith(f"{name}-"), key


@pytest.mark.parametrize("name", NAMES)
def test_what_counts_as_out_of_date_is_left_to_the_default(name):
    assert not set(DEFAULT) & set(profile(name))


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
    assert set(said["set-scatter"]) <= {card.name for card in cards.experiments()}


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
