"""Does a positional encoding act like a regulariser? Read as: does it widen the margin?"""

from attnsvm.audit.conditions import number
from attnsvm.audit.evaluation import Claims

CLAIMS = Claims(group="secondary")

wider = number(
    quantity="wider",
    missing="instance that is separable with all three tokens",
    text="share of instances whose margin 1/‖W_mm‖ sinusoidal positions widen",
)
MOST = (
    "> 0.5",
    "a regulariser would widen the margin of most instances, whatever is held fixed: longer tokens alone widen every "
    "margin",
)
CLAIMS.declare(
    "positional",
    (
        wider(tokens="encoded").must(*MOST, "most margins widen, token lengths brought back to one ({value:.2g})"),
        wider(tokens="added").must(*MOST, "most margins widen, token lengths left to grow ({value:.2g})"),
    ),
    short="positions as a regulariser",
    statement="A positional encoding acts like a regulariser of the SVM.",
)

# What holds instead, asked on unseen seeds: for the length that the tokens have, positions narrow every margin.
WORDS = {"encoded": "token lengths brought back", "added": "token lengths left to grow, per length"}
CLAIMS.declare(
    "positional_length",
    wider(
        quantity="narrower for its length",
        tokens=tuple(WORDS),
        text="share of instances whose margin, over what the length of their tokens alone does to it, positions narrow",
    ).must("≥ 0.9", "nine in ten, beyond doubt", "{tokens}: narrower in {value:.2f}", names=WORDS),
    wider(tokens="added").must(
        "share of margins wider where lengths grow > 0.5",
        "most, as first asked",
        "token lengths left to grow: wider in {value:.2f}",
    ),
    sharpens="positional",
    on="positions_narrow",
    short="positions narrow the margin for its token length",
    statement="For the length that the tokens have, sinusoidal positions narrow the margin of nearly every instance; "
    "what widens most margins is added length.",
)
