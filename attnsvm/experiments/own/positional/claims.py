"""Does a positional encoding act like a regulariser? Read as: does it widen the margin?"""

from attnsvm.audit.numbers import Limit, share_of
from attnsvm.audit.reading import Claims, Reading, some

TOKENS = {"encoded": "token lengths brought back to one", "added": "token lengths left to grow"}
CLAIMS = Claims(group="secondary")


@CLAIMS.add(
    short="positions as a regulariser",
    statement="A positional encoding acts like a regulariser of the SVM.",
    check="taken to mean that it widens the margin 1/‖W_mm‖: share of instances whose margin sinusoidal positions "
    "widen, token lengths brought back to one (value) or left to grow, Wilson interval",
    measured="share of instances whose margin the encoding widens",
    asked=Limit(
        0.5,
        "> {}",
        "a regulariser would widen the margin of most instances, whatever is held fixed: longer tokens alone widen "
        "every margin",
    ),
)
def positional(tables, asked):
    norms = tables.own(quantity="norm").pivot(index="seed", columns="tokens", values="value")
    # Tokens of which no instance is separable have no column.
    norms = some(norms.reindex(columns=["plain", *TOKENS]).dropna(), "instance that is separable with all three tokens")
    found = {name: share_of(norms[name] < norms["plain"]) for name in TOKENS}
    parts = {f"most margins widen, {TOKENS[name]} ({seen.value:.2g})": asked(seen) for name, seen in found.items()}
    return Reading(*found["encoded"], parts)
