"""A folder as a finished run leaves it, with made-up tables."""

import made_up
import numpy as np
import pytest

from attnsvm.building import answers
from attnsvm.files.store import save_csv


@pytest.fixture
def folder(tmp_path):
    for name, table in made_up.tables().items():
        save_csv(tmp_path / f"figures/{name}.csv", table)
    for k, name in enumerate(made_up.EXPERIMENTS):
        statuses = np.array(["solved"] * (k + 1) + ["infeasible"])
        batch = {"status": statuses, "gap": np.full(k + 2, 1e-12), "residual": np.full(k + 2, 1e-16)}
        save_csv(tmp_path / f"results/{name}/certificates.csv", answers.total([answers.count({"fro": batch})]))
    return tmp_path
