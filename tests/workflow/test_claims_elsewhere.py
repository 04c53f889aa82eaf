"""`snakemake elsewhere/NAME`: an experiment under other settings, in folders of its own, and its matrix of claims."""

import pandas as pd
import pytest
from harness import BUILT, NOTHING, as_typed, build, clone, dry

from attnsvm.audit.elsewhere import COLUMNS
from attnsvm.pipeline import cards
from attnsvm.pipeline.configuration import resolve
from attnsvm.pipeline.plan import Plan

NAME = "multi_token"
VARIANTS = Plan(resolve({"scale": "smoke"}), {}).variants(NAME)


@pytest.fixture(scope="module")
def tried(built, tmp_path_factory):
    """A clone in which nothing but elsewhere/multi_token is built."""
    folder = clone(built, tmp_path_factory.mktemp("elsewhere") / "clone")
    build(folder, f"elsewhere/{NAME}")
    return folder


def test_every_claim_has_a_verdict_in_every_variant(tried):
    base = tried / BUILT / f"results/elsewhere/{NAME}"
    rows = pd.read_csv(base / "matrix.csv")
    assert tuple(rows) == COLUMNS
    own = [claim.key for claim in cards.read(NAME).module("claims").CLAIMS if claim.testable and claim.group != "print"]
    assert sorted(zip(rows.claim, rows.variant, strict=True)) == sorted((key, one) for key in own for one in VARIANTS)
    assert "Where it holds" in (base / "matrix.html").read_text()
    assert (base / "matrix.png").stat().st_size > 1000


def test_a_variant_has_blocks_and_certificates_as_every_experiment(tried):
    for one in VARIANTS:
        folder = tried / BUILT / f"results/elsewhere/{NAME}/{one}"
        assert pd.read_csv(folder / "certificates.csv")[["solved", "infeasible"]].to_numpy().sum() > 0
        assert list(folder.glob("seeds-*/svm.npz"))


def test_it_is_built_once_and_touches_nothing_else(tried):
    assert NOTHING in dry(tried, f"elsewhere/{NAME}").stdout
    assert not (tried / BUILT / f"results/{NAME}").exists()
    assert not (tried / BUILT / "figures").exists()


def test_what_makes_no_claim_is_refused_in_a_sentence(tried):
    run = as_typed(tried, "elsewhere/hierarchie", "-n", "--config", "scale=smoke")
    assert run.returncode != 0
    assert "error: unknown experiment with claims 'hierarchie'" in run.stdout
