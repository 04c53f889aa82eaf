"""One SLURM cluster for all tests of this folder."""

import os

import pytest
from slurm_cluster import SlurmCluster, missing

# Soon: that a node is gone (seconds), and that a job takes more memory than it asked for.
NOTICES = {
    "SlurmdTimeout": 10,
    "JobAcctGatherType": "jobacct_gather/linux",
    "JobAcctGatherFrequency": "task=1",
    "JobAcctGatherParams": "OverMemoryKill",
}


@pytest.fixture(scope="session")
def cluster(tmp_path_factory):
    """A running SLURM cluster; without SLURM a skip, or a failure where ATTNSVM_REQUIRE_CLUSTER is set."""
    if lacking := missing():
        reason = f"SLURM is not installed: {', '.join(lacking)} not found"
        if os.environ.get("ATTNSVM_REQUIRE_CLUSTER"):
            pytest.fail(reason)
        pytest.skip(reason)
    with SlurmCluster(tmp_path_factory.mktemp("slurm"), cpus=2, **NOTICES) as running:
        yield running
