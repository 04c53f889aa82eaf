"""The audit as a page."""

import re
from html import unescape

import numpy as np
import pandas as pd
import pytest
from tried import CLAIMS, EXPERIMENTS

from attnsvm.audit import Tables, audit, certificates
from attnsvm.audit.evaluation import FAILS, HOLDS, IN_PART, UNTESTABLE
from attnsvm.audit.pages import html, measured, number, unmet, wanted


def test_the_pages_say_every_claim_and_how_many_certificates_failed(folder, audited):
    claims, counted = audited, certificates(Tables(folder), EXPERIMENTS)
    page = html(claims, counted)
    assert "9 SVM answers checked, 0 left without proof" in page
    for row in claims.itertuples():
        assert row.statement.split("'")[0] in page
        assert row.verdict == UNTESTABLE or f"{row.measured}: " in page.replace("&#39;", "'")
        assert row.also in unescape(page)
        assert not row.figure or f"../../figures/{row.figure}.png" in page
    counted.loc[0, "uncertified"] = 3
    assert "SVM answers checked, 3 left without proof" in html(claims, counted)


def test_a_smoke_run_is_said_to_be_one_and_a_single_claim_is_one(folder, audited):
    claims, counted = audited, certificates(Tables(folder), EXPERIMENTS)
    one = claims[claims["group"] == "ours"].head(1).assign(verdict=FAILS)
    assert "Numbers of a smoke run" in html(claims, counted, tiny=True)
    assert "smoke run" not in html(claims, counted)
    text = " ".join(re.sub("<[^>]*>", "", html(one, counted)).split())
    assert "1 claim, all, as first asked: 1 fails." in text


def test_what_is_left_out_is_named_with_its_own_page(folder):
    tables = Tables(folder)
    claims, counted = audit(tables, {"cone": CLAIMS["cone"]}), certificates(tables, EXPERIMENTS)
    page = html(claims, counted, {"model": "a model's heads"})
    assert "snakemake figures/model" in page
    assert "results/audit/model.html" in page
    assert "Optional figures" not in html(claims, counted)


def test_the_pages_count_the_papers_own_claims_apart(folder):
    tables = Tables(folder)
    claims, counted = audit(tables, {"cone": CLAIMS["cone"]}), certificates(tables, EXPERIMENTS)
    both = pd.concat([claims.assign(verdict=[HOLDS, FAILS]), claims.assign(kind="ours", verdict=IN_PART)])
    text = " ".join(re.sub("<[^>]*>", "", html(both, counted)).split())
    assert "2 claims, our stronger readings of the paper, as first asked: 1 holds, 1 fails." in text
    assert "4 claims, all, as first asked: 1 holds, 2 holds in part, 1 fails." in text


def test_the_pages_say_which_conditions_are_not_met(folder):
    tables = Tables(folder)
    claims, counted = audit(tables, {"cone": CLAIMS["cone"]}), certificates(tables, EXPERIMENTS)
    claims = claims.assign(main="yes: near", further="yes: nearer; no: the control")
    assert unmet(claims.iloc[0]) == ["the control"]
    assert unmet({"main": "no: far; yes: near", "further": float("nan")}) == ["far"]
    assert "Main yes: near</div>" in html(claims, counted)
    assert "Further yes: nearer; no: the control</div>" in html(claims, counted)


@pytest.mark.parametrize(
    ("value", "text"), [(0.0, "0"), (0.98, "0.98"), (1e-9, "1.0e-09"), (12345.6, "1.2e+04"), (np.nan, "–")]
)
def test_numbers_are_written_short(value, text):
    assert number(value) == text


ROW = {
    "measured": "largest excess, in ranks",
    "printed": "as drawn",
    "wanted": "≤ {}",
    "threshold": 0.0,
    "verdict": HOLDS,
}
ROW |= {"value": 2.0, "low": 1.0, "high": 3.0, "published": np.nan}


def test_a_number_stands_behind_its_words():
    assert measured(ROW) == "largest excess, in ranks: 2 [1, 3]"
    assert measured(ROW | {"low": -np.inf, "missed": 0.1}).endswith("a share of 0.1 does otherwise is excluded")
    assert measured(ROW | {"low": np.nan}) == "largest excess, in ranks: 2"
    assert measured(ROW | {"published": 5.0}) == "largest excess, in ranks: 2 [1, 3]; in print, as drawn: 5"
    assert measured(ROW | {"published": 5.0, "printed": np.nan}) == "largest excess, in ranks: 2 [1, 3]; in print: 5"
    assert measured(ROW | {"verdict": UNTESTABLE}) == "–"
    assert wanted(ROW) == "≤ 0"
    assert wanted(ROW | {"threshold": np.nan}) == "–"
