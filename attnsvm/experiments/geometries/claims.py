"""Every rule of descent goes to the max-margin solution of its own norm: the diagonal of the matrix is largest."""

import numpy as np

from attnsvm.audit.reading import Claim, NoInstance, Reading, only
from attnsvm.audit.rows import last, single


def diagonal(tables, least):
    """The share of instances with every rule's own ratio largest in row and column; then rule by rule, and the control.

    The control can kill the claim: if matrices that nobody trained, of the same shapes, did as well, the picture would
    show the shapes of single steps and no margins.
    """
    table = last(tables.own())
    trained, untrained = (only(table, kind=kind) for kind in ("trained", "untrained"))
    every, control = (single(only(rows, quantity="all")) for rows in (trained, untrained))
    parts = {}
    across, down = (only(trained, quantity=quantity).set_index("rule") for quantity in ("row", "column"))
    for rule in across.index:
        words = f"{rule}: row {across.loc[rule, 'value']:.2f}, column {down.loc[rule, 'value']:.2f}"
        parts[words] = min(across.loc[rule, "value"], down.loc[rule, "value"]) >= least
    parts[f"more often than matrices of the same shapes, untrained ({control['value']:.2f})"] = (
        every["low"] > control["high"]
    )
    return Reading(every["value"], every["low"], every["high"], int(every["instances"]), parts)


def limit(tables, least):
    """The smallest median own ratio of all rules; and whether what is missing to one still shrinks."""
    own = tables.own(kind="trained", quantity="ratio")
    own = own[own["rule"] == own["norm"]]
    parts, ends = {}, []
    for rule, line in own.groupby("rule", sort=False):
        line = line.sort_values("step")
        end = line.iloc[-1]
        decade = line.iloc[(np.log10(line["step"] * 10 / end["step"])).abs().argmin()]
        if decade["step"] == end["step"]:
            raise NoInstance("step about a decade before the last")
        shrinks = 1 - end["value"] <= 0.5 * (1 - decade["value"])
        parts[f"{rule}: {end['value']:.4f}, and half of what was missing a decade before is gone"] = (
            end["value"] >= least and shrinks
        )
        ends.append((end["value"], end["low"], end["high"], int(end["instances"])))
    value, low, high, count = min(ends)
    return Reading(value, low, high, count, parts)


CLAIMS = (
    Claim(
        key="geometries",
        group="beyond",
        short="every rule has its own SVM",
        statement="Steepest descent in a norm (ℓ1, ℓ1.75, Frobenius, ℓ3, max, spectral, nuclear, largest row, sum of "
        "rows) goes to the max-margin solution of that norm, and of no other: its margin, as a share of the best one, "
        "is largest in its own norm, and no other rule does better there.",
        check="share of instances in which this holds for all rules at once after the last step, Wilson interval; "
        "each rule by its shares; and matrices of the same shapes that were not trained",
        threshold=0.95,
        why="asked of every rule, in its row and in its column: one instance in twenty may still be on its way",
        measured="share of instances with every rule's own norm and own rule ahead",
        wanted="each ≥ {}",
        read=diagonal,
    ),
    Claim(
        key="geometries_limit",
        group="beyond",
        short="the margin of the own norm goes to the best",
        statement="Under steepest descent in a norm the margin in that norm goes to the best one.",
        check="margin ratio in the own norm after the last step, median and quartiles over the instances, of the rule "
        "that has the smallest",
        threshold=0.95,
        why="what is missing falls about like 1/steps; at the last step a few hundredths may be left",
        measured="smallest median of the margin ratio in the own norm (best: 1)",
        wanted="≥ {}",
        read=limit,
    ),
)
