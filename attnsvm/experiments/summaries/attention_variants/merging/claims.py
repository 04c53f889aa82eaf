"""What holds of merged tokens: they lose length, and with it margin; and keep a little more of the selection."""

import numpy as np

from attnsvm.audit.evaluation import Claims, Reading, some
from attnsvm.audit.numbers import Limit, sample_mean, sample_median
from attnsvm.audit.rows import where

CLAIMS = Claims(group="secondary", seeds=(100000, 100255))


def wide(tables, quantity):
    rows = some(tables.own(), "instance with certified solutions")
    for variant in ("half", "merged", "merged unit"):
        some(where(rows, variant=variant), f"instance of '{variant}'")
    return rows.pivot(index="seed", columns="variant", values=quantity)


@CLAIMS.add(
    sharpens="merged_margin",
    short="merged tokens narrow the margin by their length",
    statement="Merging neighbouring tokens narrows the margin by the factor 1/√2 of their lost length; with length "
    "one it is that of as few tokens.",
    measured="median margin on merged tokens, over that on one of every pair",
    limit=Limit(1.0, "< {}", "narrower, beyond the interval"),
    length=Limit(0.1, "distance of the ratio from 1/√2, as a share of it ≤ {}", "tokens of a pair overlap"),
    restored=Limit(0.1, "distance from that on one of two, length brought back ≤ {}", "as wide as that"),
)
def merged_margin_length(tables, limit, length, restored):
    """Merged over one of two, in the median; and with the length brought back."""
    found = wide(tables, "margin")
    ratio, unit = (sample_median(found[name] / found["half"]) for name in ("merged", "merged unit"))
    whole = sample_median(found["merged"])
    expected = 1 / np.sqrt(2)
    parts = {
        f"narrower than on one of two ({ratio.value:.3f} times)": limit(ratio),
        f"by the length lost: {ratio.value / expected:.3f} of 1/√2": length(ratio.off(expected) / expected),
        f"with the length brought back {unit.value:.3f} times that on one of two": restored(unit.off(1.0)),
    }
    return Reading(*ratio, parts, {f"narrower than on all tokens ({whole.value:.3f} times)": limit(whole)})


@CLAIMS.add(
    sharpens="merged_tokens",
    short="merged tokens keep the selection in two of three",
    statement="After merging, most inputs select the pair that holds the token selected before, and somewhat more do "
    "than after leaving one of every pair out.",
    measured="mean lead over leaving one of two out, in the share of inputs that select the same pair",
    limit=Limit(0.5, "share of inputs with the same pair ≥ {}", "as first asked: one in four by chance"),
    lead=Limit(0.0, "lead over leaving one of two out > {}", "beyond the interval of paired instances"),
)
def merged_tokens_more(tables, limit, lead):
    """The same pair, paired with leaving one of two out."""
    found = wide(tables, "same")
    merged, more = sample_mean(found["merged"]), sample_mean(found["merged"] - found["half"])
    parts = {
        f"the same pair in most inputs ({merged.value:.2f})": limit(merged),
        f"more often than with one of two, by {more.value:.3f}": lead(more),
    }
    return Reading(*more, parts)
