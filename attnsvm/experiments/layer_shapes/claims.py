"""Where the law of layers ends."""

from attnsvm.audit.numbers import Limit, proportion
from attnsvm.audit.reading import Claim, Reading, some


def measured_follow(tables, asked, lost):
    """Of the runs that can be measured, the share that follows the law."""
    table = tables.own()
    keys = ["depth", "n", "T", "d"]
    shares = table.pivot_table(index=keys, columns="end", values="share")
    counts = table.groupby(keys)["instances"].first()
    follow, others = ((shares[end] * counts).round().sum() for end in ("law", "farther"))
    some(table[[follow + others > 0] * len(table)], "instance that could be measured")
    whole = proportion(follow, follow + others)
    widest = table[table["d"] == table["d"].max()]
    failed = widest[widest["end"].isin(("equal tokens", "not separable", "not saturated"))]
    wide = failed.groupby(keys)["share"].sum().max()
    narrow = table[(table["d"] == table["d"].min()) & (table["end"] != "law")].groupby(keys)["share"].sum().max()
    parts = {
        "of all runs that can be measured, the lower end of the share that follows": asked(whole),
        "at the largest dimension few runs cannot be measured": lost(wide),
        "at the smallest dimension more runs do not follow": narrow > wide,
    }
    return Reading(*whole, parts)


CLAIMS = (
    Claim(
        key="layers_boundary",
        group="beyond",
        short="the law needs dimensions, not luck",
        statement="Runs whose layers have separators and whose top saturates follow the law, whatever the shape.",
        check="share of those runs in which every layer is near the solution of its place; all shapes and depths, 95 % "
        "Wilson interval",
        measured="share of the measured runs",
        asked=Limit(0.9, "≥ {}", "nine in ten; at the largest dimension no more than one in ten may be lost otherwise"),
        also={
            "lost": Limit(0.1, "share that cannot be measured at the largest dimension ≤ {}", "no more than one in ten")
        },
        read=measured_follow,
    ),
)
