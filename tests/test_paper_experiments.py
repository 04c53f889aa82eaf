"""The experiments without public code, on small configurations: every table against a reading of the stored arrays."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

from attnsvm import experiments
from attnsvm.pipeline import stages
from attnsvm.experiments.penalised_head import best_attention
from attnsvm.files.store import load_cells
from attnsvm.svm import Constraints, finite_part, separation, solve

EXACT = {"learning_rate": 0.1, "normalisation": "exact"}
SMALL = {
    "self_local_convergence": {
        "problems": {"n": 2, "T": 3, "d": 5, "first_seed": 5, "instances": 4},
        "descent": {"steps": 60, "learning_rate": 0.1, "log_every": 20},
        "measures": {"drawn_steps": 40},
    },
    "penalised_head": {
        "problems": {"n": 2, "d": 5, "first_seed": 0, "instances": 6},
        "descent": {"steps": 2000, **EXACT, "penalties": [0.05, 0.5, 8.0]},
    },
    "sequence": {
        "problems": {"n": 2, "T": 3, "d": 6, "first_seed": 0, "instances": 5},
        "descent": {"steps": 300, **EXACT, "points": 5},
        "measures": {"saturated": 0.9995},
    },
    "positional": {
        "problems": {"n": 3, "T": 4, "d": 6, "first_seed": 7, "instances": 5},
        "descent": {"steps": 400, **EXACT},
    },
}
CONES = {"W": "fro", "KQ": "nuc"}


class Run:
    """All stages of an experiment through their files; the arrays of every cell and the tables that came out."""

    def __init__(self, name, folder, blocks=2):
        files = []
        for k in range(1, blocks + 1):
            paths = [str(folder / f"{k}" / f"{stage}.npz") for stage in ("problems", "descent", "svm")]
            stages.problems(name, SMALL[name], f"{k}-of-{blocks}", paths[0])
            stages.descent(name, SMALL[name], paths[0], paths[1])
            stages.svm(name, {}, paths[0], paths[1], paths[2])
            files.append((f"{k}-of-{blocks}", *paths))
        outputs = {key: str(folder / key) for key in ("table", "instances", "outcomes", "certificates")}
        stages.measures(name, SMALL[name], files, outputs)
        self.table, self.instances = (pd.read_parquet(outputs[key]) for key in ("table", "instances"))
        self.outcomes, self.certificates = (pd.read_csv(outputs[key]) for key in ("outcomes", "certificates"))
        self.cells = []
        for _, *paths in files:
            problems, descent, svm = map(load_cells, paths)
            self.cells += [(label, problems[label], descent.get(label, {}), svm.get(label, {})) for label in problems]

    def each(self):
        """(cell label, place s in the batch, problems, descent, svm) of every instance."""
        for label, p, t, a in self.cells:
            yield from ((label, s, p, t, a) for s in range(len(p["seeds"])))


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    done = {}

    def get(name):
        if name not in done:
            done[name] = Run(name, tmp_path_factory.mktemp(name))
        return done[name]

    return get


def softmax_of(X, W, z):
    logits = X @ W @ z
    p = np.exp(logits - logits.max())
    return p / p.sum()


def cosine(A, B):
    return np.trace(A.T @ B) / np.sqrt(np.trace(A.T @ A) * np.trace(B.T @ B))


def best_tokens(X, Y, v, pick=np.argmax):
    return np.array([pick([y * x @ v for x in tokens]) for tokens, y in zip(X, Y, strict=True)])


@pytest.mark.parametrize("name", SMALL)
def test_the_split_into_blocks_changes_no_table(name, run, tmp_path):
    split, whole = run(name), Run(name, tmp_path, blocks=1)
    pd.testing.assert_frame_equal(split.table, whole.table, rtol=1e-9)
    pd.testing.assert_frame_equal(split.outcomes, whole.outcomes)
    assert (split.certificates.uncertified == 0).all()


@pytest.mark.parametrize("name", SMALL)
def test_nobody_is_missing_from_the_outcomes(name, run):
    experiment = experiments.get(name, SMALL[name])
    instances = sum(len(cell.seeds) for cell in experiment.cells())
    assert run(name).outcomes.instances.sum() % instances == 0
    assert run(name).outcomes.instances.sum() >= instances


def test_self_local_convergence_follows_the_solutions_for_the_first_token(run):
    r = run("self_local_convergence")
    values = {}
    for (_, s, p, t, _), kind, norm in product(r.each(), CONES, CONES.values()):
        X = p["tokens"][s]
        target = solve(separation(X, X[:, 0], t[f"{kind}_probabilities"][s].argmax(1)), norm).W
        for step, W in zip(t["steps"], t[f"{kind}_weights"][s], strict=True):
            values.setdefault((kind, f"corr_{norm}", step), []).append(cosine(W, target))
    table = r.table.set_index(["parametrisation", "quantity", "step"])
    for key, sample in values.items():
        if key[2] <= 40:
            assert table.loc[key, "instances"] == len(sample) == 4
            assert table.loc[key, "mean"] == pytest.approx(np.mean(sample), abs=1e-6)


def test_the_penalised_heads_table_is_its_definition(run):
    r = run("penalised_head")
    table = r.table.set_index(["solution", "lambda", "seed"])
    left_out = 0
    for _, s, p, t, _ in r.each():
        X, Z = p["tokens"][s], p["queries"][s]
        score = np.array([[p["head"][s] @ x for x in tokens] for tokens in X])
        for k, penalty in enumerate(SMALL["penalised_head"]["descent"]["penalties"]):
            W, attention = t["weights"][s, k], t["probabilities"][s, k]
            again = [softmax_of(x, W, z) for x, z in zip(X, Z, strict=True)]
            np.testing.assert_allclose(attention, again, rtol=0, atol=1e-12)
            chosen, best = attention > 1e-3, best_attention(score, penalty)
            mm, fin = solve(separation(X, Z, chosen)).W, solve(finite_part(X, Z, chosen, attention)).W
            row = table.loc["svmeq", penalty, p["seeds"][s]]
            scale = np.linalg.lstsq(mm.reshape(-1, 1), (W - fin).ravel())[0][0] if mm.any() else 0.0
            assert row.value == pytest.approx(1 - cosine(W, fin + scale * mm), abs=1e-9)
            assert row.selected == chosen.sum() / 2
            assert row.optimal == (best > 1e-3).sum() / 2
            assert row.distance == pytest.approx(np.abs(attention - best).max(), abs=1e-15)
            assert (("mm", penalty, p["seeds"][s]) in table.index) == (not chosen.all())
            if not chosen.all():
                left_out += 1
                row = table.loc["mm", penalty, p["seeds"][s]]
                assert row.value == pytest.approx(1 - cosine(W, mm), abs=1e-9)
    assert 6 <= left_out < 18
    averages = r.table.groupby("lambda").selected.mean()
    assert averages.is_monotonic_increasing
    assert averages.iloc[-1] > averages.iloc[0] + 2


@pytest.mark.parametrize("attention", ["sequence", "causal"])
@pytest.mark.parametrize(("kind", "norm"), CONES.items())
def test_sequence_solutions_keep_their_margins_at_every_position(attention, kind, norm, run):
    r, name = run("sequence"), f"{attention}_{kind}"
    values = {}
    for _, s, p, t, a in r.each():
        X = p["tokens"][s]
        n, T, _ = X.shape
        W, left, right, index = a[f"{name}_W"][s], [], [], []
        for i, k in product(range(n), range(T)):
            seen = k + 1 if attention == "causal" else T
            attended = softmax_of(X[i, :seen], t[f"{name}_weights"][s, -1], X[i, k])
            probabilities = t[f"{name}_probabilities"][s, i * T + k]
            np.testing.assert_allclose(probabilities[:seen], attended, rtol=0, atol=1e-10)
            assert (probabilities[seen:] == 0).all()
            best = attended.argmax()
            left += [X[i, best] - X[i, u] for u in range(seen) if u != best]
            right += [X[i, k]] * (seen - 1)
            index += [(i * T + k, best, u) for u in range(seen) if u != best]
        if a[f"{name}_status"][s] != "solved":
            continue
        m = len(left)
        assert m == n * (T * (T - 1) // 2 if attention == "causal" else T * (T - 1))
        left, right = np.array(left), np.array(right)
        assert ((left @ W) * right).sum(1).min() >= 1 - 1e-9
        alone = solve(Constraints(left, right, np.ones(m), np.zeros(m, bool), np.array(index)), norm)
        assert alone.solved
        # Solutions are unique up to the root of the gap, their norms up to the gap (1e-7 in the nuclear norm).
        assert np.linalg.norm(W, norm) == pytest.approx(np.linalg.norm(alone.W, norm), rel=2e-7)
        if t[f"{name}_probabilities"][s].max(1).min() >= 0.9995:
            for step, trained in zip(t["steps"], t[f"{name}_weights"][s], strict=True):
                values.setdefault(int(step), []).append(cosine(trained, W))
    table = r.table[(r.table.attention == attention) & (r.table.parametrisation == kind)].set_index("step")
    assert sorted(values) == sorted(table.index)
    for step, sample in values.items():
        assert table.loc[step, "instances"] == len(sample) > 0
        assert table.loc[step, "mean"] == pytest.approx(np.mean(sample), abs=1e-12)
        assert table.loc[step, "std"] == pytest.approx(np.std(sample), abs=1e-12)
    assert table["mean"].iloc[-1] > 0.5 > table["mean"].iloc[0]


def test_positional_compares_the_same_instances(run):
    r = run("positional")
    plain, encoded = (
        {int(seed): (p, s) for label, p, *_ in r.cells if label.endswith(kind) for s, seed in enumerate(p["seeds"])}
        for kind in ("plain", "encoded")
    )
    assert sorted(plain) == sorted(encoded) == list(range(7, 12))
    for seed, (p, s) in plain.items():
        q, u = encoded[seed]
        assert all(np.array_equal(p[key][s], q[key][u]) for key in ("queries", "labels", "head"))
        assert not np.allclose(p["tokens"][s], q["tokens"][u], atol=0.1)
    table = r.table.set_index(["tokens", "quantity", "seed"]).value
    assert len(table) == 3 * 2 * 5
    for label, s, p, t, _ in r.each():
        X, Z, seed = p["tokens"][s], p["queries"][s], p["seeds"][s]
        selected = [(x @ t["weights"][s] @ z).argmax() for x, z in zip(X, Z, strict=True)]
        variant = label.rsplit("_", 1)[1]
        own, first = solve(separation(X, Z, np.array(selected))), solve(separation(X, Z, np.zeros(3, int)))
        assert table[variant, "correlation", seed] == pytest.approx(cosine(t["weights"][s], own.W), abs=1e-9)
        assert table[variant, "norm", seed] == pytest.approx(np.linalg.norm(first.W), rel=1e-9)
