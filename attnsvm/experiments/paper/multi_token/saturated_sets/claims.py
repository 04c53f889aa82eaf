"""What holds of the generalised SVM: a matter of saturation."""

from attnsvm.audit.numbers import Limit, largest, sample_mean
from attnsvm.audit.reading import Claims, Reading, some

CLAIMS = Claims(group="paper")


@CLAIMS.add(
    sharpens="generalised_svm",
    seeds=(100000, 102999),
    short="nonlinear head: generalised SVM where saturated",
    statement="With a nonlinear head that mixes tokens, three inputs of four tokens in 4 to 10 dimensions: at each of "
    "these d the trained W is near W_fin + C·W_mm in the mean over runs whose other tokens have at most 1e-9 of the "
    "softmax; of those with more the mean is farther.",
    check="1 − correlation with W_fin + C·W_mm, C from the norm of W, at every d: mean and its 95 % interval over the "
    "saturated runs, against all runs whose tokens are barely selected; first asked of runs with at most 1e-15, whose "
    "mean at d = 4 is 0.0032",
    measured="mean of 1 − correlation with W_fin + C·W_mm, saturated runs, the farthest d",
    limit=Limit(0.02, "≤ {}", "an angle of 11°, as first asked; now of the whole interval"),
    selected=Limit(1e-9, "largest unselected probability of a saturated run ≤ {}", "all that are not barely selected"),
    barely=Limit(1e-9, "of a run whose tokens are barely selected > {}", "the upper third of those that are accepted"),
)
def generalised_svm_saturated(tables, limit, selected, barely):
    """The mean distance of the saturated runs at every d, beside that of all runs whose tokens are barely selected."""
    rows = tables.own()
    done, begun = (rows[rows["unselected_max"].map(limit)] for limit in (selected, barely))
    parts, further, found = {}, {}, []
    for d in sorted(rows["d"].unique()):
        here = some(done[done["d"] == d], f"saturated run at d = {d}")
        found.append(near := sample_mean(here["svmeq_norm"]))
        parts[f"d = {d}: {len(here)} saturated runs within the threshold ({near.value:.2g})"] = limit(near)
        further[f"d = {d}: nearer than W_mm and the one-token SVM"] = (
            near.value < here[["mm", "one_token"]].mean().min()
        )
    far = sample_mean(some(begun, "run whose tokens are barely selected")["svmeq_norm"])
    further[f"the {len(begun)} barely selected runs beyond it ({far.value:.2g})"] = limit.against(far)
    return Reading(*largest(found)[:3], len(done), parts, further)
