"""What the claims must notice: a made-up table on which they hold, and changes of it."""

from attnsvm.audit.flips import Empty, Flip

MISSING = "stack that is saturated and has certified solutions"


def table():
    """Three layers of which each falls like 1/steps²; with shuffled rows those below the top stay far."""
    return [
        {"depth": 3, "layer": layer, "rule": rule, "seed": seed, "step": step}
        | {"value": 0.5 if rule == "shuffled" else 0.001 * layer * (10000 / step) ** 2 * (1 + seed / 100)}
        for layer in (1, 2, 3)
        for rule in ("law", "shuffled")
        for step in (3333, 10000, 30000)
        for seed in range(32)
        if rule == "law" or layer < 3
    ]


FLIPS = {"layers_depth_steps": Flip("layer == 2 and rule == 'law' and step == 30000", "value", 0.001)}
EMPTY = {"layers_depth_steps": [Empty("rule != 'law'", MISSING), Empty("rule != 'shuffled'", MISSING)]}
