"""Flipped labels fitted by attention alone: when that is harmless, what comes later, what a shared seed does."""

from math import inf

from attnsvm.audit.conditions import EACH, FIRST, LAST, NoInstance, number
from attnsvm.audit.numbers import Limit
from attnsvm.audit.reading import Claims, Reading

end = number(at=LAST, missing="{quantity} of {run}")
ROUNDED = 1.001  # a multiple in the table is one of the settings up to this factor
CLAIMS = Claims(group="beyond")


def between(tables, quantity, low, high):
    """The quantity at the end of the longer runs whose signals are between two multiples of √(d/n)."""
    found = end(run="longer", quantity=quantity, multiple=EACH).read(tables.own())
    inside = {
        one.row["multiple"]: one.number
        for one in found
        if low <= one.row["multiple"] * ROUNDED and one.row["multiple"] <= high * ROUNDED
    }
    if not inside:
        raise NoInstance(f"{quantity} at such signals")
    return {f"{multiple:g}": inside[multiple] for multiple in sorted(inside)}


CLAIMS.declare(
    "selection_benign",
    (
        end(run="published", quantity="error").must(
            "≤ 0.01", "a twentieth of the flipped labels' share", "error {value:.2g}"
        ),
        end(run="published", quantity="fitted").must(
            "share of instances with all labels fitted ≥ 0.9",
            "nearly all, beyond doubt",
            "all labels fitted in {value:.2f}",
        ),
    ),
    end(run="longer", quantity="harm", multiple=FIRST).must(
        "growth of the error with the shortest signal ≥ 0.02",
        "two points: fitting can do harm",
        "control, the shortest signal: error grows by {value:.2g}",
    ),
    short="attention alone fits flips, no harm",
    statement="Token selection overfits benignly: with the head kept, gradient descent on the attention fits flipped "
    "labels and errs little on new inputs (arXiv:2409.17625, as its abstract says; settings of its code).",
    check="share of 1,000 new inputs that are classified wrongly after 1,000 steps, median with its 95 % interval; "
    "share of instances with all labels fitted, Wilson; control: growth of the error with the shortest signal",
    measured="test error, published settings, median",
    unsharpened="Where labels are missing after the published number of steps, mostly one flipped label is: the "
    "longest signal shows that more steps fit it.",
)


@CLAIMS.add(
    short="harmless from SNR 1/√n on",
    statement="Fitting flipped labels by attention does harm to new inputs where the signal-to-noise ratio is below "
    "1/√n, and none from there on (the abstract says that the ratio decides; the scale is ours).",
    check="test error at the end less that before training, same new inputs, by length of the signal: medians with 95 "
    "% intervals; share of instances with all labels fitted, Wilson",
    measured="growth of the error from √(d/n) on, median, the largest",
    limit=Limit(0.01, "growth from √(d/n) on, each ≤ {}", "a twentieth of the flipped labels' share"),
    harm=Limit(0.02, "growth up to half of √(d/n), each ≥ {}", "two points"),
    fitted=Limit(0.9, "share of instances with all labels fitted ≥ {}", "nearly all, beyond doubt"),
    unsharpened="Harm is as the statement says; with short signals a few instances never fit one of their labels.",
)
def selection_scale(tables, limit, harm, fitted):
    """No harm from √(d/n) on, harm up to half of it, labels fitted throughout."""
    long, short = between(tables, "harm", 1.0, inf), between(tables, "harm", 0.0, 0.5)
    fits = fitted.worst(between(tables, "fitted", 0.0, inf))
    parts = {f"signal {name}: error grows by {e.value:.2g}": limit(e) for name, e in long.items()}
    parts |= {f"signal {name}: error grows by {e.value:.2g}": harm(e) for name, e in short.items()}
    return Reading(*limit.worst(long), parts, {f"all labels fitted in at least {fits.value:.2f}": fitted(fits)})


@CLAIMS.add(
    short="generalisation after overfitting",
    statement="Generalisation is acquired late, after an initial phase of overfitting (arXiv:2409.17625, as its "
    "abstract says; summaries: with a low signal-to-noise ratio).",
    check="change of the test error and of the relevant token's probability on new inputs since all labels are fitted, "
    "up to ten times the published number of steps, signals up to √(d/n): medians with 95 % intervals",
    measured="change of the test error since all labels are fitted, median, the largest",
    limit=Limit(-0.01, "change of the error, each ≤ {}", "one point at least is acquired"),
    grows=Limit(0.05, "growth of the probability, each ≥ {}", "half of what it has before training"),
    unsharpened="The head is kept along the signals, so that an untrained layer generalises already; summaries speak "
    "of exponentially many steps, which are not run here.",
)
def selection_late(tables, limit, grows):
    """What the error loses, and the relevant token gains, after all labels are fitted, up to √(d/n)."""
    lost, gained = (between(tables, f"{q} since", 0.0, 1.0) for q in ("error", "signal"))
    parts = {f"signal {name}: error changes by {e.value:+.2g}": limit(e) for name, e in lost.items()}
    further = {f"signal {name}: probability grows by {e.value:.2g}": grows(e) for name, e in gained.items()}
    return Reading(*limit.worst(lost), parts, further)


CLAIMS.declare(
    "selection_seed",
    end(run="published", quantity="seed alike").must(
        "size of each end ≤ 0.005",
        "half a point: what a printed digit shows",
        "error changes by {value:+.2g}",
        around=0.0,
    ),
    end(run="published", quantity="copies of flips").must(
        "error on copies of flipped inputs ≥ 0.9",
        "else the copies would do nothing",
        "control, copies of flipped inputs: error {value:.2f}",
    ),
    short="one seed for training and test",
    statement="That the public code draws training and test inputs from the same seed changes its test error by less "
    "than half a point, though it gives test inputs the noise of training inputs.",
    check="error on 1,000 test inputs of which 20 have training noise, less that on new ones, published settings: "
    "median with its 95 % interval; control: error on those with the noise of a flipped input of their class",
    measured="change of the test error, median",
)
