"""The smoke pipeline, run for real through Snakemake in a copy of the repository."""

import hashlib
import json
import shutil

import jsonschema
import pandas as pd
import pytest
import yaml
from pipeline import ROOT, copy_repository, jobs, snakemake, snapshot

from attnsvm.plots import FIGURES

COLUMNS = {
    "trajectories": {"kind", "parametrisation", "input", "step", "x", "y"},
    "hyperplanes": {"kind", "parametrisation", "input", "step", "x", "y"},
    "local_convergence": {"parametrisation", "quantity", "step", "mean", "std", "instances"},
    "normalisation": {"normalisation", "parametrisation", "step", "median", "low", "high", "mean", "instances"},
    "svm_rank": {
        *("n", "T", "d", "norm", "method"),
        *("instances", "feasible", "rank_mean", "rank_std", "rank_max", "gap_max", "outside_max"),
    },
    "multi_token": {"d", "panel", "solution", "step", "value", "unselected_max", "seed", "accepted", "tried"},
    "convergence_types": {"n", "T", "d", "parametrisation", "type", "share", "low", "high", "instances"},
    "token_count": {"n", "T", "d", "parametrisation", "type", "share", "low", "high", "instances"},
    "self_attention": {
        *("experiment", "parametrisation", "quantity", "step", "mean", "std", "instances"),
        *("n", "T", "d", "type", "share", "low", "high"),
    },
    "feasibility": {"n", "T", "d", "attention", "alpha", "share", "low", "high", "instances"},
    "penalised_head": {"lambda", "selected", "solution", "value", "seed"},
    "regularisation_path": {"norm", "R", "correlation", "distance", "loss", "seed"},
    "norm_growth": {"condition", "step", "norm", "gradient_norm", "correlation", "seed"},
    "sequence": {"attention", "step", "mean", "std", "instances"},
    "cone": {"kind", "R", "mu", "end", "share", "low", "high", "instances"},
    "positional": {"tokens", "quantity", "seed", "value"},
}


@pytest.mark.parametrize("figure", FIGURES)
def test_every_figure_is_built_with_its_columns(built, figure):
    assert (built / f"figures/{figure}.pdf").read_bytes().startswith(b"%PDF")
    assert (built / f"figures/{figure}.png").read_bytes().startswith(b"\x89PNG")
    table = pd.read_csv(built / f"figures/{figure}.csv")
    assert set(table.columns) >= COLUMNS[figure]
    assert len(table)


def test_certified_and_published_rows_stand_side_by_side(built):
    table = pd.read_csv(built / "figures/svm_rank.csv")
    counts = table.groupby(["n", "T", "d", "norm"])["method"].agg(set)
    assert all(methods == {"certified", "published"} for methods in counts)
    certified = table[table.method == "certified"]
    assert (certified.gap_max.dropna() <= 1e-7).all()
    assert certified.rank_mean[certified.feasible == 0].isna().all()


def test_the_second_run_has_nothing_to_do(built):
    assert "Nothing to be done" in snakemake(built, "figures/all").stdout


def test_touching_every_file_rebuilds_nothing(built):
    for path in sorted(path for path in built.rglob("*") if path.is_file() and ".snakemake" not in path.parts):
        path.touch()
    assert "Nothing to be done" in snakemake(built, "-n", "figures/all").stdout


def test_a_deleted_figure_is_rebuilt_alone_and_to_the_byte(built):
    target = built / "figures/svm_rank.png"
    before = target.read_bytes()
    target.unlink()
    assert jobs(snakemake(built, "-n", "figures/all")) == {"figure": 1, "provenance": 1, "figures/all": 1}
    assert snakemake(built, "figures/all").returncode == 0
    assert target.read_bytes() == before


def test_a_plot_setting_redraws_and_retrains_nothing(built):
    dry = jobs(snakemake(built, "-n", "figures/all", extra={"figures": {"dpi": 72}}))
    assert dry == {"figure": len(FIGURES), "provenance": len(FIGURES), "figures/all": 1}


@pytest.mark.parametrize(
    ("section", "changed", "rerun"),
    [
        ("local_convergence", {"measures": {"drawn_steps": 50}}, {"measures": 1, "figure": 1}),
        ("local_convergence", {"descent": {"steps": 150}}, {"descent": 2, "svm": 2, "measures": 1, "figure": 1}),
        (
            "svm_rank",
            {"problems": {"instances": 5}},
            {"problems": 2, "descent": 2, "svm": 2, "measures": 1, "figure": 1},
        ),
    ],
)
def test_a_changed_setting_reruns_what_depends_on_it(built, section, changed, rerun):
    dry = jobs(snakemake(built, "-n", "figures/all", extra={"experiments": {section: changed}}))
    assert dry == {**rerun, "provenance": 1, "figures/all": 1}


EDITS = {
    # The nuclear solver: the SVM stage of every experiment and what follows; two descents start at SVM directions.
    "attnsvm/svm/nuclear.py": {"descent": 3, "svm": 28, "measures": 17, "figure": 16, "claims": 1, "audit_figure": 1},
    "attnsvm/kernels.py": {"descent": 22, "svm": 22, "measures": 14, "figure": 13, "claims": 1, "audit_figure": 1},
    "attnsvm/regularisation.py": {"descent": 2, "svm": 2, "measures": 1, "figure": 1, "claims": 1, "audit_figure": 1},
    "attnsvm/experiments/planar.py": {
        **{"problems": 2, "descent": 2, "svm": 2, "measures": 2, "figure": 2},
        **{"claims": 1, "audit_figure": 1},
    },
    "attnsvm/plots/svm_rank.py": {"figure": 1, "claims": 1, "audit_figure": 1},
    "attnsvm/plots/audit.py": {"audit_figure": 1},
    "attnsvm/audit/claims.py": {"claims": 1, "audit_figure": 1},
    "README.md": {},
    "docs/figures.md": {},
    "tests/test_workflow.py": {},
}
SPREAD = {"problems", "descent", "svm", "measures", "figure", "claims", "audit_figure"}


@pytest.mark.parametrize("edited", EDITS)
def test_an_edit_reruns_what_runs_the_code_and_nothing_else(built, edited):
    path = built / edited
    path.parent.mkdir(exist_ok=True)
    original = path.read_bytes() if path.exists() else None
    path.write_bytes((original or (ROOT / edited).read_bytes()) + b"\n# edited\n")
    try:
        dry = snakemake(built, "-n", "figures/all", "audit")
        assert {rule: count for rule, count in jobs(dry).items() if rule in SPREAD} == EDITS[edited]
        if EDITS[edited]:
            assert f"Updated input files: {edited}" in dry.stdout
        else:
            assert "Nothing to be done" in dry.stdout
    finally:
        path.unlink() if original is None else path.write_bytes(original)


@pytest.mark.parametrize(
    "how", [["--cores", "1"], ["--set-threads", "descent=2", "svm=2"], ["--workflow-profile", "another"]]
)
def test_how_it_runs_reruns_nothing(built, how):
    (built / "another").mkdir(exist_ok=True)
    default = (ROOT / "profiles/default/config.yaml").read_text()
    (built / "another/config.yaml").write_text(default + "latency-wait: 9\nset-resources: {svm: {runtime: 7}}\n")
    assert "Nothing to be done" in snakemake(built, "-n", "figures/all", "audit", *how).stdout


@pytest.mark.parametrize("keep", [("results", "figures"), ("results",)])
def test_results_copied_into_a_fresh_clone_are_up_to_date(built, tmp_path, keep):
    folder = copy_repository(tmp_path)
    for name in keep:
        shutil.copytree(built / name, folder / name)  # with their times, as cp -a does
    for path in folder.glob("attnsvm/**/*.py"):
        path.touch()  # a clone's files are as old as the clone
    dry = snakemake(folder, "-n", "figures/all", "audit")
    if "figures" in keep:
        assert "Nothing to be done" in dry.stdout
    else:
        assert not {"problems", "descent", "svm", "measures"} & set(jobs(dry))
        assert jobs(dry)["figure"] == len(FIGURES)


def test_beside_every_figure_lies_where_it_comes_from(built):
    schema = yaml.safe_load((ROOT / "workflow/schemas/provenance.schema.yaml").read_text())
    smoke = yaml.safe_load((ROOT / "config/smoke.yaml").read_text())["experiments"]
    for name in [*FIGURES, "audit"]:
        found = json.loads((built / f"figures/{name}.json").read_text())
        jsonschema.validate(found, schema)
        text = json.dumps(found["config"], sort_keys=True)
        assert found["config_sha256"] == hashlib.sha256(text.encode()).hexdigest()
        for experiment, record in found["experiments"].items():
            counted = pd.read_csv(built / f"results/{experiment}/outcomes.csv").groupby("outcome").instances.sum()
            assert record["outcomes"] == counted.to_dict()
            proofs = pd.read_csv(built / f"results/{experiment}/certificates.csv")
            assert record["svm_certificates"]["solved"] == proofs.solved.sum()
            assert record["cost"]["svm"]["wall_s"] > 0
            for key, value in smoke[experiment].get("problems", {}).items():
                assert found["config"]["experiments"][experiment]["problems"][key] == value
    rank = json.loads((built / "figures/svm_rank.json").read_text())
    assert rank["experiments"]["svm_rank"]["instances_tried"] == 2 * 3 * 4 + 3 * 4
    assert "attnsvm/svm/nuclear.py" in rank["code"]["files"]
    assert "attnsvm/plots/multi_token.py" not in rank["code"]["files"]
    assert "cone" in json.loads((built / "figures/audit.json").read_text())["experiments"]


def test_another_rebuild_in_another_folder_gives_the_same_bytes(built, tmp_path):
    folder = copy_repository(tmp_path)
    run = snakemake(folder, "figures/all", "audit")
    assert run.returncode == 0, run.stdout
    drawn = [f"{base}/**/*.{kind}" for base in ("figures", "results") for kind in ("csv", "png", "pdf")]
    ours, theirs = (
        {name: hashlib.sha256(data).hexdigest() for name, data in snapshot(where, *drawn).items()}
        for where in (folder, built)
    )
    assert len(ours) > 3 * len(FIGURES)
    assert ours == theirs


def test_another_split_into_blocks_gives_the_same_numbers(built, tmp_path):
    """To 1e-9 relative, as promised: problems and initialisations are the same bits, sums may round differently."""
    folder = copy_repository(tmp_path)
    figures = {"svm_rank": 3, "local_convergence": 5, "trajectories": 2, "token_count": 1, "norm_growth": 3, "cone": 2}
    scatter = [f"{name}={count}" for name, count in figures.items()]
    targets = [f"figures/{name}" for name in figures]
    run = snakemake(folder, *targets, "--set-scatter", *scatter, "--set-threads", "descent=2")
    assert run.returncode == 0, run.stdout
    for figure in figures:
        ours, theirs = (pd.read_csv(base / f"figures/{figure}.csv") for base in (folder, built))
        pd.testing.assert_frame_equal(ours, theirs, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    ("extra", "sentence"),
    [
        (
            {"experiments": {"local_convergence": {"problems": {"n": 0}}}},
            "config: experiments.local_convergence.problems.n: 0 is too small, the least value is 1",
        ),
        (
            {"experiments": {"local_convergance": {}}},
            "config: experiments: unknown key 'local_convergance': did you mean 'local_convergence'?",
        ),
    ],
)
def test_a_wrong_configuration_ends_with_its_sentence(built, extra, sentence):
    run = snakemake(built, "-n", extra=extra)
    assert run.returncode != 0
    assert sentence in run.stdout


@pytest.mark.parametrize(
    ("target", "sentence"),
    [
        ("figures/svm_ranks", "unknown figure 'svm_ranks': known are all, trajectories,"),
        ("results/svm_ranks/measures.parquet", "unknown experiment 'svm_ranks': known are trajectories,"),
    ],
)
def test_an_unknown_target_ends_with_its_sentence(built, target, sentence):
    run = snakemake(built, target)
    assert run.returncode != 0
    assert sentence in run.stdout


def test_too_few_candidates_end_with_the_remedy(built, tmp_path):
    folder = shutil.copytree(built, tmp_path / "copy")
    run = snakemake(
        folder, "figures/multi_token", extra={"experiments": {"multi_token": {"measures": {"accepted": 99}}}}
    )
    assert run.returncode != 0
    assert (
        "seeds were accepted at d = 4, 99 are wanted: raise experiments.multi_token.problems.candidates" in run.stdout
    )
