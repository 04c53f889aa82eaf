"""What holds of who ends globally more often: the lead of (K, Q) at small d, with and without saturation."""

from attnsvm.audit.numbers import Limit, estimate
from attnsvm.audit.reading import Claims, NoInstance, Reading
from attnsvm.audit.rows import single, where

CLAIMS = Claims(group="ours")


@CLAIMS.add(
    sharpens="parametrisations_cross",
    seeds=(100000, 100999),
    short="small $d$: part of $(K,Q)$'s lead is saturation",
    statement="On the same instances (K, Q) selects the optimal tokens more often than W at d = 3, and W more often at "
    "d = 16; at d = 2 a part of the lead of (K, Q) is that W selects them too but is not saturated yet.",
    check="n = T = 5, 5000 exact steps: share of instances with W less that with (K, Q), instance by instance, 95 % "
    "interval of the mean: by what is selected, by what is selected and saturated, and the difference of both",
    measured="lead of W in instances that select the optimal tokens, largest d",
    asked=Limit(0.0, "> {}", "every interval must leave out zero, on its own side"),
)
def parametrisations_cross_saturation(tables, asked):
    """Leads at the smallest, the second and the largest d of the largest shape, and what of them is saturation."""
    table = tables.own()
    table = table[table["T"] == table["T"].max()]
    sizes = sorted(table["d"].unique())
    if len(sizes) < 3:
        raise NoInstance("third d")

    def at(d, quantity, counted="selected"):
        return estimate(single(where(table, d=d, quantity=quantity, counted=counted)))

    small, next_, large = sizes[0], sizes[1], sizes[-1]
    ahead, behind, both = at(large, "lead"), at(next_, "lead"), at(small, "lead", "saturated")
    waiting = at(small, "waiting")
    parts = {
        f"d = {large}: W ahead ({ahead.value:+.3f})": asked(ahead),
        f"d = {next_}: (K, Q) ahead ({behind.value:+.3f})": asked.against(behind),
        f"d = {small}: (K, Q) ahead if saturated runs count alone ({both.value:+.3f})": asked.against(both),
        f"d = {small}: W is unsaturated at the optimal tokens more often ({waiting.value:+.3f})": asked(waiting),
    }
    return Reading(*ahead, parts)
