"""A head that mixes tokens: the trained W against the generalised SVM; and what print leaves out."""

from attnsvm.audit.conditions import LAST, number
from attnsvm.audit.numbers import Limit, exact, largest, proportion, smallest
from attnsvm.audit.reading import Claims, Reading, some

CLAIMS = Claims(group="print")


def ends(tables, *solutions):
    """The mean 1 − correlation with each solution after the last step, by d, which rises."""
    table = tables.own(panel="curve")
    end = number(step=LAST, missing="curve of {solution} at d = {d}")
    return {d: [end(d=d, solution=solution).estimate(table) for solution in solutions] for d in sorted(set(table["d"]))}


def at_largest(tables):
    table = some(tables.own(), "accepted instance")
    return table[table["d"] == table["d"].max()]


@CLAIMS.add(
    group="paper",
    short="nonlinear head: generalised SVM",
    statement="With a nonlinear head that mixes tokens, the trained W is W_fin + C·W_mm of the generalised SVM.",
    measured="mean of 1 − correlation with W_fin + C·W_mm, C from the norm of W alone, the farthest d",
    limit=Limit(0.02, "each mean ≤ {}", "an angle of 11°, required at every d"),
)
def generalised_svm(tables, limit):
    near, nearer, found = {}, {}, ends(tables, "svmeq_norm", "mm", "one_token")
    for d, (ours, *others) in found.items():
        near[f"d = {d}: within the threshold ({ours.value:.2g})"] = limit(ours.value)
        nearer[f"d = {d}: nearer than W_mm and the one-token SVM"] = ours.value < smallest(others).value
    return Reading(*largest(ours for ours, *_ in found.values()), near, nearer)


@CLAIMS.add(
    short="$C$ fitted to the answer",
    statement="That C of W_SVMeq is fitted to the trained W, an oracle, changes nothing: C from the norm of W alone "
    "gives the same distances.",
    measured="1 − correlation at the largest d, C from the norm of W",
    limit=Limit(1e-3, "apart ≤ {}", "less than the standard error of the means would be no difference"),
    printed="C fitted",
)
def print_oracle(tables, limit):
    found = ends(tables, "svmeq_norm", "svmeq")
    parts = {
        f"d = {d}: the same without the oracle": limit(abs(ours.value - fit.value)) for d, (ours, fit) in found.items()
    }
    ours, fit = found[max(found)]
    return Reading(*exact(ours.value, ours.instances), parts, published=fit.value)


@CLAIMS.add(
    short="rejected instances not mentioned",
    statement="The paper does not say how many instances the acceptance rule rejects.",
    measured="share of the tried seeds that are drawn, at the largest d",
    limit=Limit(0.0, "rejected ≤ {}", "a rejected instance that is not mentioned is one too many"),
)
def print_rejections(tables, limit):
    """The share of seeds that the acceptance rule keeps, at the largest d; in print, all that is drawn."""
    accepted, tried = (int(at_largest(tables).iloc[0][name]) for name in ("accepted", "tried"))
    kept = proportion(accepted, tried)
    parts = {f"no more rejected than the threshold ({accepted} of {tried} kept)": limit(1 - kept.value)}
    return Reading(*kept, parts, published=1.0)
