"""What the claims must notice: a made-up table on which they hold, and changes of it."""

from attnsvm.audit.flips import Empty, Flip

STEEPEST, ADAM = ("sign, 5:1", "spectral, 5:1"), {".9": 0.98, ".99": 0.7, ".999": 0.4}
VALUES = {"top": 0.98, "graded": 0.95, "margin 0": 0.7, "free": 0.65, "frobenius": 0.6}


def table():
    """One path for plain and normalised descent, graded margins ahead, and Adam the nearer the less it remembers."""
    rows = []
    for seed in range(32):
        one = {"seed": seed, "norm": 9.0, "layer": 0, "run": "plain", "step": 100}
        rows += [one | {"rule": rule, "value": far} for rule, far in (("normalised", 1e-6), ("a norm per layer", 0.01))]
        for run in STEEPEST:
            rows += [row(seed, run, rule, value) for rule, value in VALUES.items()]
        for beta2, value in ADAM.items():
            rows += [row(seed, f"Adam, β2 = {beta2}", rule, value + seed / 1e4) for rule in ("top", "graded")]
    return rows


def row(seed, run, rule, value):
    return {
        "seed": seed,
        "norm": 90.0,
        "layer": 1 + (rule == "top"),
        "run": run,
        "step": 100,
        "rule": rule,
        "value": value,
    }


FLIPS = {
    "layers_plain": Flip("run == 'plain' and rule == 'normalised' and seed == 4", "value", 0.001),
    "layers_graded_norms": Flip("run == 'sign, 5:1' and rule == 'graded'", "value", 0.85),
    "layers_adam": Flip("run == 'Adam, β2 = .99' and rule == 'top'", "value", 0.99),
}
EMPTY = {
    "layers_plain": [Empty("run != 'plain'", "run of plain descent")],
    "layers_graded_norms": [Empty(f"run != '{run}'", f"measured instance of {run}") for run in STEEPEST],
    "layers_adam": [Empty("run != 'Adam, β2 = .9'", "measured instance of Adam, β2 = .9")],
}
