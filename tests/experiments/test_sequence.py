"""A query at every position: solutions and table against a reading of the stored arrays."""

from itertools import product

import numpy as np
import pytest
from by_hand import NORM, cosine, softmax_of
from scipy.special import stdtrit

from attnsvm.analysis.rows import where
from attnsvm.analysis.statistics import MEAN, MIDDLE
from attnsvm.svm import Constraints, solve

SMALL = {
    "problems": {"n": 2, "T": 3, "d": 6, "first_seed": 0, "instances": 5},
    "descent": {"steps": 300, "points": 5},
    "measures": {"saturated": 0.9995},
}


@pytest.mark.parametrize("attention", ["sequence", "causal"])
@pytest.mark.parametrize(("kind", "norm"), NORM.items())
def test_solutions_keep_their_margins_at_every_position_and_the_table_is_their_correlation(attention, kind, norm, run):
    values = {}
    for _, s, p, trained, solved in run.each():
        X, t, a = p["tokens"][s], trained[attention][kind], solved[attention][kind]
        n, T, _ = X.shape
        W, left, right, index = a["W"][s], [], [], []
        for i, k in product(range(n), range(T)):
            seen = k + 1 if attention == "causal" else T
            attended = softmax_of(X[i, :seen], t["weights"][s, -1], X[i, k])
            probabilities = t["probabilities"][s, i * T + k]
            np.testing.assert_allclose(probabilities[:seen], attended, rtol=0, atol=1e-10)
            assert (probabilities[seen:] == 0).all()
            best = attended.argmax()
            left += [X[i, best] - X[i, u] for u in range(seen) if u != best]
            right += [X[i, k]] * (seen - 1)
            index += [(i * T + k, best, u) for u in range(seen) if u != best]
        if a["status"][s] != "solved":
            continue
        m = len(left)
        assert m == n * (T * (T - 1) // 2 if attention == "causal" else T * (T - 1))
        left, right = np.array(left), np.array(right)
        assert ((left @ W) * right).sum(1).min() >= 1 - 1e-9
        alone = solve(Constraints(left, right, np.ones(m), np.zeros(m, bool), np.array(index)), norm)
        assert alone.solved
        # Solutions are unique up to the root of the gap, their norms up to the gap (1e-7 in the nuclear norm).
        assert np.linalg.norm(W, norm) == pytest.approx(np.linalg.norm(alone.W, norm), rel=2e-7)
        if t["probabilities"][s].max(1).min() >= 0.9995:
            for step, weights in zip(t["steps"], t["weights"][s], strict=True):
                values.setdefault(int(step), []).append(cosine(weights, W))
    rows = where(run.table, attention=attention, parametrisation=kind)
    table, mean = (where(rows, interval=interval).set_index("step") for interval in (MIDDLE, MEAN))
    assert sorted(values) == sorted(table.index)
    for step, sample in values.items():
        assert table.loc[step, "instances"] == len(sample) > 0
        assert table.loc[step, "value"] == pytest.approx(np.mean(sample), abs=1e-12)
        band = table.loc[step, ["low", "high"]].to_list()
        assert band == pytest.approx(np.quantile(sample, [0.16, 0.84]), abs=1e-12)
    (step,) = mean.index
    half = stdtrit(len(values[step]) - 1, 0.975) * np.std(values[step], ddof=1) / np.sqrt(len(values[step]))
    assert step == max(values)
    expected = np.mean(values[step]) + half * np.array([0, -1, 1])
    assert mean.loc[step, ["value", "low", "high"]].to_list() == pytest.approx(expected, abs=1e-9)
    assert table["value"].iloc[-1] > 0.5 > table["value"].iloc[0]
