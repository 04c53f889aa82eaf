"""What the claims must notice: a made-up table on which they hold, and changes of it."""

import numpy as np

from attnsvm.audit.flips import Empty, Flip, spread


def table():
    """Sign descent at a pace of 0.02 per step; Adam with a memory that allows 0.005."""
    rows = []
    runs = {
        "sign constant": ("sign", "constant", 0.0, 0.02),
        "Adam constant": ("Adam", "constant", np.exp(-0.01), 0.005),
        "Adam root": ("Adam", "root", 0.999, 0.001),
    }
    for run, (rule, schedule, beta2, grown) in runs.items():
        values = {"linf": 0.97, "growth": grown, "sign_pace": 0.02}
        columns = {"run": run, "rule": rule, "schedule": schedule, "beta2": beta2, "instances": 20}
        for step in (10, 100):
            rows += [columns | {"step": step, "quantity": name, "median": x} for name, x in values.items()]
    return spread(rows, share=0.1, of="median")


FLIPS = {
    "adam_sign": Flip("run == 'Adam root' and quantity == 'linf'", "median", 0.5),
    "adam_pace": Flip("run == 'sign constant' and quantity == 'growth'", "median", 0.03),
}
EMPTY = {
    "adam_sign": [Empty("rule == 'sign'", "run of Adam"), Empty("rule == 'Adam'", "run of sign descent")],
    "adam_pace": [
        Empty("rule == 'sign'", "run that its memory holds back"),
        Empty("schedule == 'root'", "run at a constant rate"),
    ],
}
