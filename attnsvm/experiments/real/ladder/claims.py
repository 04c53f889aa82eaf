"""How far down from the theorem its solution is still seen, and what weight decay makes of it."""

import numpy as np

from attnsvm.audit.conditions import EACH, FIRST, LAST, MOST, number
from attnsvm.audit.numbers import Limit, each, largest
from attnsvm.audit.reading import Claims, Reading
from attnsvm.experiments.real.ladder.rungs import RUNGS

CHANGE = "change of the cosine from the rung before"
UNTRAINED = Limit(
    0.1, "above the null before training < {}", "an untrained layer has no more than chance and this little"
)
ELSEWHERE = "What holds instead stands in the audit of `snakemake figures/ladder_again`, which is optional."
CLAIMS = Claims(group="beyond")
median = number(missing="certified solution on '{name}'")
rung = median(part="rungs")
theorem = rung(name=next(iter(RUNGS)))
decayed = median(part="decays", name="KQ", when="end")
with_decay = "certified solution on '{name}' with weight decay"  # rows of both are those of decays above zero
ratio, change = (decayed(quantity=q, missing=with_decay) for q in ("rank_ratio", "change_alignment"))

CLAIMS.declare(
    "ladder_theorem",
    theorem(quantity="alignment_fro", when="end", text="cosine with the certified solution").must(
        "≥ 0.95",
        "as on Gaussian tokens after as many steps; a random head of the same singular values must stay below",
        "lower end at least {limit:g}",
    ),
    theorem(quantity="alignment_fro", when="end").above(
        theorem(quantity="null_fro", when="end"), "the null's interval lies below"
    ),
    theorem(quantity="gain_fro", when="start").must(
        f"above the null before training < {UNTRAINED.value}",
        UNTRAINED.why,
        f"before training it is not {UNTRAINED.value} above its null",
    ),
    short="on real patches: W alone obeys",
    statement="On patches of digits, W trained alone goes to the Frobenius solution of what it selects.",
)

CLAIMS.declare(
    "ladder_falls",
    rung(name=tuple(RUNGS)[1:], when="end", quantity="change_alignment", text=CHANGE).must(
        "< 0",
        "a fall is a change whose whole interval is below zero, at each of the five steps",
        "'{name}' lies below the rung before",
    ),
    short="each step to practice costs alignment",
    statement="From W alone to AdamW with everything trained, alignment falls with every rung.",
    unsharpened=ELSEWHERE,
)


@CLAIMS.add(
    short="but never down to chance",
    statement="On every rung the alignment is above that of random heads with the same singular values.",
    measured="median cosine less that of the null heads, at the rung with the least",
    limit=Limit(
        0.0,
        "> {}",
        "any matrix aligns with the SVM of what it selects: the difference counts, and untrained layers have none",
    ),
    untrained=UNTRAINED,
)
def ladder_above_null(tables, limit, untrained):
    table = tables.own()
    gains = {
        name: rung(name=name, when="end", quantity=f"gain_{of.norm}").estimate(table) for name, of in RUNGS.items()
    }
    starts = rung(name=tuple(RUNGS), when="start", quantity="gain_fro").read(table)
    words = f"before training no rung is {untrained.value} above its null"
    before = {words: all(untrained(one.number) for one in starts)}
    return Reading(*limit.worst(gains), each(gains, "'{}' is above its null", limit), before)


@CLAIMS.add(
    short="decay on K, Q lowers the rank",
    statement="Weight decay on K and Q lowers the rank of K Qᵀ, as a nuclear penalty does, and that on W does not.",
    measured="median effective rank over that without decay, per instance",
    limit=Limit(0.5, "≤ {}", "half of the rank; the same decay on W, a Frobenius penalty, is the control"),
)
def ladder_decay_rank(tables, limit):
    table = tables.own()
    factors = ratio(decay=LAST).estimate(table)
    whole = ratio(decay=LAST, name="W").estimate(table)
    found = {one.row["decay"]: one.number.value for one in ratio(decay=EACH).read(table)}
    ratios = [found[decay] for decay in sorted(found)]
    parts = {
        f"on K and Q: upper end at most {limit.value}": limit(factors),
        "on W: the interval lies above that of K and Q": whole.low > factors.high,
    }
    falls = {"on K and Q: the more decay, the lower": bool((np.diff([1, *ratios]) < 0).all())}
    return Reading(*factors, parts, falls)


@CLAIMS.add(
    short="decay on K, Q brings it back",
    statement="Weight decay on K and Q raises the alignment of K Qᵀ with the nuclear solution.",
    measured="median change of the cosine, per instance, at the best decay",
    limit=Limit(0.0, "> {}", "a rise is a change whose whole interval is above zero"),
    unsharpened=ELSEWHERE,
)
def ladder_decay_alignment(tables, limit):
    rows = {one.row["decay"]: one.number for one in change(decay=EACH).read(tables.own())}
    return Reading(*largest(rows), each(rows, "decay {:g} raises it", limit))


@CLAIMS.add(
    short="strong decay leaves nothing of it",
    statement="Under strong decay of K and Q the layer still fits, but its attention is no max-margin separator: its "
    "alignment is that of a random head.",
    measured="median cosine less that of the null heads, largest decay",
    limit=Limit(0.0, "lower end ≤ {}", "the theory needs weights that grow: where they cannot, it must end"),
    fits=Limit(
        0.99,
        "share of training inputs right, median ≥ {}",
        "a layer that no longer fits would say nothing of its attention",
    ),
    unsharpened=ELSEWHERE,
)
def ladder_decay_breaks(tables, limit, fits):
    table = tables.own()
    gain, free = (decayed(quantity="gain_nuc", decay=decay).estimate(table) for decay in (MOST, 0.0))
    train = decayed(quantity="train", decay=MOST).estimate(table)
    further = {
        "without decay the alignment is above its null": limit.against(free),
        "the layer still fits its inputs": fits(train.value),
    }
    return Reading(*gain, {"with the largest decay the alignment is not above its null": limit(gain.low)}, further)


# What holds instead, asked on other images.
NONE = "a change that counts as none ≤ 0.05", "a quarter of what is above the null"
at_end, strong = rung(when="end"), decayed(decay=LAST)
reference = at_end(name="+ v", quantity="alignment_fro")
saturated = at_end(quantity="saturated")
CLAIMS.declare(
    "ladder_falls_to_mlp",
    at_end(name=("+ v", "+ (K, Q)", "+ MLP"), quantity="change_alignment", text=CHANGE).must(
        "< 0",
        "a fall is a change whose whole interval is below zero, at each of three steps",
        "'{name}' lies below the rung before ({value:.2f})",
    ),
    at_end(name=("+ embeddings", "+ AdamW"), quantity="alignment_nuc").below(
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
    on="ladder_again",
    short="alignment falls to the MLP; then no input saturates",
    statement="Alignment falls with the head, with (K, Q) and with the MLP; embeddings and AdamW leave it below, in no "
    "order, and under AdamW no input is saturated: there the theorem's premise has ended.",
)

gain = strong(quantity="gain_nuc", text="cosine less that of the null heads")
changed = change(decay=LAST, text="change of the cosine by the decay")
CLAIMS.declare(
    "ladder_decay_lowers",
    (
        changed.must("< 0", "below zero, the whole interval", "decay {decay:g} lowers it ({value:+.3f})"),
        changed(decay=EACH).must(*NONE, "decay {decay:g} raises it by less ({value:+.3f})"),
        changed(decay=FIRST).must(*NONE, "decay {decay:g} lowers it by less ({value:+.3f})", around=0.0),
    ),
    sharpens="ladder_decay_alignment",
    on="ladder_again",
    short="decay on K, Q: no help, and strong decay hurts",
    statement="No weight decay on K and Q raises the alignment of K Qᵀ with the nuclear solution: the weakest leaves "
    "it as it is, the strongest lowers it.",
)

CLAIMS.declare(
    "ladder_decay_rest",
    (
        gain.must("≤ 0.15", "less than what was found without decay, 0.18", "by no more than the threshold"),
        gain.must(
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
        ratio(decay=LAST).must(
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
    on="ladder_again",
    short="strong decay leaves a little of it",
    statement="Under strong decay of K and Q the layer still fits, no input is saturated, the rank is less than half, "
    "and of the alignment a little is left: above that of a random head, by less than 0.15.",
)
