"""Where a run that is not global goes if it is trained longer: what holds of the claim that it ends locally optimal.

The shares were first asked by their values alone, as of 18 of 20 runs that rest; now of their intervals.
"""

from functools import partial

from attnsvm.audit.numbers import Limit, proportion, share_of
from attnsvm.audit.reading import Claims, Reading, some
from attnsvm.audit.rows import where

CLAIMS = Claims(group="paper", seeds=(100000, 100063))


def grow_or_rest(attention, tables, limit, still, inseparable):
    """The share of the growing runs that end locally optimal along their solution; and what the resting ones are."""
    rows = some(where(tables.own(), attention=attention), "run that is not global")
    growing, others = rows[rows["course"] == "grows"], rows[rows["course"] != "grows"]
    resting = some(where(others, course="rests"), "run that rests")
    ended = share_of(some(growing, "growing run")["local"])
    parts = {
        f"{ended.value:.3f} of {len(growing)} growing runs end locally optimal (interval from {ended.low:.3f})": limit(
            ended
        )
    }
    further = {}
    for parametrisation in ("W", "KQ"):
        runs = where(growing, parametrisation=parametrisation)
        each = some(runs, f"growing run of {parametrisation}")["local"].mean()
        before = where(rows, parametrisation=parametrisation)["first"].mean()
        further[f"{parametrisation}: {each:.3f} of {len(runs)} (as first asked {before:.3f})"] = limit(each)
    share = proportion(len(resting), len(others))
    words = f"{share.value:.2f} of the {len(others)} others rest (interval from {share.low:.2f})"
    further[words] = still(share)
    without, control = (share_of(~part["separable"]) for part in (resting, growing))
    words = f"optimal tokens without a separator: {without.value:.2f} of them, {control.value:.2f} of the growing runs"
    further[words] = inseparable(without.value) and without.low > control.high
    return Reading(*ended, parts, further)


for key, short, attention, place in (
    ("locally_optimal_growing", "locally optimal, or at rest", "cross", "Trained longer"),
    (
        "self_locally_optimal_growing",
        "self-attention: locally optimal, or at rest",
        "self",
        "In self-attention too, trained longer",
    ),
):
    CLAIMS.add(
        key=key,
        sharpens=key.removesuffix("_growing"),
        short=short,
        statement=f"{place}, with Gaussian tokens, a run that is not global and grows for ever ends at locally optimal "
        "tokens along their SVM solution; the others rest at finite weights, as only inseparable optimal tokens let "
        "them.",
        check="runs not global after 5000 exact steps, trained 20 times longer, one norm for both gradients of (K, Q); "
        "a run grows if its norm grows by more than the root of that; of the growing ones, share that ends at locally "
        "optimal tokens with a correlation of 0.9 or more, Wilson interval; beside it the share as first asked",
        measured="share of growing runs that end locally optimal",
        limit=Limit(
            0.95, "share ≥ {}", "as first asked; of W and (K, Q) together with the whole interval, of each by its value"
        ),
        still=Limit(0.8, "share of the others that rest ≥ {}", "some come to rest late; of the whole interval"),
        inseparable=Limit(
            0.9,
            "share of resting runs whose optimal tokens have no separator ≥ {}",
            "a finite minimum beside separable tokens exists but is rare; more than of the growing runs, beyond both "
            "intervals",
        ),
        read=partial(grow_or_rest, attention),
    )
