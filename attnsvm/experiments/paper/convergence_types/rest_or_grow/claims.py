"""Where a run that is not global goes if it is trained longer: what holds of the claim that it ends locally optimal."""

from functools import partial

from attnsvm.audit.numbers import Limit, share_of
from attnsvm.audit.reading import Claims, Reading, some
from attnsvm.audit.rows import where

CLAIMS = Claims(group="paper", seeds=(100000, 100063))


def grow_or_rest(attention, tables, limit, still, inseparable):
    """The share of the growing runs that end locally optimal along their solution; and what the resting ones are."""
    rows = some(where(tables.own(), attention=attention), "run that is not global")
    growing, others = rows[rows["course"] == "grows"], rows[rows["course"] != "grows"]
    resting = some(where(others, course="rests"), "run that rests")
    parts = {}
    for parametrisation in ("W", "KQ"):
        runs = where(growing, parametrisation=parametrisation)
        ended = some(runs, f"growing run of {parametrisation}")["local"].mean()
        before = where(rows, parametrisation=parametrisation)["first"].mean()
        words = f"{parametrisation}: {ended:.3f} of {len(runs)} growing runs end locally optimal"
        parts[f"{words} (as first asked {before:.3f})"] = limit(ended)
    share = len(resting) / len(others)
    parts[f"{share:.2f} of the {len(others)} others rest"] = still(share)
    without, control = (share_of(~part["separable"]) for part in (resting, growing))
    words = f"optimal tokens without a separator: {without.value:.2f} of them, {control.value:.2f} of the growing runs"
    further = {words: inseparable(without.value) and without.low > control.high}
    return Reading(*share_of(growing["local"]), parts, further)


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
        statement=f"{place}, a run that is not global either grows for ever, and then ends at locally optimal tokens "
        "along their SVM solution, or rests at finite weights, as only inseparable optimal tokens let it.",
        check="runs not global after 5000 exact steps, trained 20 times longer, one norm for both gradients of (K, Q); "
        "a run grows if its norm grows by more than the root of that; of the growing ones, share that ends at locally "
        "optimal tokens with a correlation of 0.9 or more, Wilson interval; beside it the share as first asked",
        measured="share of growing runs that end locally optimal",
        limit=Limit(0.95, "each share ≥ {}", "as first asked, of each parametrisation"),
        still=Limit(0.8, "share of the others that rest ≥ {}", "some come to rest late"),
        inseparable=Limit(
            0.9,
            "share of resting runs whose optimal tokens have no separator ≥ {}",
            "a finite minimum beside separable tokens exists but is rare; more than of the growing runs, beyond both "
            "intervals",
        ),
        read=partial(grow_or_rest, attention),
    )
