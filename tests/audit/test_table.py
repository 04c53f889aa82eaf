"""The audit as a table: its order, its figures, and what ends it."""

import pytest
from tried import CLAIMS, EXPERIMENTS

from attnsvm.audit import Claim, Reading, Tables, audit, certificates
from attnsvm.audit.evaluation import IN_PART
from attnsvm.audit.numbers import Limit
from attnsvm.pipeline.hashes.dependencies import module_files
from attnsvm.system.checksums import beside
from attnsvm.system.errors import UserError


def claim(key, group="ours", read=lambda tables, limit: Reading(len(tables.own()), 0, 1, 1, {"a": True}), **fields):
    words = {"short": "", "statement": "", "check": "", "limit": Limit(0.0, "> {}", "")}
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
    with pytest.raises(UserError, match=r"^the claims\.py of cone: the key 'a' is taken by .*: choose another"):
        audit(Tables(folder), claims)


def test_a_reading_is_given_the_limits_by_name_and_the_row_says_them(folder):
    def read(tables, limit, control):
        return Reading(1.0, 0.5, 1.5, 3.0, {"more": limit(1.0)}, {"as many": True, "the control is less": control(0.2)})

    also = {"control": Limit(0.1, "of the control < {}", "as much as chance")}
    row = audit(Tables(folder), {"cone": (claim("a", read=read, also=also),)}).iloc[0]
    assert (row.main, row.further) == ("yes: more", "yes: as many; no: the control is less")
    assert (row.verdict, row.also) == (IN_PART, "of the control < 0.1: as much as chance")
    assert (row.threshold, row.wanted, row.instances) == (0.0, "> {}", 3)


def test_a_missing_table_ends_with_its_sentence(folder):
    (folder / "figures/cone.csv").unlink()
    with pytest.raises(UserError, match=r"figures/cone\.csv: missing; run snakemake"):
        audit(Tables(folder), {"cone": CLAIMS["cone"]})


@pytest.mark.parametrize("error", [KeyError("x"), IndexError("x"), ValueError("x"), ZeroDivisionError("x")])
def test_what_goes_wrong_in_a_reading_ends_the_audit_with_the_name_of_the_claim(folder, error):
    def read(tables, limit):
        raise error

    with pytest.raises(RuntimeError, match=rf"^the claims\.py of cone: the claim 'a' .*{type(error).__name__}") as seen:
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


def test_the_audit_knows_no_experiment_and_no_pipeline():
    files = module_files("attnsvm.audit.table", "attnsvm.audit.pages", "attnsvm.audit.figure", "attnsvm.audit.rows")
    assert "attnsvm/audit/evaluation.py" in files
    assert not [file for file in files if file.startswith(("attnsvm/experiments/", "attnsvm/pipeline/"))]


@pytest.mark.parametrize("gap", ["1.0", "2e-07", ""])
def test_an_answer_called_solved_with_a_loose_gap_ends_the_audit(folder, gap):
    path = folder / "results/cone/certificates.csv"
    path.write_text(path.read_text().replace("1e-12", gap))
    beside(path).unlink()
    with pytest.raises(UserError, match=r"^cone, fro: an answer that is called solved"):
        certificates(Tables(folder), EXPERIMENTS)
