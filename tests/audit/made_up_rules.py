"""Made-up tables of `factors` and `adam`: their claims hold there, and one number flips each."""

import numpy as np
import pandas as pd

from attnsvm.audit.reading import IN_PART

WAYS = {  # medians after 1000 and 10,000 steps
    "published": (1e-2, 2e-2),
    "joint": (1e-2, 5e-4),
    "balanced": (1e-2, 9e-3),
    "published_shrinking": (1e-2, 3e-3),
}
GROWN = {"published": 0.9}  # share of instances that went away again


def factors():
    rows = []
    for rule, way in WAYS.items():
        at = {"rule": rule, "m": 10, "scale": 1.0, "instances": 30}
        for step, median in zip((1000, 10000), way, strict=True):
            rows.append(at | {"step": step, "quantity": "distance", "median": median, "larger": np.nan})
        rows.append(at | {"step": 10000, "quantity": "left", "median": 1.0, "larger": GROWN.get(rule, 0.0)})
    table = pd.DataFrame(rows)
    return table.assign(low=0.9 * table["median"], high=1.1 * table["median"])


def adam():
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
    table = pd.DataFrame(rows)
    return table.assign(low=0.9 * table["median"], high=1.1 * table["median"])


TABLES = {"factors": factors, "adam": adam}
LAST = "quantity == 'distance' and step == 10000"
FLIPS = {
    "KQ_joint": ("factors", f"{LAST} and rule == 'joint'", "median", 2e-3, IN_PART),
    "KQ_published_leaves": ("factors", f"{LAST} and rule == 'published'", "median", 9e-3, IN_PART),
    "KQ_published_cause": ("factors", f"{LAST} and rule == 'balanced'", "median", 1e-3, IN_PART),
    "adam_sign": ("adam", "run == 'Adam root' and quantity == 'linf'", "median", 0.5, IN_PART),
    "adam_pace": ("adam", "run == 'sign constant' and quantity == 'growth'", "median", 0.03, IN_PART),
}
LATER = "step about a decade before the last"
EMPTY = [
    ("KQ_joint", lambda t: t.query("step == 10000"), LATER),
    ("KQ_published_leaves", lambda t: t.query("step == 10000"), LATER),
    ("KQ_published_cause", lambda t: t.query("step == 10000"), LATER),
    ("adam_sign", lambda t: t.query("rule == 'sign'"), "run of Adam"),
    ("adam_sign", lambda t: t.query("rule == 'Adam'"), "run of sign descent"),
    ("adam_pace", lambda t: t.query("rule == 'sign'"), "run that its memory holds back"),
    ("adam_pace", lambda t: t.query("schedule == 'root'"), "run at a constant rate"),
]
