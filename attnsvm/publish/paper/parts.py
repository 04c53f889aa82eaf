"""What the paper of a run is made from: which figures its text shows and reads, and which of them can be built here."""

from collections.abc import Callable
from functools import cache, partial

from attnsvm.pipeline import cards, modules, targets
from attnsvm.pipeline.log_format import meant
from attnsvm.pipeline.plan import Inputs, Param, Plan
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


def jobs(plan: Plan, resolved: dict) -> dict[str, tuple[dict[str, Param], Inputs]]:
    """Params and inputs of the rules of the paper and of the site, as `Plan.further` has them.

    Args:
        resolved: the configuration, and the "captions" and "notes" of all figures.
    """
    said: dict[str, Param] = {key: partial(resolved.get, key) for key in ("captions", "notes")}
    settings = {key: value for key, value in resolved.items() if key in ("scale", "experiments", "figures")}
    at, audit = plan.at, plan.inputs("claims")
    counted = lambda: audit()["certificates"]  # noqa: E731

    def code(rule: str, texts: Callable[[], tuple[str, ...]]) -> dict[str, Param]:
        return {"code": lambda: modules.code(rule, texts=texts())}

    numbers: dict[str, Param] = {"settings": lambda: settings, "figures": lambda: built(plan), **said}
    return {
        "paper_numbers": (
            numbers | code("paper_numbers", lambda: (manuscript.DECLARED,)),
            lambda: {
                "audits": audits(plan),
                "tables": tables(plan),
                "cost": plan.figure_files("audit", kinds=("json",)),
                "certificates": counted(),
            },
        ),
        "typeset": (
            {"figures": lambda: [*pictures(plan)]} | code("typeset", manuscript.sources),
            lambda: {"numbers": f"{at}results/paper/numbers.json", "pictures": [*pictures(plan).values()]},
        ),
        "site": (
            said | code("site", modules.on_the_site),
            lambda: {
                "figures": plan.figure_files(*targets.figures()),
                "audit": plan.figure_files("audit", kinds=("svg", "json")),
                "claims": f"{at}results/audit/claims.csv",
                "paper": [f"{at}results/paper/manuscript.html", f"{at}paper/attnsvm.pdf"],
                "certificates": counted(),
            },
        ),
    }


def _has_what_it_reads(plan: Plan, name: str) -> bool:
    try:
        plan.all_outside(name)
    except UserError:
        return False
    return True
