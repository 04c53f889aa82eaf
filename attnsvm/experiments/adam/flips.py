"""What the claims must notice: a made-up table on which they hold, and changes of it."""

import numpy as np
import pandas as pd

from attnsvm.audit.flips import Empty, Flip


def table(ratio=0.97, growth=(0.02, 0.005)):
    """What the claims read; sign descent at a pace of 0.02, Adam with a memory that allows 0.005."""
    rows = []
    runs = {"sign constant": ("sign", "constant", 0.0), "Adam constant 0.99": ("Adam", "constant", np.exp(-0.01))}
    runs |= {"Adam root 0.999": ("Adam", "root", 0.999), "Adam small 0.999": ("Adam", "small", np.exp(-0.01))}
    for k, (run, (rule, schedule, beta2)) in enumerate(runs.items()):
        grown = growth[0] if rule == "sign" else growth[1]
        values = dict.fromkeys(("linf", "fro", "spectral", "l1", "nuc"), ratio) | {"growth": grown, "sign_pace": 0.02}
        for step in (10, 100):
            for quantity, median in values.items():
                at = {"run": run, "rule": rule, "schedule": schedule, "beta1": beta2 and 0.9, "beta2": beta2}
                at |= {"step": step, "quantity": quantity, "instances": 20, "median": median * (1 + 1e-3 * k)}
                rows.append(at | {"low": 0.9 * median, "high": 1.1 * median})
    return pd.DataFrame(rows)


FLIPS = {
    "adam_sign": Flip("run == 'Adam root 0.999' and quantity == 'linf'", "median", 0.5),
    "adam_pace": Flip("run == 'sign constant' and quantity == 'growth'", "median", 0.03),
}
EMPTY = {
    "adam_sign": [Empty("rule == 'sign'", "run of Adam"), Empty("rule == 'Adam'", "run of sign descent")],
    "adam_pace": [
        Empty("rule == 'sign'", "run that its memory holds back"),
        Empty("schedule == 'root'", "run at a constant rate"),
    ],
}
