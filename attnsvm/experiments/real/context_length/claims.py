"""The weight of what a head selects on texts sixteen times as long: what its margins on short texts say of it."""

from attnsvm.audit.conditions import LAST, number
from attnsvm.audit.reading import Claims

CLAIMS = Claims(group="beyond")
last = number(length=LAST, missing="longer texts: {quantity} of {rule}")
error, slope = last(quantity="error"), last(rule="slope", quantity="slope")

CLAIMS.declare(
    "context_length",
    (
        slope.must("slope ≥ -0.4", "less than half of dilution", "log-odds: {value:.2f} per e-fold of length"),
        error(rule="no change").below(error(rule="dilution"), "error of no change {value:.2f}, of dilution more"),
    ),
    slope.must("slope of the log-odds ≤ 0", "else nothing falls", "they do fall"),
    error(rule="dilution").below(error(rule="entropy"), "dilution {value:.2f}, diluted mean entropy more"),
    short="heads of a model in use dilute slowly",
    statement="In SmolLM2, on texts sixteen times as long, the weight of what a head selects is nearer to no change "
    "than to what its margins on short texts predict if further tokens are like the first ones.",
    check="median change of the log-odds per e-fold of the length, over all heads, with its 95 % interval; mean "
    "absolute error of a head's predicted median weight, by no change, by dilution and by its mean entropy, diluted",
    measured="median change of the log-odds per e-fold of the length",
)
