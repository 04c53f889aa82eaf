"""What holds of the ladder from theorem to practice, and of weight decay: on other images of the same digits."""

from attnsvm.audit.numbers import Limit, each
from attnsvm.audit.reading import Claims, Reading
from attnsvm.experiments.real.ladder.claims import of, positive_decays

MEDIANS = "medians over the instances, 95 % intervals from order statistics; other images of the same digits"
FIRST, FALLING, BEYOND = "W", ("+ v", "+ (K, Q)", "+ MLP"), ("+ embeddings", "+ AdamW")
CLAIMS = Claims(group="beyond", seeds=(100000, 100019))


@CLAIMS.add(
    sharpens="ladder_falls",
    short="alignment falls to the MLP; then no input saturates",
    statement="Alignment falls with the head, with (K, Q) and with the MLP; embeddings and AdamW leave it below, in no "
    "order, and under AdamW no input is saturated: there the theorem's premise has ended.",
    check="cosine of a rung less that of the one before, per instance; cosines of the last two rungs against that of "
    f"the first that falls; share of saturated inputs; {MEDIANS}",
    measured="median change of the cosine, at the rung of three that falls least",
    asked=Limit(0.0, "< {}", "a fall is a change whose whole interval is below zero, at each of three steps"),
    unsaturated=Limit(0.05, "share of saturated inputs ≤ {}", "none, but for one in twenty"),
)
def ladder_falls_to_mlp(tables, asked, unsaturated):
    """Three rungs that fall, two that lie below the first of them, and the last without a saturated input."""
    changes = {name: of(tables, "rungs", name, "change_alignment") for name in FALLING}
    parts = each(changes, "'{}' lies below the rung before ({.value:.2f})", asked)
    first = of(tables, "rungs", FALLING[0], "alignment_fro")
    for name in BEYOND:
        own = of(tables, "rungs", name, "alignment_nuc")
        parts[f"'{name}' lies below '{FALLING[0]}' ({own.value:.2f} and {first.value:.2f}), intervals apart"] = (
            own.high < first.low
        )
    whole, last = (of(tables, "rungs", name, "saturated") for name in (FIRST, BEYOND[-1]))
    parts[f"saturated inputs: {whole.value:.2f} on the first rung, {last.value:.2f} on the last"] = unsaturated(
        last
    ) and not unsaturated(whole.low)
    return Reading(*asked.worst(changes), parts)


@CLAIMS.add(
    sharpens="ladder_decay_alignment",
    short="decay on K, Q: no help, and strong decay hurts",
    statement="No weight decay on K and Q raises the alignment of K Qᵀ with the nuclear solution: the weakest leaves "
    "it as it is, the strongest lowers it.",
    check=f"cosine with a decay less that without, per instance; every decay; {MEDIANS}",
    measured="median change of the cosine, strongest decay",
    asked=Limit(0.0, "< {}", "below zero, the whole interval"),
    near=Limit(0.05, "a change that counts as none ≤ {}", "a quarter of what is above the null"),
)
def ladder_decay_lowers(tables, asked, near):
    """No decay raises the alignment by more than a little; the weakest leaves it, the strongest lowers it."""
    changes = {decay: of(tables, "decays", "KQ", "change_alignment", decay=decay) for decay in positive_decays(tables)}
    weakest, strongest = changes[min(changes)], changes[max(changes)]
    parts = each(changes, "decay {:g} raises it by less ({.value:+.3f})", lambda change: near(change.high))
    parts[f"decay {min(changes):g} lowers it by less ({weakest.value:+.3f})"] = near(-weakest.low)
    parts[f"decay {max(changes):g} lowers it ({strongest.value:+.3f})"] = asked(strongest)
    return Reading(*strongest, parts)


@CLAIMS.add(
    sharpens="ladder_decay_breaks",
    short="strong decay leaves a little of it",
    statement="Under strong decay of K and Q the layer still fits, no input is saturated, the rank is less than half, "
    "and of the alignment a little is left: above that of a random head, by less than 0.15.",
    check=f"cosine less that of the null heads, per instance, with the largest decay; {MEDIANS}",
    measured="median difference from the null, largest decay",
    asked=Limit(0.15, "≤ {}", "less than what was found without decay, 0.18"),
    least=Limit(0.0, "difference from the null > {}", "above zero, the whole interval"),
    fits=Limit(0.99, "share of training inputs right, median ≥ {}", "as first asked"),
    half=Limit(0.5, "effective rank over that without decay ≤ {}", "half of the rank"),
)
def ladder_decay_rest(tables, asked, least, fits, half):
    strongest = positive_decays(tables)[-1]
    gain, train, rank, saturated = (
        of(tables, "decays", "KQ", quantity, decay=strongest)
        for quantity in ("gain_nuc", "train", "rank_ratio", "saturated")
    )
    parts = {
        f"the alignment is above its null ({gain.value:.2g})": least(gain),
        "by no more than the threshold": asked(gain),
        f"effective rank: {rank.value:.2f} of that without decay": half(rank),
        f"no input is saturated ({saturated.value:.2g})": saturated.high == 0,
        "the layer still fits its inputs": fits(train.value),
    }
    return Reading(*gain, parts)
