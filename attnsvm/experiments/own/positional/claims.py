"""Does a positional encoding act like a regulariser? Read as: does it widen the margin?"""

from attnsvm.audit.conditions import number
from attnsvm.audit.reading import Claims

CLAIMS = Claims(group="secondary")

wider = number(quantity="wider", missing="instance that is separable with all three tokens")
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
    check="taken to mean that it widens the margin 1/‖W_mm‖: share of instances whose margin sinusoidal positions "
    "widen, token lengths brought back to one (value) or left to grow, Wilson interval",
    measured="share of instances whose margin the encoding widens",
)
