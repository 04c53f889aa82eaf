"""Where the law of layers holds with something else in the stack, and where it breaks."""

import numpy as np

from attnsvm.audit.conditions import LAST, Those, number
from attnsvm.audit.evaluation import Claims, Reading, some
from attnsvm.audit.numbers import Limit, exact, proportion
from attnsvm.audit.rows import last
from attnsvm.experiments.beyond.layers_beyond.kinds import KINDS

FIRST = ("plain", "temperatures 1 and 3", "squared loss", "MLP between", "normalised before the top", "four classes")
LATER = ("normalised behind", "two heads", "one-hot tokens", "repeated tokens")
OF_FIRST, OF_LATER = (Those(f"of {', '.join(kinds)}", kinds.__contains__) for kinds in (FIRST, LATER))
end = number(step=LAST, missing="measured instance of the {kind} kind")
largest = end(quantity="corrected, saturated", missing="instance whose counting rows saturate").of("largest")
FARTHEST = "largest 1 − correlation of the farther layer over all instances whose counting rows saturate"
growth = end(kind=OF_FIRST, text="‖W‖ after the last step over that at half of the steps").without_interval()
CLAIMS = Claims(group="beyond")


def where_saturated(kinds, why):
    """The largest distance of all instances whose counting rows saturate, and the rival of the plain kind."""
    found = largest(kind=kinds, text=FARTHEST)
    rival = end(kind="plain", quantity="all")
    return found.must("≤ 0.01", why, "{kind}: largest below {limit}"), found.below(
        rival, "margin 1 in all rows is farther"
    )


CLAIMS.declare(
    "layers_beyond_saturated",
    *where_saturated(OF_FIRST, "that of `layers_kinds`, here of every instance; the rival must be farther"),
    over=sum,
    short="the law where counting rows saturate",
    statement="With temperatures, an MLP or another loss: where rows that count saturate, both "
    "layers go to the corrected SVMs.",
)

CLAIMS.declare(
    "layers_beyond_variants",
    *where_saturated(OF_LATER, "as `layers_beyond_saturated` asks"),
    over=sum,
    short="the law with heads and other tokens",
    statement="With two heads, one-hot or repeated tokens: where rows that count saturate, both layers go to their "
    "SVMs.",
)

CLAIMS.declare(
    "layers_beyond_stalls",
    growth(quantity="growth, mixed", missing="instance whose counting rows stay mixed").must(
        "median growth ≤ 1.25",
        "steps of one length that go on in one direction double it",
        "{kind}, mixed: median {value:.2f}",
    ),
    growth(quantity="growth, saturated", missing="instance whose counting rows saturate").must(
        "median growth where rows saturate ≥ 1.75",
        "nearly twice, as such steps do",
        "{kind}, saturated: median {value:.2f}",
    ),
    over=sum,
    short="mixed counting rows hold the weights back",
    statement="Where a row that counts stays mixed, ‖W‖ grows by a quarter at most, in the median of a kind, while the "
    "steps double.",
)

heated = KINDS["temperatures 1 and 3"]
ratio = end(quantity="ratio", text="log of the ratio of the layers' norms ‖W_l‖/‖W_l^mm‖")
CLAIMS.declare(
    "layers_beyond_temperatures",
    ratio(kind="temperatures 1 and 3").must(
        "distance from log(1/3) ≤ 0.01",
        "one per cent, as `layers_norms` asks",
        "median log ratio",
        around=np.log(heated.below / heated.top),
    ),
    ratio(kind="plain").above(ratio(kind="temperatures 1 and 3"), "that of equal temperatures is not there"),
    short="norms go with the temperatures",
    statement="With temperatures τ the norms ‖W_l‖/‖W_l^mm‖ are as the temperatures of the layers.",
)


# What holds with heads and other tokens, asked on unseen seeds: the law, once rows that do not count have settled.
SETTLED = "instance of {} whose rows have settled"


@CLAIMS.add(
    sharpens="layers_beyond_variants",
    on="settled_rows",
    short="with other tokens: near once rows have settled",
    statement="With two heads, one-hot or repeated tokens both layers are near their SVMs once other rows have "
    "settled.",
    measured="largest 1 − correlation of the farther layer where the rows have settled since half of the steps",
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
    return Reading(*exact(still["value"].max(), len(still)), parts, further, every=True)
