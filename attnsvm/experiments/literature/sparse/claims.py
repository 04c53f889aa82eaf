"""Attention with exact zeros: W stops, at a margin of fixed size, and with a vanishing decay at the SVM's solution."""

from attnsvm.audit.numbers import Limit, estimate, exact, largest
from attnsvm.audit.reading import Claims, Reading, some
from attnsvm.audit.rows import ends, one, where

SPARSE = ("sparsemax", "1.5-entmax")
ONE_HOT = "the margin from which on one token has everything (arXiv:1805.09717, 1905.05702)"
CLAIMS = Claims(group="beyond")


def last_of(tables, attention, run, quantity):
    """The quantity after the last step, or with the least decay."""
    rows = some(where(tables.own(), attention=attention, run=run, quantity=quantity), f"{quantity} of {attention}")
    return estimate(rows.loc[rows["at"].idxmax() if run == "plain" else rows["at"].idxmin()])


def at_the_solution(tables, asked, run):
    """The distance from the solution of margin 1/(α − 1), relative to its norm."""
    found = {name: last_of(tables, name, run, "distance") for name in SPARSE}
    return found, {f"{name}: {of.value:.2g} [{of.low:.2g}, {of.high:.2g}]": asked(of) for name, of in found.items()}


@CLAIMS.add(
    short="sparse attention stops at a margin",
    statement="With sparsemax or 1.5-entmax in place of the softmax, gradient descent stops at a finite W, whose "
    f"smallest margin is 1/(α − 1), {ONE_HOT}.",
    check="gradient descent from zero without decay: smallest margin over 1/(α − 1), and what W moved by in the last "
    "nine tenths of the steps, relative to its norm; medians with 95 % intervals; softmax is the control",
    measured="largest deviation of an end of the interval of the margin from 1/(α − 1), relative",
    asked=Limit(0.01, "each ≤ {}", "a step of the learning rate moves a margin by less"),
    moved=Limit(0.01, "moved, sparse attention: ≤ {}", "as the margin"),
    grows=Limit(0.05, "moved, softmax: ≥ {}", "a logarithm grows by log 10, of some ten, in a decade"),
)
def sparse_stops(tables, asked, moved, grows):
    """The margin at the end of descent without decay, as a share of 1/(α − 1), and how far W still moves."""
    parts, found = {}, {}
    for name in SPARSE:
        margin, still = (last_of(tables, name, "plain", quantity) for quantity in ("margin", "moved"))
        found[name] = exact(margin.off(1.0), margin.instances)
        parts[f"{name}: margin {margin.value:.4f} of 1/(α − 1)"] = asked(found[name].value)
        parts[f"{name}: moved by {still.value:.2g} in the last nine tenths of the steps"] = moved(still)
    control = last_of(tables, "softmax", "plain", "moved")
    return Reading(*largest(found), parts | {f"softmax still moves, by {control.value:.2g}": grows(control)})


@CLAIMS.add(
    short="where it stops is the SVM's solution",
    statement="Where gradient descent from zero stops with sparse attention is the max-margin solution for the tokens "
    "selected, with the margin 1/(α − 1).",
    check="distance of W from that solution, relative to its norm, median with its 95 % interval",
    measured="largest median distance, relative",
    asked=Limit(0.05, "each ≤ {}", "a twentieth of the norm: steps of finite length may miss by so much"),
    unsharpened="A token may push W while it has weight, and end beyond the margin: then it has no multiplier there. "
    "The row sparse_svm says what a decay adds.",
)
def sparse_svm_flow(tables, asked):
    found, parts = at_the_solution(tables, asked, "plain")
    return Reading(*largest(found), parts)


@CLAIMS.add(
    short="with vanishing decay: the SVM, size and all",
    statement="With sparse attention and a weight decay λ → 0, W goes to the max-margin solution for the tokens "
    "selected with the margin 1/(α − 1): in size, too, and not only in direction.",
    check="distance from that solution at the smallest λ, relative to its norm, median with its 95 % interval; "
    "controls: the same distance without decay, and the norm of W with softmax",
    measured="largest median distance, relative",
    asked=Limit(0.01, "each ≤ {}", "an angle of half a degree, and a hundredth of the size"),
    plain=Limit(10.0, "distance without decay, over that with it ≥ {}", "else the decay would do nothing"),
    grows=Limit(1.05, "growth of softmax's norm in a decade of λ ≥ {}", "a logarithm has no limit"),
)
def sparse_svm(tables, asked, plain, grows):
    """With the least decay; without decay it is the control, and so is softmax, whose W has no finite size."""
    found, parts = at_the_solution(tables, asked, "decayed")
    for name, of in found.items():
        ratio = last_of(tables, name, "plain", "distance").low / of.high
        parts[f"{name}: {ratio:.0f} times as far without decay"] = plain(ratio)
    sizes = some(where(tables.own(), attention="softmax", run="decayed", quantity="size"), "size of softmax")
    _, least = ends(sizes.sort_values("at", ascending=False), "at")
    tenth = one(sizes[sizes["at"].between(9 * least["at"], 11 * least["at"])], "decay ten times the least")
    growth = least["low"] / tenth["high"]
    return Reading(*largest(found), parts | {f"softmax grows by the factor {growth:.2f} a decade": grows(growth)})


@CLAIMS.add(
    short="sparsemax is there at finite decay",
    statement="The distance from that solution falls as λ^((α − 1)/(2 − α)): as λ for 1.5-entmax; and sparsemax, whose "
    "loss has a kink at the margin, stays there up to a positive λ*, which the multipliers give.",
    check="slope of the logarithms over the last decade of λ, by instance, median with its 95 % interval; share of "
    "instances in which descent from the solution stays there, with nine and with eleven tenths of λ*",
    measured="exponent of the distance in λ, 1.5-entmax",
    asked=Limit(0.05, "either end's distance from one ≤ {}", "the next order is λ itself, small by then"),
    stays=Limit(0.95, "share that stays below λ* ≥ {}", "one in twenty may need smaller steps"),
    leaves=Limit(0.05, "share that stays above λ* ≤ {}", "or else λ* would be no limit"),
)
def sparse_rate(tables, asked, stays, leaves):
    """The exponent of the distance in λ for 1.5-entmax; sparsemax has a kink, and is there before λ is zero."""
    slope = last_of(tables, "1.5-entmax", "decayed", "exponent")
    tried = some(where(tables.own(), quantity="stays"), "solution of sparsemax").sort_values("at")
    below, above = (estimate(row) for row in ends(tried, "at"))
    parts = {
        f"1.5-entmax: exponent {slope.value:.3f} [{slope.low:.3f}, {slope.high:.3f}]": asked(slope.off(1.0)),
        f"sparsemax stays below λ* in {below.value:.2f} of the instances": stays(below.value),
        f"and above it in {above.value:.2f}": leaves(above.value),
    }
    return Reading(*slope, parts)
