"""The audit as a table: its order, its figures, and what ends it."""

import pytest
from made_up import CLAIMS, EXPERIMENTS

from attnsvm.audit import Claim, Reading, Tables, audit, certificates
from attnsvm.building.dependencies import module_files
from attnsvm.errors import UserError


def claim(key, group="ours", read=lambda tables, least: Reading(len(tables.own()), 0, 1, 1, {"a": True}), **fields):
    words = {"short": "", "statement": "", "check": "", "why": ""}
    return Claim(key=key, group=group, read=read, **words | fields)


def test_rows_stand_by_group_and_inside_it_in_the_order_given(folder):
    claims = {"cone": (claim("b"), claim("a", "paper")), "svm_rank": (claim("c", "print"), claim("d", "paper"))}
    table = audit(Tables(folder), claims)
    assert list(table.key) == ["a", "d", "b", "c"]
    assert list(table.figure) == ["cone", "svm_rank", "cone", "svm_rank"]
    assert table.value[0] != table.value[1]  # each claim reads the table of its own folder


def test_a_claim_may_name_another_figure_or_none(folder):
    claims = {"cone": (claim("a", figure="svm_rank"), claim("b", figure=""))}
    assert list(audit(Tables(folder), claims).figure) == ["svm_rank", ""]


@pytest.mark.parametrize(
    "claims", [{"cone": (claim("a"), claim("a"))}, {"svm_rank": (claim("a"),), "cone": (claim("a"),)}]
)
def test_a_key_that_is_taken_ends_with_a_sentence(folder, claims):
    with pytest.raises(UserError, match=r"experiments/cone/claims\.py: the key 'a' is taken by .*: choose another"):
        audit(Tables(folder), claims)


def test_a_missing_table_ends_with_its_sentence(folder):
    (folder / "figures/cone.csv").unlink()
    with pytest.raises(UserError, match=r"figures/cone\.csv: missing; run snakemake"):
        audit(Tables(folder), CLAIMS)


@pytest.mark.parametrize("error", [KeyError("x"), IndexError("x"), ValueError("x"), ZeroDivisionError("x")])
def test_what_goes_wrong_in_a_reading_ends_the_audit_with_the_name_of_the_claim(folder, error):
    def read(tables, least):
        raise error

    with pytest.raises(
        RuntimeError, match=rf"experiments/cone/claims\.py: the claim 'a' .*{type(error).__name__}"
    ) as seen:
        audit(Tables(folder), {"cone": (claim("a", read=read),)})
    assert seen.value.__cause__ is error


def test_certificates_are_added_up_by_experiment(folder):
    counted = certificates(Tables(folder), EXPERIMENTS)
    assert list(counted.experiment) == list(EXPERIMENTS)
    assert list(counted.checked) == [2, 3, 4]
    assert list(counted.solved) == [1, 2, 3]
    assert (counted.infeasible == 1).all()
    assert (counted.uncertified == 0).all()
    assert set(counted.largest_gap) == {1e-12}


def test_the_audit_knows_no_experiment_and_no_build():
    files = module_files("attnsvm.audit.table", "attnsvm.audit.pages", "attnsvm.audit.figure", "attnsvm.audit.rows")
    assert "attnsvm/audit/reading.py" in files
    assert not [file for file in files if file.startswith(("attnsvm/experiments/", "attnsvm/building/"))]
