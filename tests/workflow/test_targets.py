"""What a user may ask for and get wrong: one sentence that says what is known."""

import pytest
from harness import BUILT, snakemake

from attnsvm.building import cards

FIGURES = [card.name for card in cards.figures()]
EXPERIMENTS = [card.name for card in cards.experiments()]
WITHOUT = [
    (card.name, stage) for card in cards.experiments() for stage in ("descent", "svm") if stage not in card.stages
]


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
    assert "Traceback" not in run.stdout


@pytest.mark.parametrize(
    ("target", "sentence"),
    [
        ("figures/svm_ranks", "unknown figure 'svm_ranks': did you mean 'svm_rank'?"),
        ("figures/zzz", f"unknown figure 'zzz': known are all, audit, {FIGURES[0]},"),
        (f"{BUILT}/figures/svm_ranks.pdf", "unknown figure 'svm_ranks': did you mean 'svm_rank'?"),
        (
            f"{BUILT}/results/svm_ranks/measures.parquet",
            "unknown experiment 'svm_ranks': did you mean 'svm_rank'?",
        ),
    ],
)
def test_an_unknown_target_ends_with_its_sentence(built, target, sentence):
    run = snakemake(built, target)
    assert run.returncode != 0
    assert sentence in run.stdout
    assert "Traceback" not in run.stdout


@pytest.mark.parametrize("block", ["9-of-2", "seeds-0-9"])
def test_a_block_beyond_the_last_is_refused(copy, block):
    target = f"{BUILT}/results/svm_rank/{block}/problems.npz"
    run = snakemake(copy, target)
    assert run.returncode != 0
    assert f"error: svm_rank has no block {block}: its blocks are seeds-0-1, seeds-2-3\n" in run.stdout
    assert not (copy / target).exists()


@pytest.mark.parametrize(("name", "stage"), WITHOUT[:1])
def test_a_stage_that_an_experiment_does_not_have_is_refused(built, name, stage):
    run = snakemake(built, f"{BUILT}/results/{name}/seeds-0-0/{stage}.npz")
    assert run.returncode != 0
    assert f"{name} has no {stage}" in run.stdout
    assert "Traceback" not in run.stdout


@pytest.mark.skipif("multi_token" not in EXPERIMENTS, reason="waits for its folder")
def test_too_few_candidates_end_with_the_remedy(copy):
    run = snakemake(copy, "figures/multi_token", extra={"experiments": {"multi_token": {"measures": {"accepted": 99}}}})
    assert run.returncode != 0
    assert (
        "seeds were accepted at d = 4, 99 are wanted: raise experiments.multi_token.problems.candidates" in run.stdout
    )
