"""Benign overfitting: two steps, the threshold, its constant, what does the harm, and what more steps do."""

from attnsvm.audit.conditions import FIRST, LAST, number
from attnsvm.audit.numbers import Limit, estimate
from attnsvm.audit.reading import Claims, Reading, some
from attnsvm.audit.rows import where

MAX_MARGIN, SIGNAL = "max margin", "signal tokens"
NONE = "a fifth of the flipped labels' share: who repeated the flips would err more"
CHANCE = "nine tenths of chance"
FITTED = "share of instances with all labels fitted ≥ 0.9", "nearly all, beyond doubt"
TWO = "2 steps"
# The test error at the largest n, with the fewest flipped labels.
error = number(quantity="error", flips=FIRST, n=LAST, missing="{quantity} of {run} at {at}")
fitted = error(quantity="fitted", run=TWO)
CLAIMS = Claims(group="beyond")


def errors(tables, run, low=0.0, high=float("inf")):
    """The test errors of a run by size and signal, between two multiples of √(d/n)."""
    rows = where(tables.own(), run=run, quantity="error")
    rows = some(rows[rows["at"].between(low, high)], f"error of {run} at such signals")
    return {f"n = {r['n']}, η = {r['flips']:g}, {r['at']:g}": estimate(r) for _, r in rows.iterrows()}


CLAIMS.declare(
    "benign_two_steps",
    (
        error(run=TWO, at=2).must("≤ 0.01", NONE, "signal {at:g}: error {value:.2g}"),
        fitted(at=2).must(*FITTED, "signal {at:g}: fitted in {value:.2f}"),
    ),
    fitted(at=FIRST, missing="{quantity} of {run}").must(*FITTED, "control, signal {at:g}: fitted in {value:.2f}"),
    error(run=TWO, at=FIRST, missing="{quantity} of {run}").must(
        "error with the shortest signal ≥ 0.2",
        "four times the share of flipped labels",
        "control, signal {at:g}: error {value:.2g}",
    ),
    short="two steps: flips fitted, no harm",
    statement="Two steps of gradient descent on p and v fit all labels, flipped ones included, and the test error "
    "stays small where the signal is long enough (arXiv:2410.07746, as its abstract says; n = 200, d = 40,000).",
    check="probability that a new input is classified wrongly, exact given v and p, at twice √(d/n): median with its "
    "95 % interval; share of instances with all labels fitted, Wilson; control: the shortest signal",
    measured="test error after two steps, median",
)


@CLAIMS.add(
    short="max margin: benign from a signal on",
    statement="Max-margin interpolators are benign if the signal-to-noise ratio ρ/√d is large enough, of the scale "
    "1/√n, and harmful else (arXiv:2410.07746, abstract and summaries; hard attention; d ≥ 200 n).",
    check="exact test error of the certified solution at twice √(d/n) and beyond, and up to √(d/n), every size: "
    "medians with 95 % intervals",
    measured="test error at twice the scale and beyond, median, the largest of all sizes",
    limit=Limit(0.01, "≤ {}", NONE),
    harm=Limit(0.45, "error up to √(d/n) ≥ {}", CHANCE),
)
def benign_threshold(tables, limit, harm):
    """No error above twice the printed scale, chance up to it, for every size."""
    above, below = limit.worst(errors(tables, MAX_MARGIN, 2.0)), harm.worst(errors(tables, MAX_MARGIN, 0.0, 1.0))
    parts = {
        f"signal ≥ 2: error at most {above.value:.2g}": limit(above),
        f"signal ≤ 1: error at least {below.value:.2g}": harm(below),
    }
    return Reading(*above, parts)


@CLAIMS.add(
    short="threshold: √(d/c), c clean inputs",
    statement="The max-margin solution uses the signal of a class from ρ = √(d/c) on, c its clean inputs: with two "
    "equal classes from ρ/√d = √(2/((1 − η)n)) on (the constant is ours; d ≥ 200 n, Gaussian noise).",
    check="threshold of the smaller class from certified norms, over √(d/c), every size: medians with 95 % intervals; "
    "control: flipped inputs counted as well, where most are flipped",
    measured="threshold over its law, median, the farthest from one",
    limit=Limit(0.02, "distance of each end from one ≤ {}", "noise of n inputs is orthogonal up to 1/√d each"),
    control=Limit(1.05, "with flipped inputs counted ≥ {}", "√(1/(1 − 0.2)) is 1.12"),
)
def benign_constant(tables, limit, control):
    """The threshold over its law, all sizes; the law with flipped inputs counted, where there are most flips."""
    rows = tables.own()
    found = some(where(rows, quantity="threshold"), "threshold")
    values = {f"n = {r['n']}, η = {r['flips']:g}": estimate(r) for _, r in found.iterrows()}
    wrong = where(rows, quantity="all counted", flips=rows["flips"].max())
    wrong = some(wrong, "threshold with flipped inputs counted, where most are flipped")
    counted = control.worst(estimate(r) for _, r in wrong.iterrows())
    farthest = max(values.values(), key=lambda e: e.off(1.0))
    parts = {f"{name}: {e.value:.4f}": limit(e.off(1.0)) for name, e in values.items()}
    wrong_law = {f"control, flipped inputs counted: {counted.value:.3f}": control(counted)}
    return Reading(*farthest, parts, wrong_law)


@CLAIMS.add(
    short="the choice of tokens does the harm",
    statement="With d = 40,000, what is harmful below the threshold is which tokens have the largest margin, and not "
    "the max-margin p: made to select the signal of the clean inputs, v and p of least norm are right at half of "
    "√(d/n), too.",
    check="exact test errors at half of √(d/n), certified, with the signal of every clean input selected and with the "
    "best choice of tokens, every size: medians with 95 % intervals",
    measured="test error with the signal selected, median, the largest of all sizes",
    limit=Limit(0.1, "≤ {}", "a fifth of chance"),
    harm=Limit(0.45, "error of the best choice ≥ {}", CHANCE),
)
def benign_choice(tables, limit, harm):
    """At half the printed scale: the error with the signal selected, and that of the best choice of tokens."""
    chosen, free = limit.worst(errors(tables, SIGNAL, 0.5, 0.5)), harm.worst(errors(tables, MAX_MARGIN, 0.5, 0.5))
    right = {f"signal tokens: error at most {chosen.value:.2g}": limit(chosen)}
    return Reading(*chosen, right, {f"best choice of tokens: error at least {free.value:.2g}": harm(free)})


@CLAIMS.add(
    short="more steps unlearn below the threshold",
    statement="With n = 200 and d = 40,000, between the signals that suffice for two steps and the threshold of the "
    "max-margin solution, descent is harmless after two steps and becomes harmful later, on its way to that solution; "
    "above, it stays.",
    check="exact test errors at √(d/n), after two steps and after all, largest n: medians with 95 % intervals; "
    "control: after all steps at twice √(d/n)",
    measured="test error at √(d/n) after all steps, median",
    limit=Limit(0.05, "≥ {}", "more than who knew the signal and repeated the flips"),
    before=Limit(0.01, "after two steps ≤ {}", NONE),
    above=Limit(0.01, "after all steps at twice √(d/n) ≤ {}", NONE),
)
def benign_unlearned(tables, limit, before, above):
    """Below the threshold harmless after two steps, harmful after more; above it harmless still."""
    table = tables.own()
    runs = table[table["run"].str.endswith("steps") & (table["run"] != TWO)]
    many = some(runs, "descent of two steps and of more")["run"].iloc[0]
    first, later, long = (error(run=run, at=at).estimate(table) for run, at in ((TWO, 1), (many, 1), (many, 2)))
    parts = {
        f"signal 1, {many}: error {later.value:.2g}": limit(later),
        f"signal 1, {TWO}: error {first.value:.2g}": before(first),
    }
    return Reading(*later, parts, {f"control, signal 2, {many}: error {long.value:.2g}": above(long)})
