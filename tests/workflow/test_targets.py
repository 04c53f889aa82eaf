"""What a user may ask for and get wrong in a finished run: one sentence says what is known. See test_first_use.py."""

from harness import BUILT, snakemake


def refused(folder, *arguments, **options):
    """What Snakemake says of a run that must end with a sentence."""
    run = snakemake(folder, *arguments, **options)
    assert run.returncode != 0
    assert "Traceback" not in run.stdout
    return run.stdout


def test_a_block_beyond_the_last_is_refused(copy):
    target = f"{BUILT}/results/svm_rank/seeds-0-9/problems.npz"
    said = refused(copy, target)
    assert "error: svm_rank has no block seeds-0-9: its blocks are seeds-0-1, seeds-2-3\n" in said
    assert not (copy / target).exists()


def test_too_few_candidates_end_with_the_remedy(copy):
    said = refused(copy, "figures/multi_token", extra={"experiments": {"multi_token": {"measures": {"accepted": 99}}}})
    assert "seeds were accepted at d = 4, 99 are wanted: raise experiments.multi_token.problems.candidates" in said
