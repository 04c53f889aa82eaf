"""Blocks, acceptance and measures against brute force on small experiments, with no Snakemake around."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

from attnsvm import experiments
from attnsvm.pipeline import stages
from attnsvm.errors import UserError
from attnsvm.experiments.base import block_cells

ROOT = Path(__file__).resolve().parent.parent
PAPER = yaml.safe_load((ROOT / "config/config.yaml").read_text())["experiments"]
SMALL = {
    "local_convergence": {
        "problems": {"n": 3, "T": 4, "d": 6, "first_seed": 5, "instances": 4},
        "descent": {"steps": 60, "learning_rate": 0.1, "log_every": 20},
        "measures": {"drawn_steps": 40},
    },
    "svm_rank": {"problems": {"n": [5, 10], "T": [5, 8], "d": [2, 6], "first_seed": 0, "instances": 6}},
}


def run(name, tmp_path, blocks=1):
    """All stages through their files; returns the experiment, the stage files and the outputs."""
    config, files = SMALL[name], []
    for k in range(1, blocks + 1):
        block, folder = f"{k}-of-{blocks}", tmp_path / f"{k}"
        paths = [str(folder / f"{stage}.npz") for stage in ("problems", "descent", "svm")]
        stages.problems(name, config, block, paths[0])
        stages.descent(name, config, paths[0], paths[1])
        stages.svm(name, {}, paths[0], paths[1], paths[2])
        files.append((block, *paths))
    outputs = {"table": "table.parquet", "instances": "instances.parquet", "outcomes": "outcomes.csv"}
    outputs["certificates"] = "certificates.csv"
    outputs = {key: str(tmp_path / name) for key, name in outputs.items()}
    stages.measures(name, config, files, outputs)
    return files, outputs


@pytest.mark.parametrize("name", experiments.EXPERIMENTS)
@pytest.mark.parametrize("count", [1, 3, 7])
def test_blocks_partition_the_instances(name, count):
    experiment = experiments.get(name, PAPER[name])
    whole = [(c.label, seed) for c in experiment.cells() for seed in c.seeds]
    parts = [
        (c.label, seed)
        for k in range(1, count + 1)
        for c in block_cells(experiment, f"{k}-of-{count}")
        for seed in c.seeds
    ]
    assert sorted(parts) == sorted(whole)
    sizes = [sum(len(c.seeds) for c in block_cells(experiment, f"{k}-of-{count}")) for k in range(1, count + 1)]
    assert max(sizes) - min(sizes) <= 1


def test_the_papers_grids():
    count = {name: sum(len(c.seeds) for c in experiments.get(name, PAPER[name]).cells()) for name in PAPER}
    assert count["local_convergence"] == 100
    assert count["svm_rank"] == 5 * 8 * 100  # three n at T = 5, two more T at n = 5
    labels = [c.label for c in experiments.get("svm_rank", PAPER["svm_rank"]).cells()]
    assert len(set(labels)) == len(labels) == 40


def test_an_unknown_experiment_is_refused_with_the_known_ones():
    with pytest.raises(UserError, match=r"unknown experiment 'ranks': known are trajectories"):
        experiments.get("ranks", {})


def test_local_convergence_measures_are_their_definition(tmp_path):
    from attnsvm.files.store import load_cells
    from attnsvm.svm import separation, solve

    files, outputs = run("local_convergence", tmp_path, blocks=2)
    values = {}
    for _, problems, descent, _ in files:
        (p,), (t,) = load_cells(problems).values(), load_cells(descent).values()
        for s in range(len(p["seeds"])):
            for kind in ("W", "KQ"):
                selected = t[f"{kind}_probabilities"][s].argmax(1)
                c = separation(p["tokens"][s], p["queries"][s], selected)
                for norm in ("fro", "nuc"):
                    target = solve(c, norm).W
                    for k, W in zip(t["steps"], t[f"{kind}_weights"][s], strict=True):
                        value = np.trace(target.T @ W) / np.linalg.norm(target) / np.linalg.norm(W)
                        values.setdefault((kind, f"corr_{norm}", int(k)), []).append(value)
                for k, W in zip(t["steps"], t[f"{kind}_weights"][s], strict=True):
                    logits = np.einsum("ntd,de,ne->nt", p["tokens"][s], W, p["queries"][s])
                    softmax = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
                    values.setdefault((kind, "softmax", int(k)), []).append(softmax.max(1).mean())
    table = pd.read_parquet(outputs["table"])
    assert set(table.step) == {0, 20, 40}
    assert len(table) == 2 * 3 * 3
    for row in table.itertuples():
        sample = np.array(values[row.parametrisation, row.quantity, row.step])
        assert row.instances == len(sample) == 4
        # 1e-6: a nuclear solution of a batch and of a single solve agree to the root of their gap at worst.
        assert np.isclose(row.mean, sample.mean(), atol=1e-6)
        assert np.isclose(row.std, sample.std(), atol=1e-6)


def test_rank_table_counts_feasible_instances_apart(tmp_path):
    _, outputs = run("svm_rank", tmp_path)
    table, instances = pd.read_parquet(outputs["table"]), pd.read_parquet(outputs["instances"])
    certified = table[table.method == "certified"]
    assert (certified.instances == 6).all()
    hard = certified[(certified.n == 10) & (certified.d == 2)]
    assert (hard.feasible < 6).all()  # far below the bound max(T − 1, n) some instance has no separator
    assert (certified[certified.d == 6].feasible == 6).all()
    for row in certified[certified.feasible > 0].itertuples():
        sample = instances.query(
            "n == @row.n and T == @row.T and d == @row.d and norm == @row.norm and method == 'certified' and solved"
        )
        assert row.rank_mean == sample["rank"].mean()
        assert (sample["rank"] <= sample["rank_bound"]).all()
        # Solved so tightly that the count does not move when its tolerance moves by a factor of 100.
        assert (sample["rank_low"] == sample["rank"]).all()
        assert (sample["rank_high"] == sample["rank"]).all()
    published = table[(table.method == "published") & (table.n == 10) & (table.d == 2)]
    assert (published.rank_mean >= 1).all()  # the defect: rank 1 for every instance without a separator
    outcome = pd.read_csv(outputs["outcomes"])
    assert outcome.instances.sum() == 2 * 6 * 6  # both norms, six cells, six instances: nobody is missing


def test_the_split_into_blocks_changes_no_table(tmp_path):
    for name in SMALL:
        tables = [pd.read_parquet(run(name, tmp_path / f"{name}{k}", blocks=k)[1]["table"]) for k in (1, 4)]
        pd.testing.assert_frame_equal(*tables, rtol=1e-9)


def test_a_diverged_descent_is_refused(tmp_path, monkeypatch):
    bad = {"weights": np.array([[1.0, np.nan]])}
    monkeypatch.setattr("attnsvm.experiments.local_convergence.LocalConvergence.descent", lambda *_: bad)
    config, paths = SMALL["local_convergence"], [str(tmp_path / name) for name in ("p.npz", "d.npz")]
    stages.problems("local_convergence", config, "1-of-1", paths[0])
    with pytest.raises(UserError, match="weights is not finite: the descent diverged"):
        stages.descent("local_convergence", config, *paths)
    assert not (tmp_path / "d.npz").exists()


def test_nothing_measured_is_said_with_what_became_of_the_instances(tmp_path, monkeypatch):
    problems = {**SMALL["local_convergence"]["problems"], "d": 1}
    monkeypatch.setitem(SMALL, "local_convergence", {**SMALL["local_convergence"], "problems": problems})
    with pytest.raises(UserError, match=r"local_convergence: no instance could be measured \(4 W without SVM"):
        run("local_convergence", tmp_path)
