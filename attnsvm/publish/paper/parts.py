"""What the paper of a run is made from: which figures its text shows and reads, and which of them can be built here."""

from functools import cache

from attnsvm.pipeline import cards
from attnsvm.pipeline.hashes.dependencies import digest
from attnsvm.pipeline.log_format import meant
from attnsvm.pipeline.plan import Plan
from attnsvm.publish.paper import declared, manuscript
from attnsvm.system.errors import UserError, require

AUDIT = "claims"


@cache
def figures() -> tuple[str, ...]:
    """The figures that the text shows or reads numbers of, in the order of their cards.

    Raises:
        UserError: it shows one that there is not.
    """
    known = [card.name for card in cards.figures(optional=True)]
    shown = manuscript.named("figures")
    for name in shown:
        require(name in known, f"the paper shows {name!r}, and there is no such figure: {meant(name, known)}")
    wanted = {*shown, *(one.figure for one in declared.read().values())}
    return tuple(name for name in known if name in wanted)


def built(plan: Plan) -> list[str]:
    """The figures of the text that this machine can build: an optional one may need files that are not here."""
    return [name for name in figures() if not cards.read(name).optional or _has_what_it_reads(plan, name)]


def pictures(plan: Plan) -> dict[str, str]:
    """The svg of every figure that is shown and built."""
    shown = manuscript.named("figures")
    return {name: f"{plan.at}figures/{name}.svg" for name in built(plan) if name in shown}


def tables(plan: Plan) -> list[str]:
    """The csv of every figure of which a number is read."""
    read = {one.figure for one in declared.read().values()}
    return [f"{plan.at}figures/{name}.csv" for name in built(plan) if name in read]


def audits(plan: Plan) -> list[str]:
    """The tables of claims: the audit's, and those of the optional figures."""
    claimed = [AUDIT, *(name for name in built(plan) if cards.read(name).optional)]
    return [f"{plan.at}results/audit/{name}.csv" for name in claimed]


def numbers_code() -> str:
    """The hash of what decides over numbers.json."""
    return digest("attnsvm.publish.paper.numbers", texts=(manuscript.DECLARED,))


def code() -> str:
    """The hash of what decides over the typeset pages: the code, and all sources."""
    return digest("attnsvm.publish.paper.typesetting", texts=manuscript.sources())


def _has_what_it_reads(plan: Plan, name: str) -> bool:
    try:
        plan.all_outside(name)
    except UserError:
        return False
    return True
