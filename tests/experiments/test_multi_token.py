"""Several selected tokens: the draws, which seeds are accepted, the table."""

import numpy as np
import pytest
from by_hand import cosine

from attnsvm.experiments.paper.multi_token.descent import decision
from attnsvm.experiments.paper.multi_token.problems import cells
from attnsvm.svm import finite_part, separation, solve

SMALL = {
    "problems": {"n": 3, "T": 4, "d": [4], "candidates": [60], "first_seed": 1},
    "descent": {"steps": 801},
    "measures": {"accepted": 2},
}


def test_the_first_seeds_that_pass_the_published_rule_are_accepted(run):
    accepted = []
    for _, p, t, _ in run.cells:
        position = {int(k): row for row, k in enumerate(t["kept"])}
        for k, seed in enumerate(p["seeds"]):
            if k in position:
                entries = t["probabilities"][position[k]].ravel()
                assert (p["labels"][k] == -1).any()
                assert not any(1e-6 < x <= 1e-3 for x in entries)
                assert any(x <= 1e-6 for x in entries)
                accepted.append(int(seed))
            else:
                assert t["outcome"][k] != "decided"
    accepted.sort()
    assert sorted(run.table.seed.dropna()) == accepted[:2]
    assert (run.table.tried == accepted[1]).all()  # seeds start at 1: the number tried is the last accepted seed
    assert (run.table.accepted == 2).all()
    assert run.outcomes.instances.sum() == 60
    assert run.outcomes.loc[run.outcomes.outcome == "accepted", "instances"].sum() == len(accepted)


def test_curves_and_scatter_are_their_definition(run):
    values, unselected = {}, {}
    wanted = set(run.table.seed.dropna())
    for _, p, t, _ in run.cells:
        for row, k in enumerate(t["kept"]):
            if (seed := int(p["seeds"][k])) not in wanted:
                continue
            X, Z, s, W = p["tokens"][k], p["queries"][k], t["probabilities"][row], t["weights"][row]
            mm, fin = solve(separation(X, Z, s > 1e-3)).W, solve(finite_part(X, Z, s > 1e-3, s)).W
            fitted = np.linalg.lstsq(mm.reshape(-1, 1), (W[-1] - fin).ravel())[0][0]
            # ‖W_fin + C·W_mm‖ = ‖W‖ for C > 0; constant term negative, so one root is.
            square = [(mm**2).sum(), 2 * (mm * fin).sum(), (fin**2).sum() - (W[-1] ** 2).sum()]
            by_norm = max(np.roots(square).real)
            targets = {"svmeq": fin + fitted * mm, "svmeq_norm": fin + by_norm * mm, "mm": mm}
            targets["one_token"] = solve(separation(X, Z, s.argmax(1))).W
            for name, target in targets.items():
                for step, weights in zip(t["steps"], W, strict=True):
                    values.setdefault((name, int(step)), {})[seed] = 1 - cosine(weights, target)
            unselected[seed] = s[s <= 1e-3].max()
    curves, scatter = (run.table[run.table.panel == panel] for panel in ("curve", "scatter"))
    assert len(curves) == len(values) == 4 * 9
    for row in curves.itertuples():
        assert row.value == pytest.approx(np.mean(list(values[row.solution, row.step].values())), abs=1e-9)
    for row in scatter.itertuples():
        assert (row.solution, row.step) == ("svmeq", 801)
        assert row.value == pytest.approx(values["svmeq", 801][row.seed], abs=1e-9)
        assert row.unselected_max == unselected[row.seed]


def test_a_softmax_is_decided_by_its_entries():
    entries = {
        (0.5, 0.5, 1e-6, 0.0): "decided",
        (0.5, 0.5, 1e-3, 0.0): "undecided softmax entry",
        (0.5, 0.498, 0.002, 1.1e-6): "undecided softmax entry",
        (0.5, 0.3, 0.198, 0.002): "no token left out",
    }
    assert decision(np.array(list(entries))[:, None]).tolist() == list(entries.values())


def test_every_dimension_has_its_own_count_of_candidates():
    found = cells({"n": 3, "T": 4, "d": [4, 6], "candidates": [3, 5], "first_seed": 1})
    assert [(cell.n, cell.T, cell.d, cell.seeds) for cell in found] == [(3, 4, 4, range(1, 4)), (3, 4, 6, range(1, 6))]
