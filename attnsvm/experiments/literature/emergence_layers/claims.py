"""Which layer's multipliers set the time to the circuit, whether two numbers describe it, and what prevents it."""

from attnsvm.audit.conditions import EACH, LAST, number
from attnsvm.audit.reading import Claims

CLAIMS = Claims(group="beyond")
each, end = (number(N=place, missing="circuit in {run}") for place in (EACH, LAST))
below, top = (each(run=f"{layer} halved", quantity="exponent") for layer in ("below", "top"))

CLAIMS.declare(
    "emergence_layers",
    (
        below.must("exponent, below ≥ 0.2", "else the top alone counts", "N = {N:.0f}, below {value:.2f}"),
        top.must("exponent, top ≤ 0.8", "else the layer below is idle", "N = {N:.0f}, top {value:.2f}"),
        (end(run="top halved", quantity="exponent") / end(run="below halved", quantity="exponent")).must(
            "top over below ≥ 1.2", "the law has one", "top {value:.2f} times the exponent of the layer below"
        ),
    ),
    each(run="averaged", quantity="over the law").must(
        "over the law ≤ 1.7", "leading order", "N = {N:.0f}: {value:.2f} of the law of multipliers"
    ),
    short="both layers set the time, the top more",
    statement="The time to the induction circuit grows with the sums of the multipliers of both layers' SVMs, and more "
    "with that of the top than with that of the layer below; the law √(Σλ Σλ) has them alike. N is 8 to 24.",
    check="logarithm of the ratio of times with the logits of one layer halved, over log 4: medians with 95 % "
    "intervals; time over the law from certified sums",
    measured="least exponent of the layer below",
)
CLAIMS.declare(
    "emergence_plane",
    (
        end(run=("random", "averaged"), quantity="outside, below").must(
            "outside, below ≥ 0.3", "a small part would do", "below, {run}: {value:.2f}"
        ),
        end(run="averaged", quantity="outside, top").must("outside, top ≤ 0.15", "its line", "top: {value:.2f}"),
        each(run="random", quantity="named").must(
            "share named ≤ 0.15", "the subspace", "N = {N:.0f}: named {value:.2f}"
        ),
    ),
    short="in a subspace, and not in two dimensions",
    statement="Under descent from random weights at most 15 % of the growth depends on the names of symbols. But at "
    "the largest N 30 % or more of the growth of the layer below is outside the line of the place before; of the "
    "growth of the top, if descent follows the mean over all inputs, at most 15 % is outside its line.",
    check="shares of the growth up to the circuit: medians with 95 % intervals",
    measured="least median share of the layer below outside its line",
)
fixed = each(run="fixed inputs")
CLAIMS.declare(
    "emergence_fixed",
    fixed(quantity="new inputs").must("new inputs, fixed ≤ 0.3", "well below half", "N = {N:.0f}: {value:.2f}"),
    fixed(quantity="over random").must("over random ≤ 0.6", "else it is slow, too", "N = {N:.0f}: time {value:.2f}"),
    each(run="random", quantity="new inputs").must("new inputs ≥ 0.4", "about half", "N = {N:.0f}: random {value:.2f}"),
    short="few fixed inputs: no circuit",
    statement="On N − 2 inputs that stay the same the top finds the answers sooner, and not by the circuit: on new "
    "inputs it gives them at most 30 % of its weight.",
    check="weight of the answers on new inputs when it is one half on those of training, and that time over the time "
    "with new inputs: medians with 95 % intervals; control: new inputs in every step",
    measured="largest median weight of the answers on new inputs",
)
