"""What holds of the ladder from theorem to practice, and of weight decay: on other images of the same digits."""

from attnsvm.audit.conditions import EACH, FIRST, LAST, number
from attnsvm.audit.reading import Claims

MEDIANS = "medians over the instances, 95 % intervals from order statistics; other images of the same digits"
NONE = "a change that counts as none ≤ 0.05", "a quarter of what is above the null"
CLAIMS = Claims(group="beyond", seeds=(100000, 100019))

end = number(when="end", missing="certified solution on '{name}'")
rung, strong = end(part="rungs"), end(part="decays", name="KQ", decay=LAST)
reference = rung(name="+ v", quantity="alignment_fro")
saturated = rung(quantity="saturated")
CLAIMS.declare(
    "ladder_falls_to_mlp",
    rung(name=("+ v", "+ (K, Q)", "+ MLP"), quantity="change_alignment").must(
        "< 0",
        "a fall is a change whose whole interval is below zero, at each of three steps",
        "'{name}' lies below the rung before ({value:.2f})",
    ),
    rung(name=("+ embeddings", "+ AdamW"), quantity="alignment_nuc").below(
        reference,
        "'{name}' lies below '+ v' ({value:.2f} and {reference.value:.2f}), intervals apart",
        reference=reference,
    ),
    saturated(name="+ AdamW").must(
        "share of saturated inputs ≤ 0.05",
        "none, but for one in twenty",
        "saturated inputs: {value:.2f} on the last rung",
    ),
    saturated(name="W").must(
        "share on the first rung > 0.05", "else the premise had not held there", "and {value:.2f} on the first"
    ),
    sharpens="ladder_falls",
    short="alignment falls to the MLP; then no input saturates",
    statement="Alignment falls with the head, with (K, Q) and with the MLP; embeddings and AdamW leave it below, in no "
    "order, and under AdamW no input is saturated: there the theorem's premise has ended.",
    check="cosine of a rung less that of the one before, per instance; cosines of the last two rungs against that of "
    f"the first that falls; share of saturated inputs; {MEDIANS}",
    measured="median change of the cosine, at the rung of three that falls least",
)

# Rows of a change are those of decays above zero.
change = strong(quantity="change_alignment", missing="weight decay above zero")
CLAIMS.declare(
    "ladder_decay_lowers",
    (
        change.must("< 0", "below zero, the whole interval", "decay {decay:g} lowers it ({value:+.3f})"),
        change(decay=EACH).must(*NONE, "decay {decay:g} raises it by less ({value:+.3f})"),
        change(decay=FIRST).must(*NONE, "decay {decay:g} lowers it by less ({value:+.3f})", around=0.0),
    ),
    sharpens="ladder_decay_alignment",
    short="decay on K, Q: no help, and strong decay hurts",
    statement="No weight decay on K and Q raises the alignment of K Qᵀ with the nuclear solution: the weakest leaves "
    "it as it is, the strongest lowers it.",
    check=f"cosine with a decay less that without, per instance; every decay; {MEDIANS}",
    measured="median change of the cosine, strongest decay",
)

CLAIMS.declare(
    "ladder_decay_rest",
    (
        strong(quantity="gain_nuc").must(
            "≤ 0.15", "less than what was found without decay, 0.18", "by no more than the threshold"
        ),
        strong(quantity="gain_nuc").must(
            "difference from the null > 0",
            "above zero, the whole interval",
            "the alignment is above its null ({value:.2g})",
        ),
        strong(quantity="train").must(
            "share of training inputs right, median ≥ 0.99",
            "as first asked",
            "the layer still fits its inputs",
            whole=False,
        ),
        strong(quantity="rank_ratio", missing="weight decay above zero").must(
            "effective rank over that without decay ≤ 0.5",
            "half of the rank",
            "effective rank: {value:.2f} of that without decay",
        ),
        strong(quantity="saturated").must(
            "share of saturated inputs ≤ 0",
            "no input, up to the end of the interval",
            "no input is saturated ({value:.2g})",
        ),
    ),
    sharpens="ladder_decay_breaks",
    short="strong decay leaves a little of it",
    statement="Under strong decay of K and Q the layer still fits, no input is saturated, the rank is less than half, "
    "and of the alignment a little is left: above that of a random head, by less than 0.15.",
    check=f"cosine less that of the null heads, per instance, with the largest decay; {MEDIANS}",
    measured="median difference from the null, largest decay",
)
