"""(K, Q) under the published rule goes where hard steps go, on a spiral, and not to the nuclear solution."""

from attnsvm.audit.evaluation import Claims, Reading, only, some
from attnsvm.audit.numbers import Limit, sample_median, share_of
from attnsvm.audit.rows import last

CLAIMS = Claims(group="beyond")


@CLAIMS.add(
    sharpens="KQ_published_leaves",
    seeds=(100000, 100031),
    short="$(K, Q)$, published: hard steps, a spiral",
    statement="Far out the published rule takes hard steps, on the constraint of least margin alone. They go to a "
    "limit of their own, a spiral: both factors keep turning, K Qᵀ does not.",
    measured="median of what is left of the spiral's conditions",
    limit=Limit(0.01, "≤ {}", "one per cent: components that die out like a small power of the step are left"),
    tenth=Limit(0.1, "distance from hard steps over that from the nuclear solution ≤ {}", "ten times nearer"),
    most=Limit(0.85, "share of instances so much nearer ≥ {}", "nearly all, beyond doubt"),
    times=Limit(5.0, "left without turning over left with it ≥ {}", "A is more than one parameter more"),
    apart=Limit(0.05, "left of conditions that are not met ≥ {}", "five times what counts as met"),
    slack=Limit(0.01, "mean excess of margins with multipliers ≤ {}", "complementary slackness to a per cent"),
    nuclear=Limit(1e-3, "1 − correlation with the nuclear solution ≤ {}", "as asked of one norm elsewhere"),
)
def KQ_published_spiral(tables, limit, tenth, most, times, apart, slack, nuclear):
    """Where the published rule goes, which conditions that limit meets, and what one norm for both changes."""
    table = some(tables.own(), "instance with a certified nuclear solution")

    def ends(by, quantity):
        return last(only(table, by=by, quantity=quantity)).set_index("seed")["value"]

    run, left = ends("published", "from hard") / ends("published", "from nuclear"), ends("two norms", "spiral")
    near, own = share_of(run.map(tenth)), sample_median(left)
    turning = sample_median(ends("two norms", "still") / left)
    other, control = (sample_median(ends(by, "nuclear")) for by in ("two norms", "one norm"))
    unlike, excess = sample_median(ends("one norm", "spiral")), sample_median(ends("two norms", "slack"))
    far, joint = (sample_median(ends(by, "from nuclear")) for by in ("two norms", "one norm"))
    parts = {
        f"published rule nearer to hard steps than to the nuclear solution by that: {near.value:.2f}": most(near),
        f"far out, the spiral's conditions are met ({own.value:.2g})": limit(own),
    }
    further = {
        f"without turning {turning.value:.1f} times as much is left": times(turning),
        f"multipliers at least margins only ({excess.value:.2g})": slack(excess),
        f"the nuclear solution's are not met ({other.value:.2g})": apart(other),
        f"nor is it the nuclear solution ({far.value:.2g} away)": nuclear.against(far),
        f"one norm for both: the nuclear solution's are met ({control.value:.2g})": limit(control),
        f"the spiral's are not ({unlike.value:.2g})": apart(unlike),
        f"and it is the nuclear solution ({joint.value:.2g} away)": nuclear(joint),
    }
    return Reading(*own, parts, further)
