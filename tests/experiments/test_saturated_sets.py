"""The generalised SVM by saturation: a row for every accepted run, as the multi-token experiment measures it."""

import numpy as np
import pytest
from by_hand import cosine
from drawing import assert_drawn, told_apart

from attnsvm.experiments.paper.multi_token.saturated_sets import figure

SMALL = {"problems": {"n": 3, "T": 4, "d": [4], "candidates": [60], "first_seed": 500}, "descent": {"steps": 801}}


def test_every_accepted_run_has_a_row_with_its_distances(run):
    rows, accepted = run.table.set_index("seed"), 0
    for _, p, t, solved in run.cells:
        for k, place in enumerate(t["kept"]):
            seed = p["seeds"][place]
            if seed not in rows.index:
                continue
            accepted += 1
            W, s, row = t["weights"][k, -1], t["probabilities"][k], rows.loc[seed]
            assert row.unselected_max == pytest.approx(s[s <= 1e-3].max())
            mm, fin = (solved[name]["W"][k] for name in ("mm", "fin"))
            assert row.mm == pytest.approx(1 - cosine(W, mm), abs=1e-9)
            scale = np.sqrt(max((W * W).sum() - (fin * fin).sum(), 0)) / np.linalg.norm(mm)
            assert row.svmeq_norm == pytest.approx(1 - cosine(W, fin + scale * mm), abs=1e-6)
    assert accepted == len(rows) > 0


def test_every_run_is_drawn(run):
    table = told_apart(run.table, "svmeq_norm")
    assert_drawn(figure.draw, table, table[["unselected_max", "svmeq_norm"]])
