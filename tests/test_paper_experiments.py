"""The experiments without public code, on small configurations: every table against a reading of the stored arrays."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import linprog

from attnsvm import experiments
from attnsvm.pipeline import stages
from attnsvm.errors import UserError
from attnsvm.experiments import cone
from attnsvm.experiments.feasibility import RANDOM_STREAM
from attnsvm.draws import draw, gaussian
from attnsvm.files.store import load_cells
from attnsvm.svm import separation, solve

EXACT = {"learning_rate": 0.1, "normalisation": "exact"}
SMALL = {
    "convergence_types": {
        "problems": {"shapes": [[3, 3], [2, 4]], "d": [2, 6], "first_seed": 3, "instances": 16},
        "descent": {"steps": 800, **EXACT},
        "measures": {"saturated": 0.99, "correlation": 0.9},
    },
    "self_convergence_types": {
        "problems": {"shapes": [[3, 3]], "d": [3, 6], "first_seed": 0, "instances": 16},
        "descent": {"steps": 800, **EXACT},
        "measures": {"saturated": 0.99, "correlation": 0.9985},
    },
    "token_count": {
        "problems": {"shapes": [[3, 2], [3, 5]], "d": [4], "first_seed": 0, "instances": 16},
        "descent": {"steps": 800, **EXACT},
        "measures": {"saturated": 0.99, "correlation": 0.9},
    },
    "self_local_convergence": {
        "problems": {"n": 2, "T": 3, "d": 5, "first_seed": 5, "instances": 4},
        "descent": {"steps": 60, "learning_rate": 0.1, "log_every": 20},
        "measures": {"drawn_steps": 40},
    },
    "feasibility": {"problems": {"shapes": [[3, 3], [2, 5]], "d": [1, 2, 3, 4], "first_seed": 2, "instances": 12}},
    "regularisation_path": {
        "problems": {"n": 3, "T": 3, "d": 4, "first_seed": 0, "instances": 3},
        "descent": {"smallest": 0.1, "largest": 300, "points": 5, "random_starts": 1},
    },
    "norm_growth": {
        "problems": {"n": 2, "T": 3, "d": 6, "first_seed": 4, "candidates": 13},
        "descent": {"steps": 300, "learning_rate": 1.0, "points": 6},
        "measures": {"instances": 3},
    },
    "cone": {
        "problems": {"n": 2, "T": 3, "d": 4, "first_seed": 0, "instances": 8},
        "descent": {"steps": 500, "relative_step": 0.01, "margins": [5, 100], "apertures": [0.0, 0.3]},
        "measures": {"correlation": 0.9},
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


def separable(X, Z, alpha):
    """By linear programming: is there a W with margins one?"""
    rows = [
        np.outer(tokens[a] - tokens[t], z).ravel()
        for tokens, z, a in zip(X, Z, alpha, strict=True)
        for t in range(len(tokens))
        if t != a
    ]
    answer = linprog(np.zeros(rows[0].size), A_ub=-np.array(rows), b_ub=-np.ones(len(rows)), bounds=(None, None))
    assert answer.status in (0, 2)
    return answer.status == 0


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


@pytest.mark.parametrize("name", ["convergence_types", "self_convergence_types", "token_count"])
def test_convergence_types_are_their_definition(name, run):
    r, bounds = run(name), SMALL[name]["measures"]
    found = r.instances.set_index(["n", "T", "d", "parametrisation", "seed"])
    ends = set()
    for (_, s, p, t, _), (kind, norm) in product(r.each(), CONES.items()):
        X, Y, v = p["tokens"][s], p["labels"][s], p["head"][s]
        Z = X[:, 0] if name.startswith("self") else p["queries"][s]
        n, T, d = X.shape
        W = t[f"{kind}_weights"][s]
        attention = [softmax_of(x, W, z) for x, z in zip(X, Z, strict=True)]
        np.testing.assert_allclose(attention, t[f"{kind}_probabilities"][s], rtol=0, atol=1e-10)
        selected, optimal = np.array([a.argmax() for a in attention]), best_tokens(X, Y, v)
        saturated = min(a.max() for a in attention) >= bounds["saturated"]
        own, best = (solve(separation(X, Z, alpha), norm) for alpha in (selected, optimal))
        local = False
        if own.solved:
            local = cosine(W, own.W) >= bounds["correlation"]
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
        if own.solved:
            assert row.correlation == pytest.approx(cosine(W, own.W), abs=1e-6)  # nuclear: root of a gap of 1e-12
        ends.add(row.end)
    if name == "convergence_types":
        assert ends >= {"global", "local", "not saturated"}
        assert ends & {"no separator", "not locally optimal", "correlation below the threshold"}
        assert 0 < found.all_support.mean() < 1
    if name == "self_convergence_types":
        assert ends >= {"local", "correlation below the threshold"}


@pytest.mark.parametrize("name", ["convergence_types", "self_convergence_types", "token_count"])
def test_shares_of_convergence_types(name, run):
    r = run(name)
    types = r.instances
    assert (types.local.astype(int) + types.not_local + types.not_saturated == 1).all()
    assert not (types["global"] & ~types.local).any()
    for row in r.table.itertuples():
        group = types.query("n == @row.n and T == @row.T and d == @row.d and parametrisation == @row.parametrisation")
        assert row.instances == len(group) == SMALL[name]["problems"]["instances"]
        assert row.share == group[row.type].mean()
        assert 0 <= row.low <= row.share <= row.high <= 1
    assert len(r.table) == len({(g.n, g.T, g.d) for g in types.itertuples()}) * 2 * 6


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


def test_feasibility_shares_are_those_of_linear_programming(run):
    r = run("feasibility")
    separated = {}
    for _, s, p, _, _ in r.each():
        X, Y, v = p["tokens"][s], p["labels"][s], p["head"][s]
        n, T, d = X.shape
        stream = np.random.default_rng([RANDOM_STREAM, p["seeds"][s]])
        alphas = {"optimal": best_tokens(X, Y, v), "worst": best_tokens(X, Y, v, np.argmin)}
        alphas["random"] = stream.integers(T, size=n)
        for (alpha, tokens), (attention, Z) in product(alphas.items(), (("cross", p["queries"][s]), ("self", X[:, 0]))):
            separated.setdefault((n, T, d, attention, alpha), []).append(separable(X, Z, tokens))
    assert len(r.table) == len(separated) == 2 * 4 * 2 * 3
    shares = r.table.set_index(["n", "T", "d", "attention", "alpha"])
    for key, sample in separated.items():
        n, T, d, *_ = key
        assert shares.loc[key, "instances"] == len(sample) == 12
        assert shares.loc[key, "share"] == np.mean(sample)
        if d >= max(T - 1, n):
            assert shares.loc[key, "share"] == 1
    assert (shares.share == 0).any()
    assert ((shares.share > 0) & (shares.share < 1)).any()


def test_the_regularisation_paths_table_is_its_definition(run):
    r = run("regularisation_path")
    radii = np.geomspace(0.1, 300, 5)
    size = {"fro": lambda A: np.linalg.norm(A), "nuc": lambda A: np.linalg.norm(A, "nuc")}
    rows = {(row.norm, row.seed, k): row for row in r.table.itertuples() for k in [np.abs(radii - row.R).argmin()]}
    assert len(rows) == len(r.table) == 2 * 3 * 5
    for (_, s, p, t, _), (norm, value) in product(r.each(), size.items()):
        X, Z, Y, v = (p[key][s] for key in ("tokens", "queries", "labels", "head"))
        W_mm = solve(separation(X, Z, best_tokens(X, Y, v)), norm).W
        before = np.inf
        for k, radius in enumerate(radii):
            row, W = rows[norm, p["seeds"][s], k], t[f"{norm}_weights"][s, k]
            assert abs(row.R - radius) <= 1e-12 * radius
            assert value(W) == pytest.approx(radius, rel=1e-10)
            loss = np.mean(
                [np.log1p(np.exp(-y * softmax_of(x, W, z) @ x @ v)) for x, z, y in zip(X, Z, Y, strict=True)]
            )
            assert row.loss == pytest.approx(loss, rel=1e-12)
            # Both directions are known to the root of their gaps.
            assert row.correlation == pytest.approx(cosine(W, W_mm), abs=1e-6)
            assert row.distance == pytest.approx(value(W / value(W) - W_mm / value(W_mm)), abs=1e-6)
            assert row.gap < 1e-5
            assert row.log_excess < before
            before = row.log_excess
        assert row.correlation > 0.999
        assert row.distance < 0.1


def test_the_conditions_of_norm_growth_hold_for_what_is_drawn(run):
    r = run("norm_growth")
    conditions = {}
    for label, s, p, t, _ in r.each():
        X, Z, Y, v = (p[key][s] for key in ("tokens", "queries", "labels", "head"))
        optimal, condition = best_tokens(X, Y, v), label.split("_d6_")[1]
        rows = [np.outer(X[i, optimal[i]] - X[i, k], Z[i]).ravel() for i, k in np.ndindex(2, 3) if k != optimal[i]]
        gram = np.array(rows) @ np.array(rows).T
        feasible = separable(X, Z, optimal)
        all_support = feasible and (np.linalg.solve(gram, np.ones(len(rows))) >= 0).all()
        others = np.sort(Y[:, None] * (X @ v))[:, :-1]
        equal = feasible and np.ptp(others, axis=1).max() <= 1e-14
        holds = {
            "all_support": all_support,
            "equal_scores": equal,
            "neither": feasible and not all_support and not equal,
            "contradicting": not feasible,
        }[condition]
        if holds:
            conditions.setdefault(condition, {})[int(p["seeds"][s])] = (t["steps"], t["weights"][s], t["loss"][s])
    assert set(conditions) == {"all_support", "equal_scores", "neither", "contradicting"}
    for condition, drawn in conditions.items():
        table = r.table[r.table.condition == condition]
        wanted = sorted(drawn)[:3]  # the first three seeds
        assert sorted(set(table.seed)) == wanted
        for seed in wanted:
            steps, weights, loss = drawn[seed]
            rows = table[table.seed == seed].sort_values("step")
            assert rows.step.tolist() == steps.tolist()
            np.testing.assert_allclose(rows["norm"], [np.sqrt((W**2).sum()) for W in weights], rtol=1e-12)
            if condition != "contradicting":
                assert (np.diff(loss) < 0).all()
                assert rows["norm"].iloc[-1] > rows["norm"].iloc[0]
    # The contradicting ones stay: their gradient falls, and not because the softmax has saturated.
    finite = r.table[(r.table.condition == "contradicting") & (r.table.step == 300)]
    assert len(finite) == 3


def test_too_few_instances_of_a_condition_are_said(monkeypatch, tmp_path):
    monkeypatch.setitem(SMALL, "norm_growth", SMALL["norm_growth"] | {"measures": {"instances": 12}})
    with pytest.raises(UserError, match=r"norm_growth: only \d+ instances meet \w+, 12 are wanted: raise experiments"):
        Run("norm_growth", tmp_path)


def test_cone_starts_have_their_correlation_and_norm():
    generator = np.random.default_rng(0)
    W_mm, seeds = generator.normal(size=(5, 4, 4)), np.arange(10, 15)
    for mu, R in product((0.0, 0.003, 0.1, 0.3, 1.0), (1.0, 1000.0)):
        starts = cone._starts(W_mm, mu, R, seeds)
        for W, target in zip(starts, W_mm, strict=True):
            # A dozen roundings; √(1 − (1 − μ)²) of a small μ doubles none of them in the cosine.
            assert cosine(W, target) == pytest.approx(1 - mu, abs=1e-14)
            assert np.linalg.norm(W) == pytest.approx(R * np.linalg.norm(target), rel=1e-14)
    again = cone._starts(W_mm[3:], 0.1, 1.0, seeds[3:])
    assert np.array_equal(again, cone._starts(W_mm, 0.1, 1.0, seeds)[3:])  # whatever the batch
    away = [W - (W * V).sum() / (V * V).sum() * V for W, V in zip(again, W_mm[3:], strict=True)]
    assert abs(cosine(*away)) < 0.7  # each seed its own direction


def test_cone_choices_are_of_their_kind_and_drawn_from_all_of_it():
    p = draw(gaussian, range(6), 2, 3, 4)
    drawn, _ = cone._choices(p)
    for s in range(6):
        X, Z, Y, v = p.tokens[s], p.queries[s], p.labels[s], p.head[s]
        members = {kind: [] for kind in cone.KINDS}
        for alpha in product(range(3), repeat=2):
            answer = solve(separation(X, Z, np.array(alpha)))
            if not answer.solved:
                continue
            local = all(
                Y[i] * v @ (X[i, alpha[i]] - X[i, k]) > 0
                for i, k in np.ndindex(2, 3)
                if k != alpha[i] and (X[i, alpha[i]] - X[i, k]) @ answer.W @ Z[i] < 1 + 1e-5
            )
            if not local:
                members["not_locally_optimal"].append(alpha)
            elif alpha != tuple(best_tokens(X, Y, v)):
                members["locally_optimal"].append(alpha)
        for kind, (alpha, W_mm, found) in drawn.items():
            assert found[s] == bool(members[kind])
            if found[s]:
                assert tuple(alpha[s]) in members[kind]
                expected = solve(separation(X, Z, alpha[s])).W
                np.testing.assert_allclose(W_mm[s], expected, rtol=0, atol=1e-8)  # a gap of 1e-10 fixes W to its root
    assert drawn["not_locally_optimal"][2].all()
    assert 0 < drawn["locally_optimal"][2].sum() < 6


def test_the_cones_table_counts_who_stayed_and_who_converged(run):
    r, ends = run("cone"), {}
    starts = list(product((5, 100), (0.0, 0.3)))
    for (_, s, p, t, _), kind in product(r.each(), cone.KINDS):
        if not t[f"{kind}_found"][s]:
            continue
        alpha = t[f"{kind}_alpha"][s]
        W_mm = solve(separation(p["tokens"][s], p["queries"][s], alpha)).W
        for k, (R, mu) in enumerate(starts):
            W = t[f"{kind}_weights"][s, k]
            stayed = all(
                (x @ W @ z).argmax() == a for x, z, a in zip(p["tokens"][s], p["queries"][s], alpha, strict=True)
            )
            moved = np.linalg.norm(W - cone._starts(W_mm[None], mu, R, p["seeds"][s : s + 1])[0])
            assert 0 < moved <= 500 * 0.01 * R * (1 + 1e-9)  # every step is 0.01·R long
            ends.setdefault((kind, R, mu, "stayed"), []).append(stayed)
            ends.setdefault((kind, R, mu, "converged"), []).append(stayed and cosine(W, W_mm) >= 0.9)
    assert len(r.table) == len(ends)
    for row in r.table.itertuples():
        sample = ends[row.kind, row.R, row.mu, row.end]
        assert row.instances == len(sample)
        assert row.share == np.mean(sample)
    share = r.table.set_index(["kind", "R", "mu", "end"]).share
    assert share["locally_optimal", 100, 0.0, "stayed"] == 1
    assert share["not_locally_optimal", 100, 0.0, "converged"] < 1
