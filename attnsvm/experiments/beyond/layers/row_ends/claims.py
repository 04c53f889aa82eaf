"""How rows end: which ways there are, the balance that fixes each, and what each puts into the problems."""

import pandas as pd

from attnsvm.audit.conditions import number
from attnsvm.audit.evaluation import Claims, Reading, some
from attnsvm.audit.numbers import Limit, exact, proportion, sample_median
from attnsvm.audit.rows import where

CLAIMS = Claims(group="beyond")
often = number(kind="share", quantity="of instances", text="share of instances", missing="measured instance")
law = number(kind="law", missing="row that ends {end}")

CLAIMS.declare(
    "row_ends",
    often(end="open").must(
        "≤ 0.15", "one instance in seven has a row that still moves", "{value:.2g} of the instances have an open row"
    ),
    often(end="held").must("share with a held row ≥ 0.8", "nearly all", "{value:.2g} have a held row"),
    often(end="free").must(
        "share with a mixture, λ = 0 ≥ 0.2", "that of `layers_mixtures`", "{value:.2g} have a mixture with λ = 0"
    ),
    often(end="reversed").must(
        "share with a reversed row ≥ 0.04", "a set of instances that is not small", "{value:.2g} have a reversed row"
    ),
    often(end="tied")
    .without_interval()
    .must("share with a mixture, β = 0 > 0", "it occurs", "{value:.2g} have a mixture with β = 0"),
    short="five ways in which a row ends",
    statement="A row that does not count settles, is held, keeps a mixture with λ = 0 or β = 0, or is reversed. Few "
    "do otherwise. Said of Gaussian tokens.",
)

CLAIMS.declare(
    "row_ends_forces",
    (
        law(end="held", quantity="ratio").must(
            "distance of the quartiles from 1 ≤ 0.05",
            "five per cent, with no parameter to fit",
            "held rows: median {value:.3g} ({instances:g} tokens)",
            around=1.0,
        ),
        law(end="reversed", quantity="ratio").must(
            "of reversed rows, distance of the quartiles from 1 ≤ 0.15",
            "three times that: they come nearer more slowly",
            "rows held against their gradient: median {value:.3g} ({instances:g})",
            around=1.0,
        ),
    ),
    short="one balance fixes what rows keep",
    statement="In held and in reversed rows the pull of the gradient from a token, over λ, is ν/λ. Said of Gaussian "
    "tokens.",
    measured="median ratio over held rows",
)

off = law(end="free", text="distance of the probability")
CLAIMS.declare(
    "row_ends_mixtures",
    off(quantity="off").must("upper quartile ≤ 0.02", "a fiftieth of a token", "median distance {value:.2g}"),
    (off(quantity="off").without_interval() / off(quantity="off, at half").without_interval()).must(
        "median over that at half of the steps ≤ 0.75",
        "log R/R falls to .46 of itself between the two steps",
        "it falls to {value:.2g} of itself",
    ),
    short="the solution says what a mixture keeps",
    statement="A mixture with λ = 0 keeps what brings its composed token to the margin above, in the parts in which "
    "forces balance.",
)


def instances(tables) -> pd.DataFrame:
    return some(where(tables.own(), kind="instance"), "measured instance")


@CLAIMS.add(
    short="only a reversed row needs the equality",
    statement="For rows that saturate m ≥ 0 says as much as m = 0, but for reversed ones: there the layer is then "
    "farther. Said of Gaussian tokens.",
    measured="median distance with m ≥ 0 over that with m = 0, where a row is reversed",
    limit=Limit(1.5, "≥ {}", "beyond doubt farther"),
    same=Limit(0.01, "distance from 1 without a reversed row ≤ {}", "the same solution"),
)
def row_ends_equality(tables, limit, same):
    table = instances(tables)
    ratio, without = table["weak"] / table["equal"], (table["reversed"] == 0) & (table["open"] == 0)
    turned = table["reversed"] > 0
    found = sample_median(some(ratio[turned], "instance with a reversed row"))
    worst = (some(ratio[without], "instance without one") - 1.0).abs().max()
    main = {
        f"{found.instances} instances with a reversed row: {found.value:.2g} times as far": limit(found),
        f"without one the ratio is 1 to {worst:.1g}": same(worst),
    }
    return Reading(*found, main)


@CLAIMS.add(
    sharpens="layers_conditions",
    seeds=(200100, 200211),
    short="the first statement fails beyond one half",
    statement="The problem with a winner in every row fails only where a mixture with λ = 0 keeps half of tokens "
    "outside the margin above. Said of three inputs of five tokens in 16 dimensions.",
    measured="largest 1 − correlation of both layers without such a mixture",
    limit=Limit(1e-3, "≤ {}", "that of `layers_conditions`, as first asked"),
)
def row_ends_first(tables, limit):
    table = instances(tables)
    outside = table["outside"].astype(bool)
    free = some(table[~outside], "instance without such a mixture")
    beyond = some(table[outside], "instance with such a mixture")
    worst, inside = free["stated"].max(), table["inside"].max()
    far = int((~beyond["stated"].map(limit)).sum())
    near = {f"without one near in every instance ({len(free)}, the farthest at {worst:.2g})": limit(worst)}
    further = {
        f"with one {far} of {len(beyond)} are farther": far > 0,
        f"with the token inside all are near (the farthest at {inside:.2g})": limit(inside),
    }
    return Reading(*exact(worst, len(free)), near, further, every=True)


# Asked on seeds of its own: where the problem of one token per row fails.
@CLAIMS.add(
    sharpens="layers_conditions",
    on="mixtures_decide",
    short="mixtures decide: without one no plateau",
    statement="Where no row keeps a mixture, the problem with a winner in every row is near in every instance. All "
    "instances that stop at a distance keep one. Said of three inputs of five Gaussian tokens in 16 dimensions.",
    measured="largest 1 − correlation of both layers without a mixture",
    limit=Limit(1e-3, "≤ {}", "that of `layers_conditions`, as first asked"),
    often=Limit(0.2, "share of instances with a mixture ≥ {}", "that of `layers_mixtures`"),
)
def layers_mixture_decides(tables, limit, often):
    """The stated problem's largest distance without a mixture and with one, and the corrected one's with one."""
    table = tables.own()
    mixed, free = (
        some(table[table["mixed"] == kept], f"instance {words} a mixture")
        for kept, words in ((True, "with"), (False, "without"))
    )
    far = mixed[~mixed["stated"].map(limit)]
    share = proportion(len(mixed), len(table))
    largest = free["stated"].max()
    near = {f"without a mixture near in every instance ({len(free)}, the farthest at {largest:.2g})": limit(largest)}
    further = {
        f"with one, {len(far)} of {len(mixed)} are farther, one at {mixed['stated'].max():.2g}": len(far) > 0,
        f"with mixtures kept these are near too ({mixed['corrected'].max():.2g})": limit(mixed["corrected"].max()),
        f"a mixture in {share.value:.2f} of the instances": often(share),
    }
    return Reading(*exact(largest, len(free)), near, further, every=True)
