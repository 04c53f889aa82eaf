"""ℓp mirror descent goes to the solution of its own norm; and what the published picture of it compares."""

from statistics import median

from attnsvm.analysis.statistics import MEAN, QUARTILES
from attnsvm.audit.conditions import LAST, NoInstance, number
from attnsvm.audit.evaluation import Claims, Reading, only
from attnsvm.audit.numbers import Limit, estimate, exact
from attnsvm.audit.rows import single

MOST = Limit(0.5, "share of instances in which the same p is nearest > {}", "beyond doubt more than half")
CLAIMS = Claims(group="print")


@CLAIMS.add(
    group="beyond",
    kind="literature",
    short="mirror descent: the solution of its own $\\ell_p$",
    statement="ℓp mirror descent on W goes in direction to the ℓp solution of its tokens, and nearer to it than "
    "mirror descent with another p.",
    measured="largest median (quartiles) of the Bregman distance to the own solution",
    limit=Limit(
        0.01, "≤ {}", "two matrices with 1 − correlation 0.01 are 8° apart; the published numbers of steps are few"
    ),
    most=MOST,
)
def mirror_own(tables, limit, most):
    exactly, parts, found = number(comparison="exact", missing="{quantity} of the own p, {q}"), {}, []
    table = tables.own(comparison="exact")
    for q in sorted(set(table["q"].dropna())):
        own = exactly(quantity="distance", interval=QUARTILES, p=q, q=q, step=LAST).estimate(table)
        nearest = exactly(quantity="nearest", q=q).estimate(table)
        parts[f"p = {q:g}: median {own.value:.2g}"] = limit(own)
        parts[f"p = {q:g} is nearest to this solution in {nearest.value:.2f} of the instances"] = most(nearest)
        found.append(own)
    return Reading(*max(found), parts)


@CLAIMS.add(
    short="mirror descent: tokens of another run",
    statement="What separates the curves of arXiv 2410.14581 is mostly other tokens, not other norms: each run with "
    "p is compared with another's selection.",
    measured="mean Bregman distance to other norms' solutions, the median over the pairs, own tokens",
    limit=Limit(1.1, "ratio ≤ {}", "a tenth more would not change the picture"),
    printed="tokens of another run",
)
def print_other_tokens(tables, limit):
    """The distance to the solutions of other norms: with the run's own tokens, and with those of another run."""
    table, found, parts = tables.own(quantity="distance"), [], {}
    end = number(interval=MEAN, step=LAST, missing="{comparison} tokens with p = {p}, q = {q}")
    pairs = dict.fromkeys(zip(table["p"], table["q"], strict=True))
    for p, q in (pair for pair in pairs if pair[0] != pair[1]):
        ours, drawn = (end(comparison=name, p=p, q=q).estimate(table) for name in ("own", "published"))
        parts[f"p = {p:g}, q = {q:g}: published {drawn.value:.2g}, own tokens {ours.value:.2g}"] = limit(
            drawn.value / ours.value
        )
        found.append((ours.value, drawn.value, ours.instances))
    if not found:
        raise NoInstance("second p")
    ours, drawn, instances = zip(*found, strict=True)
    return Reading(*exact(median(ours), max(instances)), parts, published=median(drawn))


@CLAIMS.add(
    short="mirror descent: steps that end",
    statement="The update of arXiv 2410.14581 adds 2.2e-16 to the norm that divides, and stops where the gradient is "
    "that small.",
    measured="median Bregman distance (quartiles) to the own solution, exact steps, at the p where both differ most",
    limit=Limit(1.1, "ratio ≤ {}", "a tenth more would not change the picture"),
    printed="published steps",
)
def print_stalls(tables, limit):
    """The distance to the own solution under exact steps and under published ones; the p at which they differ most."""
    table, found, parts = tables.own(quantity="distance"), {}, {}
    own = number(interval=QUARTILES, step=LAST, missing="{comparison} steps with p = {p}")
    for p in sorted(set(table["p"])):
        ours, drawn = (own(comparison=name, p=p, q=p).estimate(table) for name in ("exact", "own"))
        found[drawn.value / ours.value] = ours, drawn
        parts[f"p = {p:g}: published steps {drawn.value:.2g}, exact steps {ours.value:.2g}"] = limit(
            drawn.value / ours.value
        )
    ours, drawn = found[max(found)]
    return Reading(*ours, parts, published=drawn.value)


@CLAIMS.add(
    short="mirror descent: starts without a seed",
    statement="In the experiment of arXiv 2410.14581 every run draws its W(0) anew, without a seed, and selects "
    "other tokens.",
    measured="share of instances with the same tokens for all p, one start",
    limit=Limit(0.95, "print ≥ {}", "the comparison across p takes all of them to have one SVM"),
    printed="starts apart",
)
def print_unseeded(tables, limit):
    table = tables.own(quantity="same_tokens")
    apart, shared = (estimate(single(only(table, comparison=name))) for name in ("published", "shared"))
    same = {"runs from starts of their own select the same tokens": limit(apart.value)}
    return Reading(*shared, same, published=apart.value)
