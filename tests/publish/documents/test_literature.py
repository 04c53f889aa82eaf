"""docs/literature.md leads to every row of its section, and to no row or figure that is not there."""

import re

from harness import ROOT

from attnsvm.pipeline import cards
from attnsvm.pipeline.configuration import resolve, stage_settings

TEXT = (ROOT / "docs/literature.md").read_text("utf-8")
OWN = [card for card in cards.figures(optional=True) if card.section == "literature"]
DEVELOPMENT = 100000  # seeds below are those on which settings and limits were chosen


def test_its_rows_are_judged_on_seeds_that_development_did_not_use():
    """As docs/literature.md says."""
    for card in OWN:
        settings = stage_settings(card, resolve({"scale": "paper"}), "problems")
        first = min(min(cell.seeds) for cell in card.module("problems").cells(settings))
        assert first >= DEVELOPMENT, card.name


def test_it_names_every_figure_and_every_row_of_its_section():
    assert OWN
    rows = {claim.key for card in OWN for claim in card.claims}
    named = set(re.findall(r"`(\w+)`", TEXT))
    assert {card.name for card in OWN} | rows <= named


def test_what_it_names_is_there():
    known = {card.name for card in cards.every()}
    known |= {claim.key for card in cards.claiming(optional=True) for claim in card.claims}
    assert set(re.findall(r"`(\w+)`", TEXT)) <= known
