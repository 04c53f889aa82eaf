"""Descent stays in a cone around the solution of locally optimal tokens, and leaves that of others."""

from attnsvm.audit.conditions import EACH, number
from attnsvm.audit.evaluation import Claims, Reading, some
from attnsvm.audit.numbers import Limit, estimate
from attnsvm.audit.rows import ends, where

CLAIMS = Claims(group="paper")


@CLAIMS.add(
    short="stays in a cone if locally optimal",
    statement="Descent that starts in a narrow cone around the SVM direction of locally optimal tokens, far out, "
    "stays with them and goes to that direction.",
    measured="share of runs that stay at a correlation of .9 or more, narrowest cone, largest R",
    limit=Limit(
        0.95,
        "share ≥ {}",
        "the claim is for R large enough, which depends on the instance: one in twenty may need a larger one",
    ),
)
def stays(tables, limit):
    table = tables.own(end="converged")
    local = some(where(table, kind="locally_optimal"), "locally optimal choice besides the optimal tokens")
    opened = some(local[local["mu"] > 0], "angle above zero")
    narrow = opened[opened["mu"] == opened["mu"].min()].sort_values("R")
    nearest, farthest = ends(narrow, "R")
    smallest, widest = ends(local[local["R"] == local["R"].max()].sort_values("mu"), "mu")
    stay = {f"at R = {farthest['R']:g} and 1 − correlation {farthest['mu']:g}": limit(estimate(farthest))}
    further = {
        "more often the larger R": narrow["value"].is_monotonic_increasing and farthest["value"] > nearest["value"],
        "more often the smaller the angle": smallest["value"] > widest["value"],
    }
    return Reading(*estimate(farthest), stay, further)


CLAIMS.declare(
    "leaves",
    number(
        end="stayed",
        kind="not_locally_optimal",
        R=EACH,
        mu=EACH,
        missing="separable choice that is not locally optimal",
        text="share of runs that stay with these tokens",
    ).must("≤ 0.05", "one run in twenty may still be on its way", "R = {R:g}"),
    short="leaves it if not",
    statement="Gradient descent that starts around the SVM direction of tokens that are not locally optimal leaves "
    "these tokens.",
)
