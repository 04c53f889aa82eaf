"""The audit as a page."""

import numpy as np
import pytest
from made_up import CLAIMS, EXPERIMENTS

from attnsvm.audit import Tables, audit, certificates
from attnsvm.audit.pages import html, markdown, number


def test_the_pages_say_every_claim_and_how_many_certificates_failed(folder):
    tables = Tables(folder)
    claims, counted = audit(tables, CLAIMS), certificates(tables, EXPERIMENTS)
    for page in (html(claims, counted), markdown(claims, counted)):
        assert "9 SVM certificates checked, 0 failed" in page
        for row in claims.itertuples():
            assert row.statement.split("'")[0] in page
            assert not row.figure or f"../../figures/{row.figure}.png" in page
    counted.loc[0, "uncertified"] = 3
    assert "SVM certificates checked, 3 failed" in markdown(claims, counted)


def test_a_group_without_a_claim_has_no_heading(folder):
    tables = Tables(folder)
    claims, counted = audit(tables, {"cone": CLAIMS["cone"]}), certificates(tables, EXPERIMENTS)
    for page in (html(claims, counted), markdown(claims, counted)):
        assert "Claims of the paper" in page
        assert "Beyond the paper" not in page


@pytest.mark.parametrize(
    ("value", "text"), [(0.0, "0"), (0.98, "0.98"), (1e-9, "1.0e-09"), (12345.6, "1.2e+04"), (np.nan, "–")]
)
def test_numbers_are_written_short(value, text):
    assert number(value) == text
