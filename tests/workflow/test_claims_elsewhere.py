"""`snakemake elsewhere/NAME`: an experiment under other settings, in folders of its own, and its matrix of claims."""

import pandas as pd
import pytest
from harness import BUILT, NOTHING, as_typed, build, clone, dry

from attnsvm.audit.elsewhere import COLUMNS
from attnsvm.pipeline import cards
from attnsvm.pipeline.configuration import resolve
from attnsvm.pipeline.plan import Plan

NAME = "local_convergence"
PLAN = Plan(resolve({"scale": "smoke"}), {})
VARIANTS = PLAN.variants(NAME)


@pytest.fixture(scope="module")
def tried(built, tmp_path_factory):
    """A clone in which nothing but elsewhere/local_convergence is built."""
    folder = clone(built, tmp_path_factory.mktemp("elsewhere") / "clone")
    build(folder, f"elsewhere/{NAME}")
    return folder


def test_every_claim_has_a_verdict_in_every_variant(tried):
    base = tried / BUILT / f"results/elsewhere/{NAME}"
    rows = pd.read_csv(base / "matrix.csv")
    assert tuple(rows) == COLUMNS
    own = [claim.key for claim in cards.read(NAME).claims if claim.testable and claim.kind != "print"]
    assert sorted(zip(rows.claim, rows.variant, strict=True)) == sorted((key, one) for key in own for one in VARIANTS)
    assert "Where it holds" in (base / "matrix.html").read_text()


def test_a_variant_has_blocks_and_certificates_as_every_experiment(tried):
    base = tried / BUILT / f"results/elsewhere/{NAME}"
    counted = pd.read_csv(base / "certificates.csv")
    for one in VARIANTS:
        own = counted[counted["experiment"] == f"elsewhere/{NAME}/{one}"]
        assert own[["solved", "infeasible"]].to_numpy().sum() > 0
        assert list((base / one).glob("seeds-*/svm.npz"))


def test_what_fails_and_nothing_else_is_run_on(tried):
    """The variants that the first reading names, with their own certificates."""
    base = tried / BUILT / f"results/elsewhere/{NAME}"
    cells = pd.read_csv(base / "cells.csv")
    there = {str(path.relative_to(tried)) for path in base.glob("*_on/*/measures.npz")}
    assert there == set(PLAN.measured_on(NAME, cells.to_dict("records")))


def test_it_is_built_once_and_touches_nothing_else(tried):
    assert NOTHING in dry(tried, f"elsewhere/{NAME}").stdout
    assert not (tried / BUILT / f"results/{NAME}").exists()
    assert not (tried / BUILT / "figures").exists()


def test_an_edit_of_a_stage_runs_its_variants_again(tried):
    path = tried / f"attnsvm/experiments/paper/{NAME}/measures.py"
    text = path.read_text()
    path.write_text(text + "\n\nEDITED = 1\n")
    try:
        assert "try other settings" in dry(tried, f"elsewhere/{NAME}").stdout
    finally:
        path.write_text(text)


def test_what_makes_no_claim_is_refused_in_a_sentence(tried):
    run = as_typed(tried, "elsewhere/hierarchie", "-n", "--config", "scale=smoke")
    assert run.returncode != 0
    assert "error: unknown experiment with variants 'hierarchie'" in run.stdout
