"""How far down from the theorem its solution is still seen, and what weight decay makes of it."""

import numpy as np

from attnsvm.audit.reading import Claim, Reading, some
from attnsvm.audit.rows import single
from attnsvm.experiments.ladder.rungs import RUNGS

FIRST = next(iter(RUNGS))


def of(tables, part, name, quantity, when="end", decay=None):
    """The one row that has these values, with a median in it."""
    table = tables.own()
    kept = (table["part"] == part) & (table["name"] == name) & (table["quantity"] == quantity) & (table["when"] == when)
    kept &= table["decay"].isna() if decay is None else table["decay"] == decay
    return single(some(table[kept & table["value"].notna()], f"certified solution on '{name}'"))


def positive_decays(tables):
    """The decays above zero, ascending."""
    decays = tables.own()["decay"].dropna()
    return sorted(set(some(decays[decays > 0], "weight decay above zero")))


def theorem(tables, least):
    own = of(tables, "rungs", FIRST, "alignment_fro")
    null, start = of(tables, "rungs", FIRST, "null_fro"), of(tables, "rungs", FIRST, "gain_fro", "start")
    parts = {
        f"lower end at least {least}": own["low"] >= least,
        "the null's interval lies below": null["high"] < own["low"],
        "before training it is not 0.1 above its null": start["high"] < 0.1,
    }
    return Reading(own["value"], own["low"], own["high"], int(own["instances"]), parts)


def falls(tables, most):
    changes = {name: of(tables, "rungs", name, "change_alignment") for name in list(RUNGS)[1:]}
    parts = {f"'{name}' lies below the rung before": row["high"] < most for name, row in changes.items()}
    worst = max(changes.values(), key=lambda row: row["high"])
    return Reading(worst["value"], worst["low"], worst["high"], int(worst["instances"]), parts)


def above_null(tables, least):
    gains = {name: of(tables, "rungs", name, f"gain_{rung.norm}") for name, rung in RUNGS.items()}
    parts = {f"'{name}' is above its null": row["low"] > least for name, row in gains.items()}
    starts = [of(tables, "rungs", name, "gain_fro", "start") for name in RUNGS]
    parts["before training no rung is 0.1 above its null"] = all(row["high"] < 0.1 for row in starts)
    worst = min(gains.values(), key=lambda row: row["low"])
    return Reading(worst["value"], worst["low"], worst["high"], int(worst["instances"]), parts)


def decay_and_rank(tables, most):
    largest = positive_decays(tables)[-1]
    factors, whole = (of(tables, "decays", name, "rank_ratio", decay=largest) for name in ("KQ", "W"))
    ratios = [of(tables, "decays", "KQ", "rank_ratio", decay=decay)["value"] for decay in positive_decays(tables)]
    parts = {
        f"on K and Q: upper end at most {most}": factors["high"] <= most,
        "on W: the interval lies above that of K and Q": whole["low"] > factors["high"],
        "on K and Q: the more decay, the lower": bool((np.diff([1.0, *ratios]) < 0).all()),
    }
    return Reading(factors["value"], factors["low"], factors["high"], int(factors["instances"]), parts)


def decay_and_alignment(tables, least):
    rows = {decay: of(tables, "decays", "KQ", "change_alignment", decay=decay) for decay in positive_decays(tables)}
    parts = {f"decay {decay:g} raises it": row["low"] > least for decay, row in rows.items()}
    best = max(rows.values(), key=lambda row: row["value"])
    return Reading(best["value"], best["low"], best["high"], int(best["instances"]), parts)


def decay_takes_it_away(tables, least):
    largest = positive_decays(tables)[-1]
    gain, free = (of(tables, "decays", "KQ", "gain_nuc", decay=decay) for decay in (largest, 0.0))
    train = of(tables, "decays", "KQ", "train", decay=largest)
    parts = {
        "without decay the alignment is above its null": free["low"] > least,
        "with the largest decay it is not": gain["low"] <= least,
        "the layer still fits its inputs": train["value"] >= 0.99,
    }
    return Reading(gain["value"], gain["low"], gain["high"], int(gain["instances"]), parts)


MEDIANS = "medians over the instances, 95 % intervals from order statistics"
CLAIMS = (
    Claim(
        key="ladder_theorem",
        group="beyond",
        short="on real patches: W alone obeys",
        statement="On patches of digits, W trained alone goes to the Frobenius solution of what it selects.",
        check=f"cosine with the certified solution on the span of the constraints; {MEDIANS}",
        threshold=0.95,
        why="as on Gaussian tokens after as many steps; a random head of the same singular values must stay below",
        read=theorem,
        measured="median cosine with the certified solution",
        wanted="≥ {}",
    ),
    Claim(
        key="ladder_falls",
        group="beyond",
        short="each step to practice costs alignment",
        statement="From W alone to AdamW with everything trained, alignment falls with every rung.",
        check=f"cosine of a rung less that of the one before, per instance, in its parametrisation's norm; {MEDIANS}",
        threshold=0.0,
        why="a fall is a change whose whole interval is below zero, at each of the five steps",
        read=falls,
        measured="median change of the cosine, at the rung that falls least",
        wanted="< {}",
    ),
    Claim(
        key="ladder_above_null",
        group="beyond",
        short="but never down to chance",
        statement="On every rung the alignment is above that of random heads with the same singular values.",
        check=f"cosine less that of the null heads, per instance, in the parametrisation's norm; {MEDIANS}",
        threshold=0.0,
        why="any matrix aligns with the SVM of what it selects: the difference counts, and untrained layers have none",
        read=above_null,
        measured="median difference from the null, at the rung with the least",
        wanted="> {}",
    ),
    Claim(
        key="ladder_decay_rank",
        group="beyond",
        short="decay on K, Q lowers the rank",
        statement="Weight decay on K and Q lowers the rank of K Qᵀ, as a nuclear penalty does, and that on W does not.",
        check=f"effective rank with the largest decay over that without, per instance; {MEDIANS}",
        threshold=0.5,
        why="half of the rank; the same decay on W, a Frobenius penalty, is the control",
        read=decay_and_rank,
        measured="median ratio of effective ranks",
        wanted="≤ {}",
    ),
    Claim(
        key="ladder_decay_alignment",
        group="beyond",
        short="decay on K, Q brings it back",
        statement="Weight decay on K and Q raises the alignment of K Qᵀ with the nuclear solution.",
        check=f"cosine with a decay less that without, per instance; {MEDIANS}; every decay",
        threshold=0.0,
        why="a rise is a change whose whole interval is above zero",
        read=decay_and_alignment,
        measured="median change of the cosine, at the best decay",
        wanted="> {}",
    ),
    Claim(
        key="ladder_decay_breaks",
        group="beyond",
        short="strong decay leaves nothing of it",
        statement="Under strong decay of K and Q the layer still fits, but its attention is no max-margin separator: "
        "its alignment is that of a random head.",
        check=f"cosine less that of the null heads, per instance, with the largest decay and without; {MEDIANS}",
        threshold=0.0,
        why="the theory needs weights that grow: where they cannot, it must end",
        read=decay_takes_it_away,
        measured="median difference from the null, largest decay",
        wanted="lower end ≤ {}",
    ),
)
