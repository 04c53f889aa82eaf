"""What holds of where the problem of one token per row fails: only where a row keeps a mixture."""

from attnsvm.audit.numbers import Limit, proportion
from attnsvm.audit.reading import Claims, Reading, some

CLAIMS = Claims(group="beyond")


@CLAIMS.add(
    sharpens="layers_conditions",
    seeds=(100000, 100063),
    short="mixtures decide: without one no plateau",
    statement="With three inputs of five Gaussian tokens in 16 dimensions: where no row keeps a mixture, the problem "
    "with a winner in every row is near in every instance; the instances that stop at a distance from it all "
    "keep a mixture, and few of those that keep one stop.",
    check="two layers after 50,000 steps: largest 1 − correlation of both layers with the stated problem, without and "
    "with a mixture, and with the corrected one; share of instances with a mixture, 95 % Wilson interval",
    measured="largest 1 − correlation without a mixture",
    limit=Limit(1e-3, "≤ {}", "that of `layers_conditions`, as first asked"),
    often=Limit(0.2, "share of instances with a mixture ≥ {}", "that of `layers_mixtures`"),
)
def layers_mixture_decides(tables, limit, often):
    """The stated problem's largest distance without a mixture and with one, and the corrected one's with one."""
    table = tables.own()
    mixed, free = (
        some(table[table["mixed"] == kept], f"instance {words} a mixture")
        for kept, words in ((True, "with"), (False, "without"))
    )
    far = mixed[~mixed["stated"].map(limit)]
    share = proportion(len(mixed), len(table))
    largest = free["stated"].max()
    near = {f"without a mixture near in every instance ({len(free)}, the farthest at {largest:.2g})": limit(largest)}
    further = {
        f"with one, {len(far)} of {len(mixed)} are farther, one at {mixed['stated'].max():.2g}": len(far) > 0,
        f"with mixtures kept these are near too ({mixed['corrected'].max():.2g})": limit(mixed["corrected"].max()),
        f"a mixture in {share.value:.2f} of the instances": often(share),
    }
    return Reading(largest, float("nan"), float("nan"), len(free), near, further)
