"""Local convergence, and the twin with the first token as query: the table against a reading of the stored arrays."""

from itertools import product

import numpy as np
import pytest
from by_hand import NORM, cosine, softmax_of
from running import Run

from attnsvm.analysis.rows import where
from attnsvm.analysis.statistics import MEAN, MIDDLE
from attnsvm.svm import separation, solve

STAGES = {"descent": {"steps": 60, "learning_rate": 0.1, "log_every": 20}, "measures": {"drawn_steps": 40}}
OWN = {"W": ("fro", "nuc"), "KQ": ("nuc", "fro")}
SMALL = {
    "local_convergence": STAGES | {"problems": {"n": 3, "T": 4, "d": 6, "first_seed": 5, "instances": 4}},
    "self_local_convergence": STAGES | {"problems": {"n": 2, "T": 3, "d": 5, "first_seed": 5, "instances": 4}},
}


@pytest.mark.parametrize("name", SMALL)
def test_the_table_is_its_definition(name, tmp_path):
    run = Run(name, SMALL[name], tmp_path)
    values = {}
    for (_, s, p, trained, _), kind in product(run.each(), NORM):
        t, X = trained[kind], p["tokens"][s]
        Z = X[:, 0] if name.startswith("self") else p["queries"][s]
        constraints = separation(X, Z, t["probabilities"][s].argmax(1))
        targets = {norm: solve(constraints, norm).W for norm in NORM.values()}
        for step, W in zip(t["steps"], t["weights"][s], strict=True):
            found = {f"corr_{norm}": cosine(W, target) for norm, target in targets.items()}
            found["softmax"] = np.mean([softmax_of(x, W, z).max() for x, z in zip(X, Z, strict=True)])
            for quantity, value in found.items():
                values.setdefault((kind, quantity, int(step)), []).append(value)
    assert set(run.table.step) == {0, 20, 40}
    curves, leads = (where(run.table, interval=interval) for interval in (MIDDLE, MEAN))
    assert len(curves) == 2 * 3 * 3
    for row in curves.itertuples():
        sample = np.array(values[row.parametrisation, row.quantity, row.step])
        assert row.instances == len(sample) == 4
        # 1e-6: a nuclear solution of a batch and of a single solve agree to the root of their gap at worst.
        assert row.value == pytest.approx(sample.mean(), abs=1e-6)
        assert [row.low, row.high] == pytest.approx(np.quantile(sample, [0.16, 0.84]), abs=1e-6)
    assert list(leads.parametrisation) == ["W", "KQ"]
    for row in leads.itertuples():
        own, other = (np.array(values[row.parametrisation, f"corr_{norm}", 40]) for norm in OWN[row.parametrisation])
        half = 3.18244630528 * (own - other).std(ddof=1) / np.sqrt(4)
        assert (row.quantity, row.step, row.instances) == ("lead", 40, 4)
        assert row.value == pytest.approx((own - other).mean(), abs=1e-6)
        assert row.high - row.low == pytest.approx(2 * half, abs=1e-5)
