"""Numbers of blocks that no run could use are refused, and quickly."""

import time

import pytest

from attnsvm.errors import UserError
from attnsvm.pipeline import blocks
from attnsvm.pipeline.configuration import resolve

PAPER, SMOKE = resolve({}), resolve({"scale": "smoke"})


@pytest.mark.parametrize(
    ("name", "count", "sentence"),
    [
        ("cone", 0, "--set-scatter cone=0: at least 1 block is needed"),
        ("kone", 3, "--set-scatter kone=3: unknown experiment 'kone': did you mean 'cone'?"),
        ("cone", 100_000, "--set-scatter cone=100000: at most 10000 blocks, Snakemake needs minutes to plan more"),
        ("cone", 201, "--set-scatter cone=201: there are only 200 instances to cut into blocks"),
    ],
)
def test_a_wrong_number_of_blocks_is_refused(name, count, sentence):
    start = time.monotonic()
    with pytest.raises(UserError) as caught:
        blocks.check({name: count}, PAPER)
    assert str(caught.value) == sentence
    assert time.monotonic() - start < 20  # torch is imported


@pytest.mark.parametrize(("name", "count"), [("cone", 1), ("cone", 200), ("svm_rank", 64)])
def test_a_right_number_of_blocks_is_taken(name, count):
    blocks.check({name: count}, PAPER)


def test_the_blocks_of_a_profile_may_be_more_than_the_instances_of_a_smoke_run():
    blocks.check({"regularisation_path": blocks.FREE}, SMOKE)


def test_inside_another_workflow_its_names_are_its_own():
    blocks.check({"somebody_elses": 5}, PAPER, ours_alone=False)
    with pytest.raises(UserError, match="at least 1 block"):
        blocks.check({"cone": 0}, PAPER, ours_alone=False)
