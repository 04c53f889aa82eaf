"""Next tokens: the Graph-SVM where the gradient is split, what the published runs reach, and what the loss changes."""

from attnsvm.analysis.statistics import MEAN, QUARTILES
from attnsvm.audit.conditions import LAST, number
from attnsvm.audit.evaluation import Claims, Reading
from attnsvm.audit.numbers import Limit, exact

KINDS = ("cyclic", "acyclic")
CLAIMS = Claims(group="beyond")

RUN = "data set with {quantity}, {graphs}, {loss}, {parametrisation}, {rule}"
end = number(interval=MEAN, step=LAST, loss="nll", parametrisation="W", rule="split", missing=RUN)
ahead = end(quantity="ahead", solution="fro", missing=RUN + ", {solution}", text="1 − correlation with W_fin + C·W_mm")
squared = ahead(loss="squared")
NEAR = "{graphs}: mean within the threshold ({value:.2g})"
factored = ahead(graphs=KINDS, parametrisation="KQ")
CLOSE = "≤ 0.001", "a thousandth of what a random direction has; C comes from the norm of W, no oracle"
frobenius = factored(solution="fro")

CLAIMS.declare(
    "graph_svm",
    ahead(graphs=KINDS).must(*CLOSE, NEAR),
    end(quantity="direction", graphs="cyclic", text="1 − correlation inside components with W_fin").must(
        *CLOSE, "inside the components, W_fin alone ({value:.2g})"
    ),
    over=sum,
    kind="literature",
    short="next tokens: the Graph-SVM",
    statement="Trained to predict the next token, W goes to W_fin + C·W_mm of the Graph-SVM (2403.08081).",
)


@CLAIMS.add(
    short="next tokens: the correlations in print",
    statement="With the published settings the correlations are those in print, .976 to .993 and .992 to .9995.",
    measured="mean correlation with W_fin + C·W_mm, C fitted, under −log u",
    limit=Limit(0.976, "≥ {}", "the mean must lie in the printed range; starts are not published, ours is zero"),
    nll_most=Limit(0.993, "under −log u ≤ {}", "the largest in print"),
    squared_least=Limit(0.992, "under the squared loss ≥ {}", "the smallest in print"),
    squared_most=Limit(0.9995, "under the squared loss ≤ {}", "the largest in print"),
    printed="smallest in print",
    kind="print",
)
def graph_svm_printed(tables, limit, nll_most, squared_least, squared_most):
    ranges = {"nll": (limit, nll_most), "squared": (squared_least, squared_most)}
    table, found, parts = tables.own(), [], {}
    for loss, kind in (("nll", "cyclic"), *(("squared", kind) for kind in KINDS)):
        seen = ahead(graphs=kind, loss=loss, rule="published").estimate(table)
        value, (low, high) = 1 - seen.value, ranges[loss]
        words = f"{loss}, {kind}: mean in print's range ({value:.4f} in {low.value} to {high.value})"
        parts[words] = low(value) and high(value)
        found.append((value, seen.instances))
    return Reading(*exact(found[0][0], sum(count for _, count in found)), parts, published=limit.value)


@CLAIMS.add(
    short="next tokens: print is passed",
    statement="The published correlations are no limit: with the gradient split, every data set passes them.",
    measured="smallest correlation under −log u, of every data set with a cycle",
    limit=Limit(0.993, "> {}", "one data set at or below it would be one held back by something else"),
    squared=Limit(0.9995, "under the squared loss > {}", "the largest in print"),
)
def graph_svm_passed(tables, limit, squared):
    """The split rule against the best correlation in print, under each loss with the margins that fit it."""
    farthest, table = ahead(graphs="cyclic", interval=QUARTILES).of("largest"), tables.own()
    found = {"nll": farthest.estimate(table), "squared": farthest(loss="squared", solution="graded").estimate(table)}
    lowest = {loss: 1 - seen.value for loss, seen in found.items()}
    parts = {
        f"{loss}: every data set past print's best ({lowest[loss]:.5f})": most(lowest[loss])
        for loss, most in (("nll", limit), ("squared", squared))
    }
    return Reading(*exact(lowest["nll"], found["nll"].instances), parts, every=True)


SQUARED = "≤ 0.001", "as for −log u", NEAR
CLAIMS.declare(
    "graph_svm_squared",
    (squared(graphs="cyclic").must(*SQUARED), squared(graphs="acyclic").must(*SQUARED)),
    short="next tokens: the squared loss, margin 1",
    statement="The same Graph-SVM, of margin 1 on every edge, is the limit under the squared loss.",
)

graded, even = (squared(graphs="cyclic", solution=name) for name in ("graded", "fro"))
HALF = "≤ 0.001", "as for −log u; slopes that fall like δ² and like δ keep one rate if the margins are ½ and 1"
CLAIMS.declare(
    "graph_svm_graded",
    graded.must(*HALF, "within the threshold ({value:.2g})"),
    graded.below(even, "nearer than with margin 1 throughout ({even.value:.2g})", even=even),
    ahead(graphs="cyclic").must(*HALF, "not so under −log u, whose margins stay 1 ({value:.2g})"),
    short="next tokens: the squared loss, margin ½",
    statement="Under the squared loss, inputs whose label is alone in its component ask for half of the margin.",
)


CLAIMS.declare(
    "graph_svm_factored",
    factored(solution="nuc").must(
        "≤ 0.02",
        "an angle of 11°: the nuclear norm's direction is approached more slowly than the Frobenius norm's",
        NEAR,
    ),
    factored(solution="nuc").below(
        frobenius, "{graphs}: nearer than the Frobenius norm's ({other.value:.2g})", other=frobenius
    ),
    over=sum,
    short="next tokens: (K, Q), nuclear norm",
    statement="Trained as (K, Q), next-token attention goes to the Graph-SVM of the nuclear norm.",
    unsharpened="The mean is that of few slow data sets: on 60 unseen seeds of either kind the median was .0022 "
    "[.0011, .0052] or less, and every data set was nearer than a decade of steps before "
    "(`graph_svm_factored_tail`, retired: held).",
)

# What holds instead under the squared loss, asked on unseen seeds.
rated = squared(solution="graded", graphs=KINDS)
CLAIMS.declare(
    "graph_svm_squared_rates",
    rated.must("≤ 0.001", "as first asked, with a cycle and without", NEAR),
    even.misses("cyclic: margin 1 on every edge is beyond it ({value:.2g})"),
    sharpens="graph_svm_squared",
    on="next_token_again",
    short="squared loss: margins by the rates of the slopes",
    statement="Under the squared loss W goes to a Graph-SVM. Edges all of whose inputs have labels alone in their "
    "component have margin ½, others 1.",
)
