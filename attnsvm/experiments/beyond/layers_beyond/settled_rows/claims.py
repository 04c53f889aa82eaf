"""What holds with heads and other tokens: the law, once the rows that do not count have settled."""

from attnsvm.audit.numbers import Limit, proportion
from attnsvm.audit.reading import Claims, Reading, some
from attnsvm.audit.rows import last

SETTLED = "instance of {} whose rows have settled"
CLAIMS = Claims(group="beyond")


@CLAIMS.add(
    sharpens="layers_beyond_variants",
    seeds=(100000, 100031),
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
