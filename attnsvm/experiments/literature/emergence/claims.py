"""When the induction circuit appears: a law without a fitted number, and the square that was predicted."""

from attnsvm.audit.conditions import EACH, FIRST, LAST, number
from attnsvm.audit.reading import Claims

CLAIMS = Claims(group="beyond")
at = number(missing="circuit in {run}")
over, power = at(quantity="over the law"), at(N=LAST, quantity="exponent of time")

CLAIMS.declare(
    "emergence",
    (
        over(run="random", N=EACH).must("over the law, each ≥ 0.6", "leading order", "N = {N:.0f}: {low:.2f} at least"),
        over(run="random", N=EACH).must("over the law, each ≤ 1.5", "leading order", "N = {N:.0f}: {high:.2f} at most"),
        power(run="random").must("exponent in N ≥ 2.4", "a square has 2", "exponent {low:.2f} at least"),
        over(run="below given", N=LAST).must("given, off one ≤ 0.25", "as above", "given: {value:.2f} N²", around=1.0),
    ),
    over(run="plane", N=FIRST).must("plane over the law ≥ 2", "else any start fits", "plane: {value:.2g} of the law"),
    short="circuit after N²√N log N, not N²",
    statement="From small random weights, with new inputs in every step, gradient flow needs about the time N^2.5 "
    "arcosh(1 + N/(2 log N)) to the induction circuit in contexts of 5 to 50 tokens: longer than a square. With the "
    "layer below given it needs about N² at the largest N.",
    check="time until the top gives half of its weight to the answers, over the law at each N, and the exponent fitted "
    "over all N; with the layer below given, over N²: medians with 95 % intervals; control: in a plane of two numbers",
    measured="median of the time over the law",
)
CLAIMS.declare(
    "emergence_square",
    (
        power(run="random").must("exponent in N ≤ 2.2", "a square has 2", "at most a square: {value:.2f}"),
        power(run="random").must("exponent in N ≥ 1.8", "a square has 2", "at least a square: {value:.2f}"),
    ),
    short="circuit after N²",
    statement="The time to the induction circuit is quadratic in the length of the context (arXiv:2511.01033, proved "
    "for another stack and in three dimensions): here, from random weights.",
    check="exponent of the time, fitted over all N for each start: median with its 95 % interval",
    measured="median exponent in N",
    unsharpened="`emergence` has a law for these starts. A square is what the top needs if the layer below is given.",
)
