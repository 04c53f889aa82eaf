"""The claims of all experiments, and the tables that they are tried on: found by being there."""

import sys
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from attnsvm.audit import Tables
from attnsvm.audit.evaluation import Claim
from attnsvm.pipeline import cards
from attnsvm.publish.exchange import reference
from attnsvm.system.store import load_csv

sys.path.append(str(Path(__file__).parents[1] / "experiments"))

EXPERIMENTS = ("svm_rank", "cone", "feasibility")  # those of the folder of a finished run, see conftest.py
RELEASE = reference.read()
CARDS = {
    card.name: card
    for card in cards.claiming(optional=True)
    if card.name in RELEASE.figures or "outside" not in card.modules
}
CLAIMS: dict[str, list[Claim]] = {name: card.claims for name, card in CARDS.items()}
HOME = {claim.key: name for name, own in CLAIMS.items() for claim in own}
BY_KEY = {claim.key: claim for own in CLAIMS.values() for claim in own}


def path(experiment):
    return f"figures/{experiment}.csv"


@cache
def read(experiment):
    """The table of the release; of an experiment that is newer, that of a smoke run."""
    if experiment in RELEASE.figures:
        return RELEASE.table(experiment)
    from running import Run

    with TemporaryDirectory() as folder:
        file = Path(folder) / "table.csv"
        Run(experiment, {}, Path(folder), scale="smoke").table.to_csv(file, index=False)
        return load_csv(file)


def table(experiment):
    return read(experiment).copy()


def tables():
    """Those of all experiments, in memory."""
    return Tables(Path("nowhere"), cache={path(name): table(name) for name in CARDS})
