"""One smoke run for every test that only needs a finished one."""

import pytest
from pipeline import copy_repository, snakemake


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    """A folder in which the smoke pipeline has run once; tests leave it as they found it."""
    folder = copy_repository(tmp_path_factory.mktemp("built"))
    run = snakemake(folder, "figures/all", "audit")
    assert run.returncode == 0, run.stdout
    return folder
