"""What holds of positions as a regulariser: for the length that the tokens have, positions narrow every margin."""

from attnsvm.audit.conditions import number
from attnsvm.audit.reading import Claims

WORDS = {"encoded": "token lengths brought back", "added": "token lengths left to grow, per length"}
CLAIMS = Claims(group="secondary")

share = number(missing="instance that is separable with all three tokens")
CLAIMS.declare(
    "positional_length",
    share(quantity="narrower for its length", tokens=tuple(WORDS)).must(
        "≥ 0.9", "nine in ten, beyond doubt", "{tokens}: narrower in {value:.2f}", names=WORDS
    ),
    share(quantity="wider", tokens="added").must(
        "share of margins wider where lengths grow > 0.5",
        "most, as first asked",
        "token lengths left to grow: wider in {value:.2f}",
    ),
    sharpens="positional",
    seeds=(100000, 100099),
    short="positions narrow the margin for its token length",
    statement="For the length that the tokens have, sinusoidal positions narrow the margin of nearly every instance; "
    "what widens most margins is the length that they add.",
    check="share of instances whose margin 1/‖W_mm‖, over what the length of the tokens alone does to it (√2 where "
    "positions of length one are added), is smaller with positions; Wilson interval, the lesser of two",
    measured="share of instances whose margin, for its token length, is narrower",
)
