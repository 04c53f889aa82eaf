"""One SLURM cluster for all tests of this folder."""

import os

import pytest
from slurm_cluster import SlurmCluster, missing


@pytest.fixture(scope="session")
def cluster(tmp_path_factory):
    """A running SLURM cluster; without SLURM a skip, or a failure where ATTNSVM_REQUIRE_CLUSTER is set."""
    if lacking := missing():
        reason = f"SLURM is not installed: {', '.join(lacking)} not found"
        if os.environ.get("ATTNSVM_REQUIRE_CLUSTER"):
            pytest.fail(reason)
        pytest.skip(reason)
    with SlurmCluster(tmp_path_factory.mktemp("slurm")) as running:
        yield running
