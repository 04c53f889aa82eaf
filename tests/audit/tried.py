"""The claims of all experiments, and what flips.py tries them with: found by being there."""

import io
from functools import cache
from pathlib import Path

import pandas as pd

from attnsvm.audit import Tables
from attnsvm.audit.reading import Claim
from attnsvm.building import cards

CARDS = {card.name: card for card in cards.claiming(optional=True)}
CLAIMS: dict[str, list[Claim]] = {name: card.module("claims").CLAIMS for name, card in CARDS.items()}
HOME = {claim.key: name for name, own in CLAIMS.items() for claim in own}
BY_KEY = {claim.key: claim for own in CLAIMS.values() for claim in own}
TRIED = {name: card.module("flips") for name, card in CARDS.items() if "flips" in card.modules}
FLIPS = {key: flip for flips in TRIED.values() for key, flip in flips.FLIPS.items()}
EMPTY = {key: empty for flips in TRIED.values() for key, empty in flips.EMPTY.items()}


def path(experiment):
    return f"figures/{experiment}.csv"


@cache
def read(experiment):
    return pd.read_csv(io.StringIO(pd.DataFrame(TRIED[experiment].table()).to_csv(index=False)))


def table(experiment):
    """The made-up table of an experiment, as it is read from a file."""
    return read(experiment).copy()


def tables():
    """Those of all experiments, in memory."""
    return Tables(Path("nowhere"), cache={path(name): table(name) for name in TRIED})
