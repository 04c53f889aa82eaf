"""What the claims must notice: a made-up table on which they hold, and changes of it."""

from attnsvm.audit.flips import Empty, Flip
from attnsvm.audit.reading import FAILS

LEAST, GRADIENT = "least change", ("gradient 0.5", "gradient 0.02", "gradient 0.002")


def table():
    """The certified change wins everywhere; gradient descent with the least weight corrects nothing."""
    rows = []

    def add(part, quantity, kind, value, width=0.02):
        at = {"part": part, "quantity": quantity, "kind": kind}
        rows.append(at | {"value": value, "low": value - width, "high": value + width, "instances": 8})
        rows.append(at | {"template": 5, "value": value, "instances": 1})

    add("change", "exists", LEAST, 1.0)
    add("change", "same", LEAST, 0.7)
    add("change", "named", LEAST, 1.0)
    for kind in GRADIENT:
        add("change", "named", kind, 0.3 if kind == GRADIENT[-1] else 1.0)
        add("lead", "same", kind, 0.0)
        add("lead", "broken", kind, -3.0)
        add("lead", "net", kind, 5.0)
    return rows


FLIPS = {
    "corrections_exist": Flip("quantity == 'exists' and template == 5", "value", 0.5, FAILS),
    "corrections_carry": Flip("quantity == 'same' and kind == 'least change'", "low", 0.1, FAILS),
    "corrections_as_often": Flip("part == 'lead' and quantity == 'same' and kind == 'gradient 0.02'", "low", -0.4),
    "corrections_preserve": Flip("part == 'lead' and quantity == 'broken' and kind == 'gradient 0.02'", "high", 1.0),
    "corrections_net": Flip("part == 'lead' and quantity == 'net' and kind == 'gradient 0.5'", "low", -1.0),
}
UNABLE = Empty(
    "not (part == 'change' and quantity == 'named' and value == 1.0)", "gradient descent that corrects what is named"
)
EMPTY = {
    "corrections_exist": [Empty("quantity != 'exists'", "change that was proved or refuted")],
    "corrections_carry": [Empty("not (quantity == 'same' and kind == 'least change')", "mean of same")],
    "corrections_as_often": [UNABLE],
    "corrections_preserve": [UNABLE],
    "corrections_net": [UNABLE],
}
