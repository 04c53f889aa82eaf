"""Attention sinks: with softmax and not with ReLU, gone with the fixed token, and the margin of an SVM."""

from attnsvm.audit.numbers import Limit, estimate
from attnsvm.audit.reading import Claims, Reading, some
from attnsvm.audit.rows import ends, one, where

CLAIMS = Claims(group="beyond")


def of(tables, first, model, quantity):
    rows = tables.own()
    return estimate(one(rows, f"{quantity} of {model}, {first}", first=first, model=model, quantity=quantity))


@CLAIMS.add(
    short="softmax needs a sink, ReLU none",
    statement="On the trigger task rows without a trigger put their weight on one fixed token with softmax, and none "
    "there with ReLU (arXiv:2603.11487, as its abstract says; twenty seeds with its settings instead of one, and fifty "
    "with smaller sequences).",
    check="mean weight on the first token of rows without a trigger, new sequences, and the squared error over that of "
    "saying zero: medians with 95 % intervals",
    measured="weight on the first token with softmax, median",
    asked=Limit(0.9, "softmax ≥ {}", "nearly all"),
    none=Limit(0.05, "weight with ReLU ≤ {}", "a third of what even rows would give it"),
    learned=Limit(0.05, "error of both ≤ {}", "else the task is not learned"),
)
def sinks_softmax(tables, asked, none, learned):
    """The weight on the first token with softmax and with ReLU, both having learned the task, at both sizes."""
    found, parts = {}, {}
    for first, size in (("published", "as published"), ("fixed", "smaller")):
        found[size] = of(tables, first, "softmax", "first")
        relu = of(tables, first, "ReLU", "first")
        parts |= {f"{size}, softmax: {found[size].value:.3f}": asked(found[size])}
        parts |= {f"{size}, ReLU: {relu.value:.3f}": none(relu)}
        for model in ("softmax", "ReLU"):
            error = of(tables, first, model, "error")
            parts[f"{size}, {model}: error {error.value:.2g}"] = learned(error)
    return Reading(*asked.worst(found), parts)


@CLAIMS.add(
    short="no fixed token: no solution",
    statement="Softmax cannot solve the task once the first token's embedding is permuted in each sequence: no W "
    "separates, and training ends with large errors; ReLU hardly needs that token.",
    check="squared error on new sequences over that of saying zero: medians with 95 % intervals; share of instances in "
    "which a certificate proves that the generalised SVM has no solution, Wilson",
    measured="error with softmax, median",
    asked=Limit(0.2, "softmax ≥ {}", "four times what counts as learned"),
    relu=Limit(0.2, "error with ReLU ≤ {}", "on the other side of the same limit"),
    refuted=Limit(0.9, "share with such a proof ≥ {}", "nearly all, beyond doubt"),
)
def sinks_anchor(tables, asked, relu, refuted):
    """Without a fixed token: the error with softmax, with ReLU, and proofs that no W exists."""
    error, control = (of(tables, "shuffled", model, "error") for model in ("softmax", "ReLU"))
    proofs = of(tables, "shuffled", "SVM", "refuted")
    parts = {
        f"softmax: error {error.value:.2f}": asked(error),
        f"ReLU: error {control.value:.2g}": relu(control),
        f"no W exists in {proofs.value:.2f}": refuted(proofs),
    }
    return Reading(*error, parts)


@CLAIMS.add(
    short="the sink is a margin",
    statement="As the penalty vanishes the direction of W goes to a generalised SVM: rows without a trigger select the "
    "first token with a margin, a trigger's row ties the others; the solution has one form.",
    check="1 − correlation of the regularisation path's last W with the certified solution, V kept: median with its 95 "
    "% interval; control: the solution of rows without a trigger alone",
    measured="1 − correlation with the solution of all rows, median",
    asked=Limit(0.03, "≤ {}", "a tenth of the distance between both solutions, 1 − 1/√2"),
    control=Limit(0.1, "to rows without a trigger alone ≥ {}", "a third of that distance"),
    norm=Limit(0.001, "distance of the squared norm from 4/3 ≤ {}", "one form, whatever the noise"),
)
def sinks_svm(tables, asked, control, norm):
    """The end of the path against both solutions; the squared norm of the solution of all rows."""
    rows = where(tables.own(), model="path").sort_values("at")
    last, _ = ends(some(where(rows, quantity="whole"), "path"), "at")
    rest, _ = ends(some(where(rows, quantity="rest"), "path"), "at")
    near, far, size = estimate(last), estimate(rest), of(tables, "fixed", "SVM", "squared norm")
    parts = {
        f"all rows: {near.value:.3f}": asked(near),
        f"control, rows without a trigger: {far.value:.3f}": control(far),
        f"squared norm of the solution: {size.value:.4f}": norm(size.off(4 / 3)),
    }
    return Reading(*near, parts)
