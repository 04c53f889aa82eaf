"""The smoke pipeline, run for real through Snakemake in a copy of the repository."""

import shutil

import pandas as pd
import pytest
from pipeline import copy_repository, jobs, snakemake

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


def test_touching_every_file_of_the_code_rebuilds_nothing(built):
    for path in [*built.glob("attnsvm/**/*.py"), *built.glob("workflow/**/*.*"), built / "Snakefile"]:
        path.touch()
    assert "Nothing to be done" in snakemake(built, "-n", "figures/all").stdout


def test_a_deleted_figure_is_rebuilt_alone_and_to_the_byte(built):
    target = built / "figures/svm_rank.png"
    before = target.read_bytes()
    target.unlink()
    assert jobs(snakemake(built, "-n", "figures/all")) == {"figure": 1, "figures/all": 1}
    assert snakemake(built, "figures/all").returncode == 0
    assert target.read_bytes() == before


def test_a_plot_setting_redraws_and_retrains_nothing(built):
    dry = jobs(snakemake(built, "-n", "figures/all", extra={"figures": {"dpi": 72}}))
    assert dry == {"figure": len(FIGURES), "figures/all": 1}


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
    assert dry == {**rerun, "figures/all": 1}


@pytest.mark.parametrize(
    ("edited", "rerun"),
    [
        ("attnsvm/svm/nuclear.py", {"descent": 3, "svm": 28, "measures": 17, "figure": 16, "figures/all": 1}),
        ("attnsvm/kernels.py", {"descent": 22, "svm": 22, "measures": 14, "figure": 13, "figures/all": 1}),
        ("attnsvm/plots/svm_rank.py", {"figure": 1, "figures/all": 1}),
        (
            "attnsvm/experiments/planar.py",
            {"problems": 2, "descent": 2, "svm": 2, "measures": 2, "figure": 2, "figures/all": 1},
        ),
    ],
)
def test_edited_code_reruns_what_runs_it(built, edited, rerun):
    path = built / edited
    original = path.read_text()
    path.write_text(original + "\n# edited\n")
    try:
        assert jobs(snakemake(built, "-n", "figures/all")) == rerun
    finally:
        path.write_text(original)


def test_another_split_into_blocks_gives_the_same_numbers(built, tmp_path):
    """To 1e-9 relative, as promised: problems and initialisations are the same bits, sums may round differently."""
    folder = copy_repository(tmp_path)
    scatter = ["multi_token=1", "svm_rank=3", "local_convergence=5", "trajectories=2"]
    run = snakemake(folder, "figures/all", "--set-scatter", *scatter)
    assert run.returncode == 0, run.stdout
    for figure in FIGURES:
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
