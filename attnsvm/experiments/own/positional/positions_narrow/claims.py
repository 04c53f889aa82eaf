"""What holds of positions as a regulariser: for the length that the tokens have, positions narrow every margin."""

import numpy as np

from attnsvm.audit.numbers import Limit, share_of
from attnsvm.audit.reading import Claims, Reading, some

# How much longer tokens are: sinusoidal positions of length one are added to tokens of length one, nearly orthogonal.
LONGER = {"encoded": 1.0, "added": np.sqrt(2)}
WORDS = {"encoded": "token lengths brought back", "added": "token lengths left to grow, per length"}
CLAIMS = Claims(group="secondary")


@CLAIMS.add(
    sharpens="positional",
    seeds=(100000, 100099),
    short="positions narrow the margin for its token length",
    statement="For the length that the tokens have, sinusoidal positions narrow the margin of nearly every instance; "
    "what widens most margins is the length that they add.",
    check="share of instances whose margin 1/‖W_mm‖, over what the length of the tokens alone does to it (√2 where "
    "positions of length one are added), is smaller with positions; Wilson interval, the lesser of two",
    measured="share of instances whose margin, for its token length, is narrower",
    asked=Limit(0.9, "≥ {}", "nine in ten, beyond doubt"),
    widened=Limit(0.5, "share of margins wider where lengths grow > {}", "most, as first asked"),
)
def positional_length(tables, asked, widened):
    """The margin with positions, divided by what the length of the tokens alone does, against that without."""
    norms = tables.own(quantity="norm").pivot(index="seed", columns="tokens", values="value")
    norms = some(norms.reindex(columns=["plain", *LONGER]).dropna(), "instance that is separable with all three tokens")
    ratios = {name: norms["plain"] / norms[name] / length for name, length in LONGER.items()}
    found = {name: share_of(ratio < 1) for name, ratio in ratios.items()}
    parts = {f"{WORDS[name]}: narrower in {seen.value:.2f}": asked(seen) for name, seen in found.items()}
    grown = share_of(norms["added"] < norms["plain"])
    further = {f"token lengths left to grow: wider in {grown.value:.2f}": widened(grown)}
    return Reading(*min(found.values()), parts, further)
