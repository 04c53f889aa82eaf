"""Claims that are asked no more: their table, and that the page shows them."""

import re

from tried import CLAIMS, EXPERIMENTS

from attnsvm.audit import Tables, audit, certificates, retired
from attnsvm.audit.evaluation import UNDECIDED, VERDICTS
from attnsvm.audit.pages import html
from attnsvm.pipeline import cards


def test_a_retired_claim_has_a_key_of_its_own_and_a_verdict():
    found = retired.claims()
    living = {claim.key for card in cards.claiming(optional=True) for claim in card.claims}
    assert tuple(found) == retired.COLUMNS
    assert found["key"].is_unique
    assert not {*found["key"]} & living
    assert {*found["verdict"]} <= {*VERDICTS}
    assert found["statement"].str.fullmatch(r"\S[^|]*\.").all()  # it stands in a table of Markdown
    assert found["words"].str.fullmatch(r"|\S[^|]*\.").all()
    assert found["commit"].str.fullmatch("[0-9a-f]{8}").all()
    assert found.loc[found["verdict"] == UNDECIDED, "words"].str.startswith("Printed as ").all()
    ordered = found.dropna(subset=["low", "high"])
    assert ((ordered["low"] <= ordered["value"]) & (ordered["value"] <= ordered["high"])).all()


def test_what_was_revised_is_asked_and_stands_in_its_row(folder):
    found = retired.revised().set_index("key")["revised"]
    assert found.index.is_unique
    assert {*found.index} <= {claim.key for card in cards.claiming(optional=True) for claim in card.claims}
    assert list(audit(Tables(folder), {"cone": CLAIMS["cone"]})["revised"].dropna()) == [found["stays"]]


def test_the_page_shows_every_one_and_counts_none(folder):
    tables, gone = Tables(folder), retired.claims()
    claims, counted = audit(tables, {"cone": CLAIMS["cone"]}), certificates(tables, EXPERIMENTS)
    page, without = html(claims, counted, retired=gone), html(claims, counted)
    assert f"Retired claims: {len(gone)}" in page
    assert "etired" not in without
    for row in gone.itertuples():
        assert re.sub("[`'\"].*", "", row.statement) in page
    counts = re.compile(r"\d+ claims?, [a-z ]+, as first asked")
    assert counts.findall(page) == counts.findall(without) != []
