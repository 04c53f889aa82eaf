"""Convergence types, and the twin with the first token as query: every type against a reading of the stored arrays."""

from itertools import product

import numpy as np
import pytest
from by_hand import NORM, best_tokens, cosine, softmax_of
from running import Run

from attnsvm.svm import separation, solve

SMALL = {
    "convergence_types": {
        "problems": {"shapes": [[3, 3], [2, 4]], "d": [2, 6], "first_seed": 3, "instances": 16},
        "descent": {"steps": 800},
    },
    "self_convergence_types": {
        "problems": {"shapes": [[3, 3]], "d": [3, 6], "first_seed": 0, "instances": 16},
        "descent": {"steps": 800},
        "measures": {"saturated": 0.99, "correlation": 0.9985},
    },
    "token_count": {
        "problems": {"shapes": [[3, 2], [3, 5]], "d": [4], "first_seed": 0, "instances": 16},
        "descent": {"steps": 800},
    },
}
LEAST_CORRELATION = {"convergence_types": 0.9, "self_convergence_types": 0.9985, "token_count": 0.9}


@pytest.fixture(scope="module", params=SMALL)
def name(request):
    return request.param


@pytest.fixture(scope="module")
def run(name, tmp_path_factory):
    return Run(name, SMALL[name], tmp_path_factory.mktemp(name))


def test_every_type_is_its_definition(name, run):
    found = run.instances.set_index(["n", "T", "d", "parametrisation", "seed"])
    ends = set()
    for (_, s, p, t, _), (kind, norm) in product(run.each(), NORM.items()):
        X, Y, v = p["tokens"][s], p["labels"][s], p["head"][s]
        Z = X[:, 0] if name.startswith("self") else p["queries"][s]
        n, T, d = X.shape
        W = t[kind]["weights"][s]
        attention = [softmax_of(x, W, z) for x, z in zip(X, Z, strict=True)]
        np.testing.assert_allclose(attention, t[kind]["probabilities"][s], rtol=0, atol=1e-10)
        selected, optimal = np.array([a.argmax() for a in attention]), best_tokens(X, Y, v)
        saturated = min(a.max() for a in attention) >= 0.99
        own, best = (solve(separation(X, Z, alpha), norm) for alpha in (selected, optimal))
        local = False
        if own.solved:
            local = cosine(W, own.W) >= LEAST_CORRELATION[name]
            for i, k in product(range(n), range(T)):
                a = selected[i]
                tight = abs((X[i, a] - X[i, k]) @ own.W @ Z[i] - 1) < 1e-5  # the other margins are farther from one
                local = local and not (k != a and tight and Y[i] * v @ (X[i, a] - X[i, k]) <= 0)
        is_global = saturated and (selected == optimal).all()
        is_local = is_global or (saturated and local)
        all_support = best.solved and all(
            abs((X[i, optimal[i]] - X[i, k]) @ best.W @ Z[i] - 1) < 1e-5
            for i, k in product(range(n), range(T))
            if k != optimal[i]
        )
        row = found.loc[n, T, d, kind, p["seeds"][s]]
        assert (row["global"], row.local, row.not_local) == (is_global, is_local, saturated and not is_local)
        assert (row.not_saturated, row.all_support) == (not saturated, all_support)
        assert row.all_support_not_global == (all_support and not is_global)
        if own.solved:
            assert row.correlation == pytest.approx(cosine(W, own.W), abs=1e-6)  # nuclear: root of a gap of 1e-12
        ends.add(row.end)
    if name == "convergence_types":
        assert ends >= {"global", "local", "not saturated"}
        assert ends & {"no separator", "not locally optimal", "correlation below the threshold"}
        assert 0 < found.all_support.mean() < 1
    if name == "self_convergence_types":
        assert ends >= {"local", "correlation below the threshold"}


def test_the_table_holds_the_share_of_every_type(name, run):
    types = run.instances
    assert (types.local.astype(int) + types.not_local + types.not_saturated == 1).all()
    assert not (types["global"] & ~types.local).any()
    for row in run.table.itertuples():
        group = types.query("n == @row.n and T == @row.T and d == @row.d and parametrisation == @row.parametrisation")
        assert row.instances == len(group) == SMALL[name]["problems"]["instances"]
        assert row.value == group[row.type].mean()
        assert 0 <= row.low <= row.value <= row.high <= 1
    assert len(run.table) == len({(g.n, g.T, g.d) for g in types.itertuples()}) * 2 * 6
