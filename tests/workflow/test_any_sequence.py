"""After any sequence of ordinary steps one run makes what a clean build makes.

ATTNSVM_SEQUENCES=1000 python -m pytest tests/workflow/test_any_sequence.py     more of them
ATTNSVM_SEED=17 ATTNSVM_SEQUENCES=1 ...                                         the one that failed as [17]
"""

import os

import pytest
from sequences import Sequence, States

SEED, COUNT = (int(os.environ.get(f"ATTNSVM_{name}", usual)) for name, usual in (("SEED", 2), ("SEQUENCES", 4)))


@pytest.fixture(scope="module")
def workshop(tmp_path_factory):
    return States(tmp_path_factory.mktemp("states"))


@pytest.mark.parametrize("seed", range(SEED, SEED + COUNT))
def test_after_any_sequence_a_run_makes_what_a_clean_build_makes(workshop, tmp_path, seed):
    Sequence(workshop, tmp_path, seed, few=1 if seed < 8 else None).go()
