"""Where the law of layers ends."""

from attnsvm.audit import Claim, Reading, some


def measured_follow(tables, least):
    """Of the runs that can be measured, the share that follows the law, in the worst shape."""
    table = tables.own()
    keys = ["depth", "n", "T", "d"]
    shares = table.pivot_table(index=keys, columns="end", values="share")
    counts = table.groupby(keys)["instances"].first()
    possible = shares["law"] + shares["farther"]
    shares = some(shares[possible > 0], "instance that could be measured")
    among = (shares["law"] / possible[shares.index]).rename("among")
    weight = (possible[shares.index] * counts[shares.index]).round().astype(int)
    whole = (among * weight).sum() / weight.sum()
    widest = table[table["d"] == table["d"].max()]
    failed = widest[widest["end"].isin(("equal tokens", "not separable", "not saturated"))]
    lost = failed.groupby(keys)["share"].sum().max()
    narrow = table[(table["d"] == table["d"].min()) & (table["end"] != "law")].groupby(keys)["share"].sum().max()
    parts = {
        "of all runs that can be measured, the share that follows": whole >= least,
        "at the largest dimension few runs cannot be measured": lost <= 1 - least,
        "at the smallest dimension more runs do not follow": narrow > lost,
    }
    return Reading(whole, float("nan"), float("nan"), int(weight.sum()), parts)


CLAIMS = (
    Claim(
        key="layers_boundary",
        group="beyond",
        short="the law needs dimensions, not luck",
        statement="Runs whose layers have separators and whose top saturates follow the law, whatever the shape.",
        check="share of those runs in which every layer is near the solution of its place, over all shapes and depths",
        threshold=0.9,
        why="nine in ten; at the largest dimension no more than one in ten may be lost otherwise",
        read=measured_follow,
        measured="share of the measured runs",
        wanted="≥ {}",
    ),
)
