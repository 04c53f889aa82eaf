"""Attention with exact zeros: W stops, at a margin of fixed size, and with a vanishing decay at the SVM's solution."""

from attnsvm.audit.conditions import FIRST, LAST, LEAST, MOST, number
from attnsvm.audit.numbers import Limit, exact, largest
from attnsvm.audit.reading import Claims, Reading, some
from attnsvm.audit.rows import ends, one, where

SPARSE = ("sparsemax", "1.5-entmax")
ONE_HOT = "the margin from which on one token has everything (arXiv:1805.09717, 1905.05702)"
CLAIMS = Claims(group="beyond")
of = number(missing="{quantity} of {attention}")
without_decay, least_decay = of(run="plain", at=LAST), of(run="decayed", at=FIRST)
DISTANCE = "{attention}: {value:.2g} [{low:.2g}, {high:.2g}]"


@CLAIMS.add(
    short="sparse attention stops at a margin",
    statement="With sparsemax or 1.5-entmax in place of the softmax, gradient descent stops at a finite W, whose "
    f"smallest margin is 1/(α − 1), {ONE_HOT}; within 1 % at six inputs of eight tokens, d = 10.",
    measured="largest deviation of an end of the median smallest margin from 1/(α − 1), relative",
    limit=Limit(0.01, "each ≤ {}", "a step of the learning rate moves a margin by less"),
    moved=Limit(0.01, "moved, sparse attention: ≤ {}", "as the margin"),
    grows=Limit(0.05, "moved, softmax: ≥ {}", "a logarithm grows by log 10, of some ten, in a decade"),
)
def sparse_stops(tables, limit, moved, grows):
    """The margin at the end of descent without decay, as a share of 1/(α − 1), and how far W still moves."""
    table, parts, found = tables.own(), {}, {}
    for name in SPARSE:
        margin, still = (without_decay(attention=name, quantity=q).estimate(table) for q in ("margin", "moved"))
        found[name] = exact(margin.off(1.0), margin.instances)
        parts[f"{name}: margin {margin.value:.4f} of 1/(α − 1)"] = limit(found[name].value)
        parts[f"{name}: moved by {still.value:.2g} in the last nine tenths of the steps"] = moved(still)
    control = without_decay(attention="softmax", quantity="moved").estimate(table)
    return Reading(*largest(found), parts, {f"softmax still moves, by {control.value:.2g}": grows(control)})


CLAIMS.declare(
    "sparse_svm_flow",
    without_decay(attention=SPARSE, quantity="distance", text="distance of W from that solution, relative").must(
        "each ≤ 0.05", "a twentieth of the norm: steps of finite length may miss by so much", DISTANCE
    ),
    short="where it stops is the SVM's solution",
    statement="Where gradient descent from zero stops with sparse attention is the max-margin solution for the tokens "
    "selected, with the margin 1/(α − 1).",
    unsharpened="A token may push W while it has weight, and end beyond the margin: then it has no multiplier there. "
    "The row sparse_svm says what a decay adds.",
)


@CLAIMS.add(
    short="with vanishing decay: the SVM, size and all",
    statement="With sparse attention and a weight decay λ → 0, W goes to the max-margin solution for the tokens "
    "selected with the margin 1/(α − 1): in size, too, and not only in direction.",
    measured="largest median distance from that solution at the smallest λ, relative",
    limit=Limit(0.01, "each ≤ {}", "an angle of half a degree, and a hundredth of the size"),
    plain=Limit(10.0, "distance without decay, over that with it ≥ {}", "else the decay would do nothing"),
    grows=Limit(1.05, "growth of softmax's norm in a decade of λ ≥ {}", "a logarithm has no limit"),
)
def sparse_svm(tables, limit, plain, grows):
    """With the least decay; without decay it is the control, and so is softmax, whose W has no finite size."""
    table = tables.own()
    far, near = (run(attention=SPARSE, quantity="distance").read(table) for run in (without_decay, least_decay))
    found = [one.number for one in near]
    parts = {DISTANCE.format(**one.row): limit(one.number) for one in near}
    further = {}
    for name, one_far, one_near in zip(SPARSE, far, near, strict=True):
        ratio = one_far.number.low / one_near.number.high
        further[f"{name}: {ratio:.0f} times as far without decay"] = plain(ratio)
    sizes = some(where(table, attention="softmax", run="decayed", quantity="size"), "size of softmax")
    _, least = ends(sizes.sort_values("at", ascending=False), "at")
    tenth = one(sizes[sizes["at"].between(9 * least["at"], 11 * least["at"])], "decay ten times the least")
    growth = least["low"] / tenth["high"]
    further[f"softmax grows by the factor {growth:.2f} a decade"] = grows(growth)
    return Reading(*largest(found), parts, further)


stays = number(
    quantity="stays",
    missing="solution of sparsemax",
    text="share of instances in which descent from the solution stays",
)
CLAIMS.declare(
    "sparse_rate",
    (
        least_decay(attention="1.5-entmax", quantity="exponent", text="exponent of the distance in λ").must(
            "either end's distance from one ≤ 0.05",
            "the next order is λ itself, small by then",
            "1.5-entmax: exponent {value:.3f} [{low:.3f}, {high:.3f}]",
            around=1.0,
        ),
        stays(at=LEAST).must(
            "share that stays below λ* ≥ 0.95",
            "one in twenty may need smaller steps",
            "sparsemax stays below λ* in {value:.2f} of the instances",
            whole=False,
        ),
        stays(at=MOST).must(
            "share that stays above λ* ≤ 0.05",
            "or else λ* would be no limit",
            "and above it in {value:.2f}",
            whole=False,
        ),
    ),
    short="sparsemax is there at finite decay",
    statement="The distance from that solution falls as λ^((α − 1)/(2 − α)): as λ for 1.5-entmax; and sparsemax, whose "
    "loss has a kink at the margin, stays there up to a positive λ*, which the multipliers give.",
)
