"""docs/literature.md leads to every row of its section, and to no row or figure that is not there."""

import re

from harness import ROOT

from attnsvm.building import cards

TEXT = (ROOT / "docs/literature.md").read_text("utf-8")


def test_it_names_every_figure_and_every_row_of_its_section():
    own = [card for card in cards.figures(optional=True) if card.section == "The literature"]
    assert own
    rows = {claim.key for card in own for claim in card.module("claims").CLAIMS}
    named = set(re.findall(r"`(\w+)`", TEXT))
    assert {card.name for card in own} | rows <= named


def test_what_it_names_is_there():
    known = {card.name for card in cards.every()}
    known |= {claim.key for card in cards.claiming(optional=True) for claim in card.module("claims").CLAIMS}
    assert set(re.findall(r"`(\w+)`", TEXT)) <= known
