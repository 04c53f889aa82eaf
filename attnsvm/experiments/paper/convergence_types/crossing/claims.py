"""What holds of who ends globally more often: the lead of (K, Q) at small d, with and without saturation."""

from attnsvm.audit.conditions import number
from attnsvm.audit.reading import Claims

share = number(n=5, T=5, missing="{quantity} at d = {d} by what is {counted}")
lead = share(quantity="lead")
CLAIMS = Claims(group="ours")

CLAIMS.declare(
    "parametrisations_cross_saturation",
    (
        lead(d=16, counted="selected").must(
            "> 0", "every interval must leave out zero, on its own side", "d = {d}: W ahead ({value:+.3f})"
        ),
        lead(d=3, counted="selected").misses("d = {d}: (K, Q) ahead ({value:+.3f})"),
    ),
    lead(d=2, counted="saturated").misses("d = {d}: (K, Q) ahead if saturated runs count alone ({value:+.3f})"),
    share(quantity="waiting", d=2, counted="selected").must(
        "> 0",
        "every interval must leave out zero, on its own side",
        "d = {d}: W is unsaturated at the optimal tokens more often ({value:+.3f})",
    ),
    sharpens="parametrisations_cross",
    seeds=(100000, 100999),
    short="small $d$: part of $(K,Q)$'s lead is saturation",
    statement="On the same instances, with a query for each input, (K, Q) selects the optimal tokens more often than W "
    "at d = 3, and W more often at d = 16; at d = 2 a part of the lead of (K, Q) is that W selects them too "
    "but is not saturated yet.",
    check="n = T = 5, 5000 exact steps: share of instances with W less that with (K, Q), instance by instance, 95 % "
    "interval of the mean: by what is selected, by what is selected and saturated, and the difference of both",
    measured="lead of W in instances that select the optimal tokens, largest d",
)
