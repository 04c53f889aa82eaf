"""Where the law of layers holds with something else in the stack, and where it breaks."""

from functools import partial

import numpy as np

from attnsvm.audit.conditions import LAST, number
from attnsvm.audit.numbers import Limit, exact, proportion
from attnsvm.audit.reading import Claims, Reading, some
from attnsvm.audit.rows import last, where
from attnsvm.experiments.beyond.layers_beyond.kinds import KINDS

FIRST = ("plain", "temperatures 1 and 3", "squared loss", "MLP between", "normalised before the top", "four classes")
LATER = ("normalised behind", "two heads", "one-hot tokens", "repeated tokens")
end = number(step=LAST, missing="measured instance of the {kind} kind")
CLAIMS = Claims(group="beyond")


def where_saturated(kinds, tables, limit):
    """The largest distance of all instances whose counting rows saturate, and the rival of the plain kind."""
    table = tables.own()
    found = last(table)
    found = where(found[found["kind"].isin(kinds)], quantity="corrected, saturated")
    found = some(found, "instance whose counting rows saturate")
    rival = end(kind="plain", quantity="all").estimate(table)
    parts = {f"{row['kind']}: largest below {limit.value}": limit(row["largest"]) for _, row in found.iterrows()}
    farther = {"margin 1 in all rows is farther": bool(rival.low > found["largest"].max())}
    return Reading(*exact(found["largest"].max(), found["instances"].sum()), parts, farther)


CLAIMS.add(
    key="layers_beyond_saturated",
    short="the law where counting rows saturate",
    statement="With temperatures, an MLP or a normalisation between the layers, another loss: where the rows that "
    "count saturate, both layers go to the corrected SVMs of what the top sees.",
    check="largest 1 − correlation of the farther layer after the last step, over all instances that saturate",
    measured="largest 1 − correlation where rows saturate",
    limit=Limit(0.01, "≤ {}", "that of `layers_kinds`, here of every instance; the rival must be farther"),
    read=partial(where_saturated, FIRST),
)

CLAIMS.add(
    key="layers_beyond_variants",
    short="the law with heads and other tokens",
    statement="With two heads and output matrices, one-hot tokens, tokens that repeat, or a normalisation behind the "
    "top: where the rows that count saturate, copies of a token together, both layers go to their SVMs.",
    check="largest 1 − correlation of the farther layer after the last step, over all instances that saturate",
    measured="largest 1 − correlation where rows saturate",
    limit=Limit(0.01, "≤ {}", "as `layers_beyond_saturated` asks"),
    read=partial(where_saturated, LATER),
)


@CLAIMS.add(
    short="mixed counting rows hold the weights back",
    statement="Where a row that counts stays mixed, ‖W‖ grows by a quarter at most, in the median of a kind, while the "
    "steps double.",
    check="‖W‖ after the last step over that at half of the steps, medians of each kind; the largest of the mixed ones",
    measured="largest median growth where rows are mixed",
    limit=Limit(1.25, "median growth ≤ {}", "steps of one length that go on in one direction double it"),
    grows=Limit(1.75, "median growth where rows saturate ≥ {}", "nearly twice, as such steps do"),
)
def layers_beyond_stalls(tables, limit, grows):
    """How much ‖W‖ grows over the second half of the steps where counting rows stay mixed, and where they saturate."""
    rows = last(tables.own())
    rows = rows[rows["kind"].isin(FIRST)]
    mixed = some(where(rows, quantity="growth, mixed"), "instance whose counting rows stay mixed")
    whole = some(where(rows, quantity="growth, saturated"), "instance whose counting rows saturate")
    parts = {f"{row['kind']}, mixed: median {row['value']:.2f}": limit(row["value"]) for _, row in mixed.iterrows()}
    others = {
        f"{row['kind']}, saturated: median {row['value']:.2f}": grows(row["value"]) for _, row in whole.iterrows()
    }
    return Reading(*exact(mixed["value"].max(), mixed["instances"].sum()), parts, others)


@CLAIMS.add(
    short="norms go with the temperatures",
    statement="With temperatures τ the norms ‖W_l‖/‖W_l^mm‖ are as the temperatures of the layers.",
    check="median of the logarithm of the ratio of both, with its 95 % interval, against log(1/3)",
    measured="median log ratio of norms",
    limit=Limit(0.01, "distance from log(1/3) ≤ {}", "one per cent, as `layers_norms` asks"),
)
def layers_beyond_temperatures(tables, limit):
    """How far the ratio of norms is from that of the temperatures."""
    name, table = "temperatures 1 and 3", tables.own()
    ratio, plain = (end(kind=kind, quantity="ratio").estimate(table) for kind in (name, "plain"))
    wanted = np.log(KINDS[name].below / KINDS[name].top)
    off, other = (abs(seen.value - wanted) for seen in (ratio, plain))
    equal = {"that of equal temperatures is not there": other > limit.value}
    return Reading(*ratio, {"median log ratio": limit(off)}, equal)


# What holds with heads and other tokens, asked on unseen seeds: the law, once rows that do not count have settled.
SETTLED = "instance of {} whose rows have settled"


@CLAIMS.add(
    sharpens="layers_beyond_variants",
    on="settled_rows",
    short="far only where a row changes its token",
    statement="With two heads and output matrices, one-hot tokens, or tokens that repeat: once the rows that do not "
    "count go where they went at half of the steps, both layers are near their SVMs, and nearer like 1/‖W‖²; what is "
    "farther has a row that just changes its token.",
    check="two layers, counting rows saturated, after the last step: largest 1 − correlation of the farther layer "
    "where no probability that a row goes to has changed since half of the steps; how many these are, Wilson interval; "
    "growth of their distance times ‖W‖² since then, median",
    measured="largest 1 − correlation where the rows have settled",
    limit=Limit(0.01, "≤ {}", "as first asked, of every instance"),
    moved=Limit(0.05, "change of a probability that counts as none ≤ {}", "a twentieth of a token"),
    often=Limit(0.5, "share of settled instances ≥ {}", "beyond doubt most of them"),
    falls=Limit(1.4, "growth of the distance times ‖W‖², median ≤ {}", "1/‖W‖ would leave that of ‖W‖"),
)
def layers_settled_rows(tables, limit, moved, often, falls):
    """The farthest settled instance of each kind, how many settle, and how their distance falls."""
    table = some(tables.own(), "measured instance")
    end, half, parts = last(table), table[table["step"] < table["step"].max()], {}
    still = end[end["change"].map(moved)]
    for kind, rows in end.groupby("kind", sort=False):
        own = some(still[still["kind"] == kind], SETTLED.format(kind))
        words = f"{kind}: {len(own)} of {len(rows)} settled, the farthest at {own['value'].max():.2g}"
        parts[words] = limit(own["value"].max())
    others = end.drop(still.index)
    share = proportion(len(still), len(end))
    both = some(
        still.merge(half, on=["kind", "seed"], suffixes=("", " before")), "instance measured at half of the steps"
    )
    growth = both["norm"] / both["norm before"]
    ratio = (both["value"] / both["value before"] * growth**2).median()
    far = len(others[~others["value"].map(limit)])
    words = f"while ‖W‖ grows {growth.median():.2f}-fold, their distance times ‖W‖² does {ratio:.2f}-fold"
    parts[words] = falls(ratio)
    further = {
        f"share of settled instances: {share.value:.2f}, of the other {len(others)} {far} are farther": often(share),
        "each is farther from margin 1 in all rows": bool((still["all"] > still["value"]).all()),
    }
    return Reading(still["value"].max(), float("nan"), float("nan"), len(still), parts, further)
