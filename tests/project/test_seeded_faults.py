"""The faults of tests/faults.py can be put where they belong: `python tests/faults.py` says which tests notice them."""

import ast

import pytest
from faults import FAULTS, files_of, places


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_has_its_place_and_its_tests(fault):
    (path,) = places(fault)
    assert fault.new != fault.old
    if path.suffix == ".py":
        ast.parse(path.read_text("utf-8").replace(fault.old, fault.new))
    assert files_of(fault)
    assert all(fault.tests.count(name) == 1 for name in fault.tests)


def test_no_two_have_the_same_name():
    assert len({fault.name for fault in FAULTS}) == len(FAULTS) >= 30
