"""The law of layers: what each layer's SVM asks of which rows, with the rules beside it that would kill it."""

import numpy as np

from attnsvm.audit.conditions import EACH, FIRST, LAST, NoInstance
from attnsvm.audit.evaluation import Claims, Reading, some
from attnsvm.audit.numbers import Limit, estimate, exact
from attnsvm.audit.rows import last, one, single, where
from attnsvm.experiments.beyond.layers.architectures import DEPTH, FACTORS, NO_RESIDUAL, VALUES, VARIANTS, plain
from attnsvm.experiments.beyond.layers.architectures import PLANTED as PLANTED
from attnsvm.experiments.beyond.layers.architectures import RATES as RATES
from attnsvm.experiments.beyond.layers.reading import at, compared, end, farthest, ratio_at_bottom

CLAIMS = Claims(group="beyond", tolerates=0.016)  # 1 of 64 in solves of four to six layers; `layers_depth` reads them
two = end(architecture=plain(2))


def before(table, rows, architecture, layer, quantity) -> float:
    """The value two logged steps before that of `rows`."""
    same = where(table, architecture=architecture, layer=layer, quantity=quantity)
    earlier = some(same[same["step"] < rows["step"].iloc[0]], "third logged step").sort_values("step")
    return earlier["value"].iloc[-min(2, len(earlier))]


CLAIMS.declare(
    "layers_two",
    two(quantity=("law", "top"), layer=EACH).must(
        "≤ 0.001",
        "correlation above .999, as the prototypes had; each other rule must have an interval above the law's",
        "W_{layer}: upper end below {limit:g}",
    ),
    two(layer=1, quantity=("read", "all", "shuffled")).above(
        two(layer=1, quantity="law"), "W_1 is farther by the rule '{quantity}'"
    ),
    short="each layer goes to its own SVM",
    statement="Of two layers trained together each goes, in the median, to its own SVM; below, rows that layer 2 "
    "reads have margin 1, others 0.",
    measured="median 1 − correlation, the farther layer",
)


@CLAIMS.add(
    short="and so at every depth",
    statement="In stacks of one to six layers every layer goes, in the median, to the SVM of its place.",
    measured="median 1 − correlation after as many steps at every depth, the farthest layer",
    limit=Limit(
        0.03,
        "≤ {}",
        "correlation above .97 even for the slowest layer, still coming nearer; the control must be farther",
    ),
    tolerates=0.0,
)
def layers_depth(tables, limit):
    rows = compared(table := tables.own())
    found = some(rows[rows["architecture"].str.startswith(DEPTH)], "plain stack")
    depths = sorted(int(name.removeprefix(DEPTH)) for name in found["architecture"].unique())
    places = [(plain(k), layer, "top" if layer == k else "law") for k in depths for layer in range(1, k + 1)]
    laws = {place: at(rows, *place) for place in places}
    farther = [at(rows, *place[:2], "shuffled").low > laws[place].high for place in places if place[2] == "law"]
    nearer = [laws[place].value < before(table, rows, *place) for place in places]
    near = {f"every layer of every depth: upper end below {limit.value}": all(map(limit, laws.values()))}
    further = {
        "every layer below the top is farther by the control": all(farther),
        "every layer came nearer over the last two logged strides": all(nearer),
    }
    return farthest(laws.values(), near, further)


@CLAIMS.add(
    short="in every kind of stack",
    statement="In the median the law holds without residual, with (K, Q), queries per position, causal masks, two "
    "heads, a norm per layer, and value matrices.",
    measured="median 1 − correlation below the top, the farthest kind",
    limit=Limit(
        0.01, "≤ {}", "correlation above .99, and both rules that ignore which rows count must have intervals above it"
    ),
)
def layers_kinds(tables, limit):
    rows = compared(tables.own())
    laws, parts, further = [], {}, {}
    for name, stack in VARIANTS.items():
        own = {layer: at(rows, name, layer, "law") for layer in range(1, stack.layers)}
        rivals = [at(rows, name, k, rule).low > law.high for k, law in own.items() for rule in ("all", "shuffled")]
        parts[f"{name}: near by the law"] = all(map(limit, own.values()))
        further[f"{name}: farther by 'all' and 'shuffled'"] = all(rivals)
        laws += own.values()
    return farthest(laws, parts, further)


CLAIMS.declare(
    "layers_passed",
    *ratio_at_bottom(VALUES, "selected", "law", "W_1 is farther by the rule without it"),
    short="a row passed on counts",
    statement="A row that the layer above does not select, but that the residual passes on to a row that counts, "
    "counts too.",
    measured="ratio of the distances",
)

CLAIMS.declare(
    "layers_nuclear",
    *ratio_at_bottom(FACTORS, "frobenius", "law", "W_1 is farther from the Frobenius solution"),
    short="(K, Q) layers: the nuclear norm",
    statement="Where W = K Qᵀ in both layers, with Gaussian tokens, the law holds in the nuclear norm.",
    measured="ratio of the distances",
)


@CLAIMS.add(
    short="one scale for both layers",
    statement="Under one joint norm ‖W_1‖/‖W_2‖ goes to the same ratio of their SVMs.",
    measured="median log of (‖W_1‖/‖W_1^mm‖)/(‖W_2‖/‖W_2^mm‖)",
    limit=Limit(
        0.01,
        "size of the quartiles ≤ {}",
        "one per cent; the quartiles must lie within it, and those at the first step must not",
    ),
)
def layers_norms(tables, limit):
    found = two(quantity="ratio", missing="measured instance")
    ratio, start = (found(step=step).read(tables.own())[0] for step in (LAST, FIRST))
    spread, at_first = (max(abs(one.row["first_quartile"]), abs(one.row["third_quartile"])) for one in (ratio, start))
    near, not_so = (
        {"quartiles of the logarithm within it": limit(spread)},
        {"not so at the start": at_first > limit.value},
    )
    return Reading(*ratio.number, near, not_so)


@CLAIMS.add(
    short="other rows end on the boundary",
    statement="Rows that do not count, held at margin zero, have a margin that grows like the logarithm of the step, "
    "below that of counting rows.",
    measured="median relative margin of these rows, over the least of those that count",
    limit=Limit(0.01, "≤ {}", "one per cent of the margin of the rows that count"),
    slowest=Limit(0.8, "slope against the logarithm of the step ≥ {}", "a margin that settles has slope 0"),
    fastest=Limit(
        1.2,
        "slope against the logarithm of the step ≤ {}",
        "that of the rows that count has one that grows with the step",
    ),
)
def layers_held(tables, limit, slowest, fastest):
    table = tables.own()
    share, margin = (
        some(where(table, architecture=plain(2), quantity=name), "row held at the boundary")
        for name in ("held share", "held margin")
    )
    at_end, late = estimate(single(last(share))), margin[margin["step"] >= margin["step"].max() / 10]
    if late["step"].nunique() < 2:
        raise NoInstance("second step in the last decade")
    slope = np.polyfit(np.log(late["step"]), late["value"], 1)[0]
    parts = {
        f"their margin over that of counting rows: upper end below {limit.value}": limit(at_end),
        "their margin grows like the logarithm of the step (slope from .8 to 1.2 in the last decade)": slowest(slope)
        and fastest(slope),
    }
    further = {"it grows at every logged step of that decade": bool((np.diff(late["value"]) > 0).all())}
    return Reading(*at_end, parts, further)


equal = end(quantity="share of equal tokens", text="share of instances whose top selects one of equal tokens")
CLAIMS.declare(
    "layers_collapse",
    equal(architecture=NO_RESIDUAL).must(
        "≥ 0.9",
        "nearly all without the residual, nearly none with it",
        "without the residual the lower end is above it",
    ),
    equal(architecture=plain(2)).must(
        "with the residual ≤ 0.1", "nearly none", "with the residual the upper end is below one minus it"
    ),
    short="no residual: composed tokens collapse",
    statement="Without a residual, with Gaussian tokens, rows of the lower layer select one token, and the top cannot "
    "tell them apart.",
)


@CLAIMS.add(
    short="the theorem's conditions decide",
    statement="Where winners meet the theorem's conditions H1 to H3, the problem with a winner in every row is near "
    "in every instance.",
    measured="largest 1 − correlation where they are met",
    limit=Limit(1e-3, "≤ {}", "that of `layers_corrected`"),
    often=Limit(0.1, "share that meets them ≥ {}", "one in ten: the theorem is about something"),
)
def layers_conditions(tables, limit, often):
    """The stated problem's largest distance where the theorem's conditions hold, and where they do not."""
    rows = last(tables.own(architecture=plain(2)))
    met, missed = (one(rows, f"instance, {words}", quantity=f"stated, {words}") for words in ("met", "not met"))
    share = at(rows, plain(2), 0, "share conditions")
    near = {"largest where they are met": limit(met["largest"])}
    further = {
        "where they are not, an instance is farther than that": not limit(missed["largest"]),
        f"met in {share.value:.2f} of the instances": often(share),
    }
    return Reading(*exact(met["largest"], met["instances"]), near, further, every=True)
