"""What holds of next-token attention under the squared loss, and of (K, Q): margins by rates, and a slow tail."""

from attnsvm.analysis.statistics import MEAN, MEDIAN
from attnsvm.audit.conditions import FIRST, LAST, number
from attnsvm.audit.reading import Claims

KINDS = ("cyclic", "acyclic")
CLAIMS = Claims(group="beyond", seeds=(100000, 100059))

end = number(run="squared", quantity="distance", interval=MEAN, missing="{graphs} data set")
CLAIMS.declare(
    "graph_svm_squared_rates",
    end(solution="graded", graphs=KINDS).must(
        "≤ 0.001",
        "as first asked, with a cycle and without",
        "{graphs}: mean within the threshold ({value:.2g}), maximum {largest:.2g}",
    ),
    end(solution="fro", graphs="cyclic").misses("cyclic: margin 1 on every edge is beyond it ({value:.2g})"),
    sharpens="graph_svm_squared",
    short="squared loss: margins by the rates of the slopes",
    statement="Under the squared loss W goes to the Graph-SVM whose edges have margin ½ if all their inputs have "
    "labels that are alone in their component, and 1 otherwise: then the slopes of all inputs fall at one rate.",
    check="1 − correlation with W_fin + C·W_mm after the last step, mean over data sets and its 95 % interval, with "
    "and without a cycle; control: margin 1 on every edge",
    measured="1 − correlation with W_fin + C·W_mm, mean",
)

MISSING = "{graphs} data set, and step about a decade before the last"
factored = number(run="factored", solution="nuc", graphs=KINDS, missing=MISSING)
before, now = (factored(quantity="distance", interval=MEDIAN, step=step) for step in (FIRST, LAST))
NEARER = "share of data sets ≥ 0.85", "nearly every data set, beyond doubt: two of 60 leave .88"
CLAIMS.declare(
    "graph_svm_factored_tail",
    (
        now.must(
            "≤ 0.01",
            "an angle of 8°, as asked of (K, Q) elsewhere",
            "{graphs}: median within the threshold ({value:.2g})",
        ),
        factored(quantity="nearer").must(*NEARER, "{graphs}: nearer than a decade before: {value:.2f}"),
    ),
    factored(quantity="nearer than fro").must(*NEARER, "{graphs}: nearer than to the Frobenius norm's: {value:.2f}"),
    now.of("tail").below(
        before.of("tail"),
        "{graphs}: 95 % quantile falls, from {before.value:.2g} to {value:.2g}",
        before=before.of("tail"),
    ),
    sharpens="graph_svm_factored",
    short="$(K, Q)$, next tokens: nuclear norm, with a slow tail",
    statement="Trained as (K, Q), next-token attention goes to the Graph-SVM of the nuclear norm in every data set; "
    "the mean is that of few slow ones, which come nearer too.",
    check="1 − correlation with W_fin + C·W_mm of the nuclear norm after the last step, median and its 95 % interval; "
    "shares of data sets, with Wilson intervals, that are nearer than a decade of steps before, and than to the "
    "Frobenius norm's solution",
    measured="median of 1 − correlation, nuclear norm, the farther of two kinds",
)
