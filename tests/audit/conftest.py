"""The tables of the release in memory; and a folder as a finished run leaves it, of three of them."""

import numpy as np
import pytest
import tried
from tried import EXPERIMENTS

from attnsvm.audit import audit
from attnsvm.pipeline import answers
from attnsvm.system.store import save_csv


@pytest.fixture(scope="session")
def audited():
    """The rows of all claims over the tables of the release."""
    return audit(tried.tables(), tried.CLAIMS)


@pytest.fixture
def folder(tmp_path):
    for k, name in enumerate(EXPERIMENTS):
        save_csv(tmp_path / tried.path(name), tried.table(name))
        statuses = np.array(["solved"] * (k + 1) + ["infeasible"])
        batch = {"status": statuses, "gap": np.full(k + 2, 1e-12), "low": np.ones(k + 2)}
        batch["arithmetic"] = np.array(["floating"] * (k + 1) + ["rational"])
        counted = answers.total([answers.count({"fro": batch}, name)], name)
        save_csv(tmp_path / f"results/{name}/certificates.csv", counted)
    return tmp_path
