"""How many blocks a user may ask for with --set-scatter, and from how many on each is measured by itself."""

from collections.abc import Mapping

from attnsvm.errors import UserError, require
from attnsvm.pipeline import cards
from attnsvm.pipeline.configuration import stage_settings

FREE = 64  # so many blocks are never too many, however few instances: an empty one costs a second
MEASURED_TOGETHER = 4  # so many blocks are measured by the job that gathers them: starting one for each takes longer
MOST = 10_000  # of one experiment; Snakemake plans some hundred jobs per second


def check(asked: Mapping[str, int], resolved: dict, ours_alone: bool = True) -> None:
    """Refuse numbers of blocks that no run could use.

    Args:
        asked: number of blocks by name of experiment.
        resolved: the whole configuration.
        ours_alone: whether every name must be one of ours; not inside somebody else's workflow.

    Raises:
        UserError: an unknown experiment, no block, or more blocks than instances.
    """
    known = {card.name: card for card in cards.experiments(optional=True)}
    for name, count in asked.items():
        if name not in known:
            if ours_alone:
                raise UserError(f"--set-scatter {name}={count}: {cards.unknown_name(name, list(known))}")
            continue
        where = f"--set-scatter {name}={count}"
        require(count >= 1, f"{where}: at least 1 block is needed")
        require(count <= MOST, f"{where}: at most {MOST} blocks, Snakemake needs minutes to plan more")
        if count > FREE:
            instances = _instances(known[name], resolved)
            require(count <= instances, f"{where}: there are only {instances} instances to cut into blocks")


def _instances(card: cards.Card, resolved: dict) -> int:
    cells = card.module("problems").cells(stage_settings(card, resolved, "problems"))
    return sum(len(cell.seeds) for cell in cells)
