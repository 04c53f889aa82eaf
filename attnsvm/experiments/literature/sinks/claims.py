"""Attention sinks: with softmax and not with ReLU, gone with the fixed token, and the margin of an SVM."""

from attnsvm.audit.conditions import LEAST, number
from attnsvm.audit.reading import Claims

SIZES = {"published": "as published", "fixed": "smaller"}
CLAIMS = Claims(group="beyond")
of = number(missing="{quantity} of {model}, {first}")
at_both, shuffled = of(first=("published", "fixed")), of(first="shuffled")
end_of_path = number(model="path", at=LEAST, missing="path")

CLAIMS.declare(
    "sinks_softmax",
    (
        at_both(model="softmax", quantity="first").must(
            "softmax ≥ 0.9", "nearly all", "{first}, softmax: {value:.3f}", names=SIZES
        ),
        at_both(model="ReLU", quantity="first").must(
            "weight with ReLU ≤ 0.05",
            "a third of what even rows would give it",
            "{first}, ReLU: {value:.3f}",
            names=SIZES,
        ),
    ),
    at_both(model=("softmax", "ReLU"), quantity="error").must(
        "error of both ≤ 0.05", "else the task is not learned", "{first}, {model}: error {value:.2g}", names=SIZES
    ),
    short="softmax needs a sink, ReLU none",
    statement="On the trigger task rows without a trigger put their weight on one fixed token with softmax, and none "
    "there with ReLU (arXiv:2603.11487, as its abstract says; twenty seeds with its settings instead of one, and fifty "
    "with smaller sequences).",
    check="mean weight on the first token of rows without a trigger, new sequences, and the squared error over that of "
    "saying zero: medians with 95 % intervals",
    measured="weight on the first token with softmax, median",
)

CLAIMS.declare(
    "sinks_anchor",
    (
        shuffled(model="softmax", quantity="error").must(
            "softmax ≥ 0.2", "four times what counts as learned", "softmax: error {value:.2f}"
        ),
        shuffled(model="SVM", quantity="refuted").must(
            "share with such a proof ≥ 0.9", "nearly all, beyond doubt", "no W exists in {value:.2f}"
        ),
    ),
    shuffled(model="ReLU", quantity="error").must(
        "error with ReLU ≤ 0.2", "on the other side of the same limit", "ReLU: error {value:.2g}"
    ),
    short="no fixed token: no solution",
    statement="Softmax cannot solve the task once the first token's embedding is permuted in each sequence: no W "
    "separates, and training ends with large errors (noise symmetric about zero); ReLU hardly needs that token.",
    check="squared error on new sequences over that of saying zero: medians with 95 % intervals; share of instances in "
    "which a certificate proves that the generalised SVM has no solution, Wilson",
    measured="error with softmax, median",
)

CLAIMS.declare(
    "sinks_svm",
    end_of_path(quantity="whole").must(
        "≤ 0.03", "a tenth of the distance between both solutions, 1 − 1/√2", "all rows: {value:.3f}"
    ),
    end_of_path(quantity="rest").must(
        "to rows without a trigger alone ≥ 0.1",
        "a third of that distance",
        "control, rows without a trigger: {value:.3f}",
    ),
    of(first="fixed", model="SVM", quantity="squared norm").must(
        "distance of the squared norm from 4/3 ≤ 0.001",
        "one form for all noise that is symmetric about zero",
        "squared norm of the solution: {value:.4f}",
        around=4 / 3,
    ),
    short="the sink is a margin",
    statement="As the penalty vanishes the direction of W goes to a generalised SVM: rows without a trigger select the "
    "first token with a margin, a trigger's row ties the others; with noise symmetric about zero it has one form.",
    check="1 − correlation of the regularisation path's last W with the certified solution, V kept: median with its 95 "
    "% interval; control: the solution of rows without a trigger alone",
    measured="1 − correlation with the solution of all rows, median",
)
